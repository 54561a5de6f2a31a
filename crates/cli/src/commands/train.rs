//! The command `train`.

mod output;

use crate::failure::Failure;
use crate::games::{AnyGame, parse_rules, read_settings, with_game};
use crate::progress::{self, Progress, note};
use crate::{agents, interrupt, provenance, runs};
use engine::Agent;
use evaluation::{AgentMaker, AgentReport, AgentSpec, GreedyAgent, Match, Report, Unobserved};
use network::Indexed;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use trainer::{
    End, Evaluation, Run, Schedule, Starts, StepSizeRule, Target, TrainConfig, TrainError, Updates,
};

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
    /// Settings that suit a purpose; flags override them: quick (a minute), standard (an hour) or best (days on many cores)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["resume", "config"])]
    preset: Option<String>,
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
    /// Games that each thread plays side by side, which hides waits for memory [default: 2]
    #[arg(long, conflicts_with = "resume")]
    lanes: Option<usize>,
    /// The game: 4x4, 3x3, 2x3, ... or a TOML file [default: 4x4]
    #[arg(long, conflicts_with = "resume")]
    rules: Option<String>,
    /// Patterns: 4x6, 5x6, 6x6, 7x6, 8x6, 5x4, 4x5, 17x4, or lists of cells such as '012345 456789'
    /// [default: 4x6; on other boards all rectangles of 2x3]
    #[arg(long, conflicts_with = "resume")]
    patterns: Option<String>,
    /// Stages of the game that have weights of their own, by their tiles: none, or a list such as
    /// 16384,16384+8192,32768 [default: none]
    #[arg(long, conflicts_with = "resume")]
    stages: Option<network::Stages>,
    /// What values are moved towards: td (the next move), nstep:3, or lambda:0.5 [default: td]
    #[arg(long, conflicts_with = "resume")]
    target: Option<Target>,
    /// When games are learned from: forward, or backward after their end, from the last move [default: forward]
    #[arg(long, conflicts_with = "resume")]
    updates: Option<Updates>,
    /// How errors become weight changes: constant, tc for temporal coherence, or constant,tc@0.9 to switch when so much
    /// of the run is over [default: tc]
    #[arg(long, conflicts_with = "resume")]
    step_size: Option<StepSizeRule>,
    /// Step size, shared by all look-ups: a number, linear:from=A,to=B, exponential:from=A,to=B, or
    /// steps:A,B@0.5,C@0.9 [default: 1.0 for tc, 0.1 for constant]
    #[arg(long, conflicts_with = "resume")]
    alpha: Option<Schedule>,
    /// What every afterstate is worth before anything is learned; large is optimistic [default: 0]
    #[arg(long, value_name = "SCORE", conflicts_with = "resume")]
    initial_value: Option<f32>,
    /// Where games begin: new; restart to learn again from the middle of each game, and so on, or restart:0.5 with that
    /// probability; carousel:16384,16384+8192,32768 to learn from where games came to have these tiles; or
    /// restart:P/carousel:TILES [default: new]
    #[arg(long, conflicts_with = "resume")]
    starts: Option<Starts>,
    /// Time between checkpoints [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    checkpoint_every: Option<Duration>,
    /// Games between points of the curves [default: 500]
    #[arg(long, value_name = "GAMES")]
    log_every: Option<u64>,
    /// Games that the trained player is measured in at the end, 0 for none [default: 1000]
    #[arg(long, value_name = "GAMES")]
    eval_games: Option<u64>,
    /// Measure on the way too, whenever so many games were trained, and keep the best player; 0 for not [default: 0]
    #[arg(long, value_name = "GAMES")]
    eval_every: Option<u64>,
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
        let mut config = match (&self.preset, &self.config) {
            (None, None) => TrainConfig::default(),
            (Some(name), _) => TrainConfig::preset(name)?,
            (None, Some(path)) => {
                TrainConfig::from_toml(&read_settings(path).map_err(Failure::usage)?)
                    .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?
            }
        };
        if let Some(rules) = &self.rules {
            config.rules = parse_rules(rules)?;
        }
        config.seed = self.seed.unwrap_or(config.seed);
        config.lanes = self.lanes.unwrap_or(config.lanes);
        config.patterns = self.patterns.clone().or(config.patterns);
        if let Some(stages) = &self.stages {
            config.stages = stages.clone();
        }
        config.target = self.target.unwrap_or(config.target);
        config.updates = self.updates.unwrap_or(config.updates);
        config.initial_value = self.initial_value.unwrap_or(config.initial_value);
        config.starts = self.starts.clone().unwrap_or(config.starts);
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
        config.eval_every = self.eval_every.unwrap_or(config.eval_every);
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
    let complete = loop {
        match run.train(interrupted, &mut |progress| show(&bar, progress))? {
            End::Complete => break true,
            End::Interrupted => break false,
            End::EvaluationDue => evaluate_on_the_way(&mut run, game, &bar, interrupted)?,
        }
    };
    bar.finish();
    let saved = complete.then(|| run.save_model()).transpose()?;
    let evaluation = match complete && config.eval_games > 0 {
        true => evaluate(&mut run, game, interrupted)?,
        false => None,
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

/// Measures the trained player in greedy play, and shows how that goes.
fn evaluate<G: Indexed>(
    run: &mut Run<G>,
    game: &G,
    interrupted: &AtomicBool,
) -> Result<Option<Report>, Failure> {
    let rules = run.config().rules.clone();
    let (spec, agent, settings) = evaluation(run, game);
    let logs = agents::Logs::default();
    let Some(measured) = agents::measure(game, &rules, &spec, &agent, settings, logs, interrupted)?
    else {
        return Ok(None);
    };
    if !interrupted.load(Relaxed)
        && let Err(error) = run.record_evaluation(point(run, &measured))
    {
        note(&format!("warning: {error}"));
    }
    let mut report = Report::new(&rules, settings);
    report.add(measured);
    Ok(Some(report))
}

/// Measures the player as it is. Interrupted, nothing is recorded, and it will be measured when training goes on.
fn evaluate_on_the_way<G: Indexed>(
    run: &mut Run<G>,
    game: &G,
    bar: &Progress,
    interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let (spec, agent, settings) = evaluation(run, game);
    let result = settings.play(game, &agent, interrupted, &Unobserved);
    let result = result.map_err(|error| Failure::failed(format!("{spec}: {error}")))?;
    if interrupted.load(Relaxed) {
        return Ok(());
    }
    let measured = AgentReport::new(&spec, &run.config().rules, result);
    let games = run.summary().games;
    let text = format!("After {games} games, greedy: {}", measured.mean_score());
    match run.record_evaluation(point(run, &measured)) {
        Ok(true) => bar.line(&format!("{text}, the best so far")),
        Ok(false) => bar.line(&text),
        Err(error) => bar.line(&format!("{text}\nwarning: {error}; training goes on")),
    }
    Ok(())
}

/// The greedy player as it is trained so far, and the match that measures it: on the same seed every time.
fn evaluation<G: Indexed>(run: &Run<G>, game: &G) -> (AgentSpec, AgentMaker<G>, Match) {
    let (network, config) = (run.network(), run.config());
    let game = game.clone();
    let agent =
        move || -> Box<dyn Agent<G>> { Box::new(GreedyAgent::new(game.clone(), network.clone())) };
    let settings = Match {
        first: 0,
        target_rank: config.rules.target_rank(),
        games: config.eval_games,
        seed: config.seed,
        threads: config.threads.unwrap_or(1),
    };
    (agents::greedy_of(run.path()), Box::new(agent), settings)
}

/// What is recorded of a measurement.
fn point<G: Indexed>(run: &Run<G>, measured: &AgentReport) -> Evaluation {
    let rules = &run.config().rules;
    let lowest = engine::tile(trainer::lowest_reach_rank(rules));
    let target = engine::tile(rules.target_rank());
    let reach = measured.reach.iter().filter(|(tile, statistics)| {
        **tile >= lowest && (**tile <= target || statistics.rate > 0.0)
    });
    let summary = run.summary();
    Evaluation {
        games: summary.games,
        moves: summary.moves,
        seconds: summary.seconds,
        measured: measured.games,
        mean_score: measured.score.mean,
        ci95: measured.score.ci95,
        mean_moves: measured.moves.mean,
        reach: reach.map(|(tile, of)| (*tile, of.rate)).collect(),
    }
}
