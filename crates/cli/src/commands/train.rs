//! The command `train`.

mod output;

use crate::failure::Failure;
use crate::games::{AnyGame, parse_rules, read_settings, with_game};
use crate::progress::{self, Progress, note};
use crate::{agents, interrupt, provenance, runs};
use evaluation::{AgentMaker, AgentReport, GreedyAgent, Match, Report};
use network::Indexed;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use trainer::{End, Run, Schedule, StepSizeRule, TrainConfig, TrainError};

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
    #[arg(long, conflicts_with = "resume")]
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

impl Arguments {
    /// The settings: defaults, then the file, then flags.
    fn new_config(&self) -> Result<TrainConfig, Failure> {
        let mut config = match &self.config {
            None => TrainConfig::default(),
            Some(path) => TrainConfig::from_toml(&read_settings(path).map_err(Failure::usage)?)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?,
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
    let interrupted = interrupt::flag();
    if arguments.resume {
        let folder = arguments.folder_to_resume()?;
        let config = arguments.change_totals(trainer::stored_config(&folder)?)?;
        return with_game!(AnyGame::new(&config.rules)?, game => {
            let anew = !folder.join(trainer::CHECKPOINT).exists();
            let run = Run::resume(&folder, config, &game, program)?;
            if anew {
                note(&format!("There is no checkpoint in {} yet: it starts over.", folder.display()));
            }
            train(run, &game, arguments, &interrupted)
        });
    }
    let config = arguments.new_config()?;
    with_game!(AnyGame::new(&config.rules)?, game => {
        let run = match &arguments.name {
            Some(name) => Run::create(&runs::named(&arguments.runs, name)?, config, &game, program)?,
            None => create_numbered(&arguments.runs, &config, &game, &program)?,
        };
        train(run, &game, arguments, &interrupted)
    })
}

/// Makes the next numbered run, also when another process does the same at this moment.
fn create_numbered<G: Indexed>(
    folder: &Path,
    config: &TrainConfig,
    game: &G,
    program: &network::Provenance,
) -> Result<Run<G>, TrainError> {
    let mut number = runs::next_number(folder);
    loop {
        let path = folder.join(format!("{number:03}"));
        match Run::create(&path, config.clone(), game, program.clone()) {
            Err(TrainError::Exists(_) | TrainError::InUse(_)) => number += 1,
            result => return result,
        }
    }
}

fn train<G: Indexed>(
    mut run: Run<G>,
    game: &G,
    arguments: &Arguments,
    interrupted: &Arc<AtomicBool>,
) -> Result<(), Failure> {
    let config = run.config().clone();
    note(&format!(
        "Training in {}: {}, patterns {}, step size {} x {}, threads {}.",
        run.path().display(),
        config.rules,
        run.network().structure(),
        config.step_size,
        config
            .alpha
            .clone()
            .map_or(String::new(), |alpha| alpha.to_string()),
        config.threads.unwrap_or(1),
    ));
    let bar = Progress::new(config.games, run.summary().games);
    let end = run.train(interrupted, &mut |progress| show(&bar, progress));
    bar.finish();
    let saved = match end? {
        End::Complete => Some(run.save_model()?),
        End::Interrupted => None,
    };
    let evaluation = match &saved {
        Some(_) if config.eval_games > 0 => evaluate(&run, game, interrupted)?,
        _ => None,
    };
    let interrupted = interrupted.load(Relaxed);
    let printed = output::print(&run, saved.as_ref(), evaluation, interrupted, arguments);
    if interrupted {
        return Err(Failure::Interrupted);
    }
    printed
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
            format!("mean {mean_score:.0}, best {best_tile}, {rate}")
        }),
        trainer::Progress::Saving(path) => bar.line(&format!("Saving {}", path.display())),
        trainer::Progress::Warning(text) => bar.line(&format!("warning: {text}")),
    }
}

/// Measures the trained player in greedy play, in points of its curves too.
fn evaluate<G: Indexed>(
    run: &Run<G>,
    game: &G,
    interrupted: &AtomicBool,
) -> Result<Option<Report>, Failure> {
    let (network, config) = (run.network(), run.config());
    let spec = agents::greedy_of(run.path());
    let agent_game = game.clone();
    let agent: AgentMaker<G> =
        Box::new(move || Box::new(GreedyAgent::new(agent_game.clone(), network.clone())));
    let settings = Match {
        first: 0,
        target_rank: config.rules.target_rank(),
        games: config.eval_games,
        seed: config.seed,
        threads: config.threads.unwrap_or(1),
    };
    let Some(measured) = agents::measure(
        game,
        &config.rules,
        &spec,
        &agent,
        settings,
        agents::Logs::default(),
        interrupted,
    )?
    else {
        return Ok(None);
    };
    if !interrupted.load(Relaxed)
        && let Err(error) = run.log_evaluation(&evaluation_scalars(&measured, config))
    {
        note(&format!("warning: {error}"));
    }
    let mut report = Report::new(&config.rules, settings);
    report.add(measured);
    Ok(Some(report))
}

fn evaluation_scalars(measured: &AgentReport, config: &TrainConfig) -> Vec<(String, f64)> {
    let mut scalars = vec![
        ("eval/mean_reward".to_owned(), measured.score.mean),
        ("eval/mean_ep_length".to_owned(), measured.moves.mean),
    ];
    let lowest = engine::tile(trainer::lowest_reach_rank(&config.rules));
    let target = engine::tile(config.rules.target_rank());
    for (&tile, statistics) in &measured.reach {
        if tile >= lowest && (tile <= target || statistics.rate > 0.0) {
            scalars.push((format!("eval/reach_{tile}"), statistics.rate));
        }
    }
    scalars
}
