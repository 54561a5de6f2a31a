use crate::failure::Failure;
use crate::games::{AnyGame, parse_rules, with_game};
use crate::progress::{self, Progress, note};
use crate::{agents, interrupt, provenance, runs};
use evaluation::{AgentMaker, AgentReport, AgentSpec, GreedyAgent, Match, Report};
use network::Indexed;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use trainer::{End, Run, Saved, Schedule, StepSizeRule, TrainConfig, TrainError};

/// Train a value function by self-play, then measure it.
///
/// With nothing else: 50,000 games of the 4x6 network with temporal coherence, which takes about a minute on
/// two cores, in a new numbered folder of `runs`. Ctrl-C saves and stops; --resume goes on.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of the run: the folder in `runs` [default: the next number]
    #[arg(long)]
    name: Option<String>,
    /// Go on with the run of that name, or with the latest. Only totals, threads and intervals may change
    #[arg(long)]
    resume: bool,
    /// Read settings from a TOML file, such as another run's config.toml; flags override it
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    config: Option<PathBuf>,
    /// Games in total [default: 50000]
    #[arg(long)]
    games: Option<u64>,
    /// Where all randomness comes from [default: 1]
    #[arg(long, conflicts_with = "resume")]
    seed: Option<u64>,
    /// Threads; one is bit-reproducible, several are not [default: all processors]
    #[arg(long)]
    threads: Option<usize>,
    /// The game: 4x4, 3x3, 2x3, ... or a TOML file [default: 4x4]
    #[arg(long, conflicts_with = "resume")]
    rules: Option<String>,
    /// Patterns: 4x6, 5x6, 6x6, 7x6, 8x6, 5x4, 4x5, 17x4, or lists of cells such as '012345 456789'
    /// [default: 4x6; on other boards all rectangles of 2x3]
    #[arg(long, conflicts_with = "resume")]
    patterns: Option<String>,
    /// How errors become weight changes: constant, or tc for temporal coherence [default: tc]
    #[arg(long, value_parser = parse_step_size, conflicts_with = "resume")]
    step_size: Option<StepSizeRule>,
    /// Step size, shared by all look-ups: a number, linear:from=A,to=B, exponential:from=A,to=B, or
    /// steps:A,B@0.5,C@0.9 [default: 1.0 for tc, 0.1 for constant]
    #[arg(long, conflicts_with = "resume")]
    alpha: Option<Schedule>,
    /// Time between checkpoints [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    checkpoint_every: Option<Duration>,
    /// Games between points of the curves [default: 500]
    #[arg(long, value_name = "GAMES")]
    log_every: Option<u64>,
    /// Games that the trained player is measured in at the end, 0 for none [default: 1000]
    #[arg(long, value_name = "GAMES")]
    eval_games: Option<u64>,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Print one JSON object at the end instead of text
    #[arg(long)]
    json: bool,
}

fn parse_step_size(text: &str) -> Result<StepSizeRule, String> {
    match text {
        "constant" => Ok(StepSizeRule::Constant),
        "tc" => Ok(StepSizeRule::Tc),
        _ => Err("expected constant or tc".to_owned()),
    }
}

/// The JSON object.
#[derive(Serialize)]
struct Output {
    run: PathBuf,
    /// The model; none if interrupted.
    model: Option<PathBuf>,
    model_hash: Option<String>,
    checkpoint: PathBuf,
    interrupted: bool,
    games: u64,
    moves: u64,
    seconds: f64,
    moves_per_second: f64,
    mean_score: f64,
    evaluation: Option<Report>,
}

impl Arguments {
    /// The settings: defaults, then the file, then flags.
    fn new_config(&self) -> Result<TrainConfig, Failure> {
        let mut config = match &self.config {
            None => TrainConfig::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::usage(format!(
                        "cannot read the configuration {}: {error}",
                        path.display()
                    ))
                })?;
                TrainConfig::from_toml(&text)?
            }
        };
        if let Some(rules) = &self.rules {
            config.rules = parse_rules(rules)?;
        }
        config.seed = self.seed.unwrap_or(config.seed);
        config.patterns = self.patterns.clone().or(config.patterns);
        if let Some(step_size) = self.step_size.filter(|rule| *rule != config.step_size) {
            // A step size that suits one rule does not suit the other.
            config.step_size = step_size;
            config.alpha = None;
        }
        config.alpha = self.alpha.clone().or(config.alpha);
        self.change_totals(config)
    }

    /// Overrides what may also change when a run is resumed.
    fn change_totals(&self, mut config: TrainConfig) -> Result<TrainConfig, Failure> {
        config.games = self.games.unwrap_or(config.games);
        config.threads = self.threads.or(config.threads);
        config.checkpoint_every = self.checkpoint_every.unwrap_or(config.checkpoint_every);
        config.log_every = self.log_every.unwrap_or(config.log_every);
        config.eval_games = self.eval_games.unwrap_or(config.eval_games);
        Ok(config.resolve()?)
    }

    /// The folder of the run to go on with.
    fn folder_to_resume(&self) -> Result<PathBuf, Failure> {
        match &self.name {
            Some(name) => runs::named(&self.runs, name),
            None => runs::latest(&self.runs).ok_or_else(|| {
                Failure::usage(format!(
                    "there is no run to resume in {}",
                    self.runs.display()
                ))
            }),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let program = provenance::of_program();
    if arguments.resume {
        let folder = arguments.folder_to_resume()?;
        let config = arguments.change_totals(trainer::stored_config(&folder)?)?;
        return with_game!(AnyGame::new(&config.rules)?, game => {
            train(Run::resume(&folder, config, &game, program)?, &game, arguments)
        });
    }
    let config = arguments.new_config()?;
    with_game!(AnyGame::new(&config.rules)?, game => {
        let run = match &arguments.name {
            Some(name) => Run::create(&runs::named(&arguments.runs, name)?, config, &game, program)?,
            None => create_numbered(&arguments.runs, &config, &game, &program)?,
        };
        train(run, &game, arguments)
    })
}

/// Makes the next numbered run, also when another process does the same at this moment.
fn create_numbered<G: Indexed>(
    folder: &Path,
    config: &TrainConfig,
    game: &G,
    program: &network::Provenance,
) -> Result<Run<G>, TrainError> {
    loop {
        let path = folder.join(runs::next_number(folder));
        match Run::create(&path, config.clone(), game, program.clone()) {
            Err(TrainError::Exists(_)) => (),
            result => return result,
        }
    }
}

fn train<G: Indexed>(mut run: Run<G>, game: &G, arguments: &Arguments) -> Result<(), Failure> {
    let interrupted = interrupt::flag();
    let config = run.config().clone();
    let network = run.network();
    note(&format!(
        "Training in {}: {} boards, patterns {} ({} weights), step size {} x {}, {} threads.",
        run.path().display(),
        config.rules,
        network.structure(),
        network.entries(),
        match config.step_size {
            StepSizeRule::Constant => "constant",
            StepSizeRule::Tc => "tc",
        },
        config.alpha.clone().unwrap_or(Schedule::Constant(1.0)),
        config.threads.unwrap_or(1),
    ));
    let bar = Progress::new(config.games);
    bar.resumed_at(run.summary().games);
    let end = run.train(&interrupted, &mut |progress| show(&bar, progress));
    bar.finish();
    let complete = end? == End::Complete;

    let saved = if complete {
        Some(run.save_model()?)
    } else {
        None
    };
    let evaluation = match &saved {
        Some(saved) if config.eval_games > 0 => evaluate(&mut run, game, saved, &interrupted)?,
        _ => None,
    };
    let interrupted = interrupted.load(Relaxed);
    print(&run, saved.as_ref(), evaluation, interrupted, arguments)?;
    if interrupted {
        return Err(Failure::Interrupted);
    }
    Ok(())
}

fn show(bar: &Progress, progress: trainer::Progress) {
    match progress {
        trainer::Progress::Playing {
            games,
            mean_score,
            moves_per_second,
            best_tile,
        } => bar.show(games, || {
            let rate = progress::rate(moves_per_second);
            format!("mean score {mean_score:.0}, best tile {best_tile}, {rate}")
        }),
        trainer::Progress::Saving(path) => bar.line(&format!("Saving {}", path.display())),
        trainer::Progress::Warning(text) => bar.line(&format!("warning: {text}; training goes on")),
    }
}

/// Measures the trained player in greedy play, in points of its curves too.
fn evaluate<G: Indexed>(
    run: &mut Run<G>,
    game: &G,
    saved: &Saved,
    interrupted: &AtomicBool,
) -> Result<Option<Report>, Failure> {
    let (network, config) = (run.network(), run.config().clone());
    let spec = AgentSpec {
        name: "greedy".to_owned(),
        options: vec![("value".to_owned(), saved.model.display().to_string())],
    };
    let agent_game = game.clone();
    let agent: AgentMaker<G> =
        Box::new(move || Box::new(GreedyAgent::new(agent_game.clone(), network.clone())));
    let settings = Match {
        games: config.eval_games,
        seed: config.seed,
        threads: config.threads.unwrap_or(1),
    };
    let Some(measured) = agents::measure(game, &spec, &agent, settings, interrupted)? else {
        return Ok(None);
    };
    if !interrupted.load(Relaxed)
        && let Err(error) =
            run.log_scalars(&evaluation_scalars(&measured, config.rules.target_rank()))
    {
        note(&format!("warning: {error}"));
    }
    Ok(Some(Report {
        rules: config.rules.to_string(),
        target: engine::tile(config.rules.target_rank()),
        agents: vec![measured],
        seed: settings.seed,
        threads: settings.threads,
    }))
}

fn evaluation_scalars(measured: &AgentReport, target_rank: u8) -> Vec<(String, f64)> {
    let mut scalars = vec![
        ("eval/mean_reward".to_owned(), measured.score.mean),
        ("eval/mean_ep_length".to_owned(), measured.moves.mean),
    ];
    let lowest = engine::tile(target_rank.saturating_sub(2));
    for (tile, statistics) in &measured.reach {
        if *tile >= lowest && statistics.rate > 0.0 {
            scalars.push((format!("eval/reach_{tile}"), statistics.rate));
        }
    }
    scalars
}

fn print<G: Indexed>(
    run: &Run<G>,
    saved: Option<&Saved>,
    evaluation: Option<Report>,
    interrupted: bool,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let summary = run.summary();
    let checkpoint = run.path().join("checkpoint");
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        let output = Output {
            run: run.path().to_owned(),
            model: saved.map(|saved| saved.model.clone()),
            model_hash: saved.map(|saved| format!("{:016x}", saved.hash)),
            checkpoint,
            interrupted,
            games: summary.games,
            moves: summary.moves,
            seconds: summary.seconds,
            moves_per_second: summary.moves as f64 / summary.seconds.max(1e-9),
            mean_score: summary.mean_score,
            evaluation,
        };
        serde_json::to_writer(&mut stdout, &output)?;
        return Ok(writeln!(stdout)?);
    }
    let rate = progress::rate(summary.moves as f64 / summary.seconds.max(1e-9));
    writeln!(
        stdout,
        "Trained {} games in {:.0} s ({rate}); mean score of the last 1,000: {:.0}.",
        summary.games, summary.seconds, summary.mean_score
    )?;
    let name = run.path().file_name().unwrap_or_default().display();
    let Some(saved) = saved else {
        writeln!(stdout, "Stopped, and saved in {}.", checkpoint.display())?;
        writeln!(stdout, "  go on    afterstate train --resume --name {name}")?;
        return Ok(writeln!(
            stdout,
            "  play     afterstate play greedy:value={}",
            run.path().display()
        )?);
    };
    if let Some(report) = evaluation {
        writeln!(stdout, "\n{}\n", report.table())?;
    }
    let (model, folder) = (saved.model.display(), run.path().display());
    writeln!(stdout, "  model    {model}")?;
    writeln!(
        stdout,
        "  curves   {folder}/metrics.jsonl, and: tensorboard --logdir {}",
        arguments.runs.display()
    )?;
    writeln!(stdout, "  watch    afterstate play greedy:value={folder}")?;
    writeln!(
        stdout,
        "  measure  afterstate eval greedy:value={folder} --games 10000"
    )?;
    writeln!(
        stdout,
        "  go on    afterstate train --resume --name {name} --games {}",
        2 * summary.games
    )?;
    Ok(())
}
