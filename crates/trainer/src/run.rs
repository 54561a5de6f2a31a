use crate::carousel::Carousel;
use crate::checkpoint::{Counts, TrainingState, unsuitable};
use crate::evaluations::{Evaluation, Evaluations};
use crate::folder::Folder;
use crate::lane::{Lane, Method};
use crate::logs::{Lengths, Logs};
use crate::metrics::{Finished, Metrics, Window, lowest_reach_rank};
use crate::progress::{End, Progress, Saved, Summary};
use crate::self_play::{Learner, Play};
use crate::step_size::StepSize;
use crate::{TrainConfig, TrainError};
use engine::{derive_seed, tile};
use network::{FileError, Indexed, ModelFile, NTuple, Provenance};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// One training, in a folder of its own.
pub struct Run<G: Indexed> {
    folder: Folder,
    config: TrainConfig,
    provenance: Provenance,
    learner: Learner<G>,
    play: Play<G>,
    counts: Counts,
    window: Window,
    logs: Logs,
    evaluations: Evaluations,
    /// When the last checkpoint was saved, or the run was begun or resumed.
    saved: Instant,
    /// Whether it was told that training diverges.
    diverged: bool,
}

impl<G: Indexed> Run<G> {
    /// Begins a new run in a folder that does not exist yet. `config` must be resolved; `provenance` says
    /// which program runs where, the rest of it is filled in.
    ///
    /// # Errors
    /// When the folder exists, cannot be written or has not enough room, or there is no such network.
    pub fn create(
        path: &Path,
        config: TrainConfig,
        game: &G,
        provenance: Provenance,
    ) -> Result<Run<G>, TrainError> {
        let (network, step_size) = untrained(game, &config)?;
        let folder = Folder::create(path)?;
        Run::begin(folder, config, network, step_size, provenance).inspect_err(|_| {
            // It is new and holds nothing; what cannot be removed from it hurts nobody.
            let _ = std::fs::remove_dir_all(path);
        })
    }

    /// Goes on with the run in a folder, from its checkpoint, or from its first game if there is none yet.
    /// `config` is the stored one; only games, threads and intervals may have been changed. A schedule of the
    /// step size stretches to the new number of games.
    ///
    /// # Errors
    /// When the folder is in use or holds no sound run, or there is nothing left to train.
    pub fn resume(
        path: &Path,
        config: TrainConfig,
        game: &G,
        provenance: Provenance,
    ) -> Result<Run<G>, TrainError> {
        let folder = Folder::open(path)?;
        let checkpoint = folder.checkpoint();
        if !checkpoint.exists() {
            if folder.model().exists() {
                return Err(TrainError::NoCheckpoint(path.to_owned()));
            }
            let (network, step_size) = untrained(game, &config)?;
            return Run::begin(folder, config, network, step_size, provenance);
        }
        let file = ModelFile::open(&checkpoint)?;
        let state: TrainingState = file.state()?;
        let header = file.header();
        let same = header.structure == config.structure()?.spelled_out()
            && header.stages == config.stages
            && header.initial_value == config.initial_value;
        if !same {
            let reason = "its tables are not those of its configuration";
            return Err(unsuitable(&checkpoint, reason));
        }
        if config.games < state.started {
            return Err(TrainError::TooFewGames {
                started: state.started,
            });
        }
        if state.counts.games >= config.games && has_model_of(&folder, state.counts.games) {
            return Err(TrainError::Complete {
                trained: state.counts.games,
            });
        }
        if !state.window.is_possible(game.rules()) {
            return Err(unsuitable(
                &checkpoint,
                "its statistics are not those of its game",
            ));
        }
        let (network, sums) = file.load_for_training(game)?;
        let step_size = StepSize::restore(config.step_size, config.alpha_schedule(), sums)
            .ok_or_else(|| {
                unsuitable(&checkpoint, "its sums are not those of its step-size rule")
            })?;
        let impossible = || unsuitable(&checkpoint, "it holds no positions of its game");
        let mut learner = learner(&config, network, step_size);
        let stages = config.starts.carousel.count();
        let lanes = { state.lanes.into_iter() }
            .map(|lane| Lane::restore(&learner.network, learner.method, stages, lane))
            .collect::<Option<VecDeque<_>>>();
        let lanes = lanes.ok_or_else(impossible)?;
        if learner.carousel.is_some() {
            let carousel = Carousel::restore(game, config.starts.carousel.clone(), &state.carousel);
            learner.carousel = Some(carousel.ok_or_else(impossible)?);
        }
        let logs = Logs::open(&folder, state.lengths, state.counts.games)?;
        let evaluations = Evaluations::open(folder.path(), state.counts.games)?;
        folder.write_config(&config.to_toml()?)?;
        Ok(Run {
            learner,
            play: Play {
                started: state.started,
                lanes,
            },
            counts: state.counts,
            window: state.window,
            folder,
            config,
            provenance,
            logs,
            evaluations,
            saved: Instant::now(),
            diverged: false,
        })
    }

    fn begin(
        folder: Folder,
        config: TrainConfig,
        network: NTuple<G>,
        step_size: StepSize,
        provenance: Provenance,
    ) -> Result<Run<G>, TrainError> {
        folder.write_config(&config.to_toml()?)?;
        let model = 4 * network.entries();
        let checkpoint = model * (1 + config.step_size.numbers_per_weight());
        // The new checkpoint lies beside the old one until it is complete.
        let models = if config.eval_every > 0 { 3 } else { 1 };
        folder.expect_space(2 * checkpoint + models * model)?;
        let logs = Logs::open(&folder, Lengths::default(), 0)?;
        let evaluations = Evaluations::open(folder.path(), 0)?;
        Ok(Run {
            learner: learner(&config, network, step_size),
            play: Play {
                started: 0,
                lanes: VecDeque::new(),
            },
            counts: Counts::default(),
            window: Window::default(),
            folder,
            config,
            provenance,
            logs,
            evaluations,
            saved: Instant::now(),
            diverged: false,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The configuration.
    pub fn config(&self) -> &TrainConfig {
        &self.config
    }

    /// The network, as it is trained.
    pub fn network(&self) -> Arc<NTuple<G>> {
        self.learner.network.clone()
    }

    /// Trains until all games are played or `interrupted` is set, and saves a checkpoint in both cases; or until a
    /// measurement is due.
    ///
    /// # Errors
    /// When the last checkpoint cannot be written (of one on the way `observe` is warned, and the next is
    /// tried in due time), or the system refuses the threads.
    pub fn train(
        &mut self,
        interrupted: &AtomicBool,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<End, TrainError> {
        let begun = (Instant::now(), self.counts.moves);
        // As when the measurement was broken off, or is wanted only now.
        if self.is_evaluation_due() && !interrupted.load(Relaxed) {
            return Ok(End::EvaluationDue);
        }
        loop {
            let played = self.play_until_checkpoint(interrupted, begun, observe);
            // Parts of games, which count as none, may go on after the last game.
            let complete = self.counts.games >= self.config.games && self.play.lanes.is_empty();
            let over = complete || interrupted.load(Relaxed) || played.is_err();
            // Before a checkpoint that is due as well, so that it knows of the measurement.
            if !over && self.is_evaluation_due() {
                return Ok(End::EvaluationDue);
            }
            observe(Progress::Saving(self.folder.checkpoint()));
            match self.save_checkpoint() {
                Ok(()) => (),
                Err(error) if over => return Err(error),
                Err(error) => observe(Progress::Warning(format!("{error}; training goes on"))),
            }
            self.saved = Instant::now();
            played?;
            if complete {
                return Ok(End::Complete);
            }
            if over {
                return Ok(End::Interrupted);
            }
        }
    }

    /// `begun` is when training began, and the moves at that time.
    fn play_until_checkpoint(
        &mut self,
        interrupted: &AtomicBool,
        begun: (Instant, u64),
        observe: &mut dyn FnMut(Progress),
    ) -> Result<(), TrainError> {
        let threads = self.config.threads.unwrap_or(1);
        // The last measurement is made when all is over.
        let most = match self.next_evaluation() {
            due if due < self.config.games => due.saturating_sub(self.counts.games),
            _ => u64::MAX,
        };
        let (segment, saved) = (Instant::now(), self.saved);
        let seconds_before = self.counts.seconds;
        let mut last_point = (segment, self.counts.moves);
        // Each trouble is told once, not with every game.
        let mut unlogged = false;
        let pause = AtomicBool::new(interrupted.load(Relaxed));
        let Run {
            learner,
            play,
            counts,
            window,
            logs,
            config,
            diverged,
            ..
        } = self;
        let played = learner.play(threads, most, play, &pause, |finished: Option<Finished>| {
            if interrupted.load(Relaxed) || saved.elapsed() >= config.checkpoint_every {
                pause.store(true, Relaxed);
            }
            counts.seconds = seconds_before + segment.elapsed().as_secs_f64();
            if let Some(game) = finished {
                counts.moves += game.moves;
                if !game.restarted {
                    window.push(game);
                    counts.games += 1;
                }
                if !game.error_sum.is_finite() && !std::mem::replace(diverged, true) {
                    let text = "training diverges: TD errors are no longer numbers; stop it, and begin again with a smaller --alpha";
                    observe(Progress::Warning(text.to_owned()));
                }
                let due = counts.games.is_multiple_of(config.log_every) || counts.games == config.games;
                if due && !game.restarted {
                    let rate = rate(counts.moves - last_point.1, last_point.0);
                    last_point = (Instant::now(), counts.moves);
                    let alpha = learner.step_of(counts.games).alpha;
                    match logs.log(&point(counts, window, config, alpha, rate)) {
                        Ok(()) => unlogged = false,
                        Err(error) if !std::mem::replace(&mut unlogged, true) => {
                            observe(Progress::Warning(format!("{error}; training goes on")));
                        }
                        Err(_) => (),
                    }
                }
            }
            observe(Progress::Playing {
                games: counts.games,
                mean_score: window.mean_score(),
                moves_per_second: rate(counts.moves - begun.1, begun.0),
                best_tile: tile(window.largest_rank),
            });
        });
        self.counts.seconds = seconds_before + segment.elapsed().as_secs_f64();
        played.map_err(|source| TrainError::Threads { threads, source })
    }

    fn save_checkpoint(&self) -> Result<(), TrainError> {
        let path = self.folder.checkpoint();
        self.logs
            .sync()
            .map_err(TrainError::folder("save the curves in", self.folder.path()))?;
        let game = self.learner.network.game();
        let state = TrainingState {
            config: self.config.to_toml()?,
            started: self.play.started,
            counts: self.counts,
            lanes: self
                .play
                .lanes
                .iter()
                .map(|lane| lane.state(game))
                .collect(),
            carousel: { self.learner.carousel.as_ref() }
                .map_or(Vec::new(), |carousel| carousel.state(game)),
            window: self.window.clone(),
            lengths: self.logs.lengths().clone(),
        };
        let state = state.encode().map_err(|error| FileError::Write {
            path: path.clone(),
            source: std::io::Error::other(error),
        })?;
        let (network, sums) = (&self.learner.network, self.learner.step_size.sums());
        let rules = &self.config.rules;
        network::save(&path, network, rules, self.provenance()?, sums, &state)?;
        Ok(())
    }

    /// Writes the model.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_model(&self) -> Result<Saved, TrainError> {
        self.save_network(&self.folder.model())
    }

    fn save_network(&self, path: &Path) -> Result<Saved, TrainError> {
        let (network, rules) = (&self.learner.network, &self.config.rules);
        let hash = network::save(path, network, rules, self.provenance()?, None, &[])?;
        let model = path.to_owned();
        Ok(Saved { model, hash })
    }

    /// The number of games after which the next measurement is due; beyond all games if none is wanted.
    fn next_evaluation(&self) -> u64 {
        let every = self.config.eval_every;
        match self.evaluations.last_games().checked_div(every) {
            None => u64::MAX,
            Some(made) => (made + 1).saturating_mul(every),
        }
    }

    fn is_evaluation_due(&self) -> bool {
        let games = self.counts.games;
        games >= self.next_evaluation() && games < self.config.games
    }

    /// Records a measurement of the player as it is now, and keeps the player if no earlier one was better and players
    /// are measured on the way. Says whether it is the best.
    ///
    /// # Errors
    /// When the best model or the curves cannot be written.
    pub fn record_evaluation(&mut self, evaluation: Evaluation) -> Result<bool, TrainError> {
        let last = self.counts.games >= self.config.games;
        let is_best = self.config.eval_every > 0 && self.evaluations.is_best(&evaluation);
        if is_best {
            // Before it is told of: what is said to be the best is there.
            self.save_network(&self.folder.best())?;
            self.evaluations.keep(&evaluation);
        }
        let added = self.evaluations.add(evaluation.clone());
        let logged = match last {
            true => self.logs.log_last_evaluation(&evaluation),
            false => self.logs.log_evaluation(&evaluation),
        };
        added.and(logged).map(|()| is_best)
    }

    /// The measurement of the player that is kept as the best.
    pub fn best_evaluation(&self) -> Option<&Evaluation> {
        self.evaluations.best()
    }

    /// What has been trained so far.
    pub fn summary(&self) -> Summary {
        Summary {
            games: self.counts.games,
            moves: self.counts.moves,
            seconds: self.counts.seconds,
            mean_score: self.window.mean_score(),
        }
    }

    fn provenance(&self) -> Result<Provenance, TrainError> {
        Ok(Provenance {
            threads: self.config.threads.unwrap_or(1),
            seed: self.config.seed,
            config: self.config.to_toml()?,
            games: self.counts.games,
            moves: self.counts.moves,
            seconds: self.counts.seconds,
            ..self.provenance.clone()
        })
    }
}

/// Whether the run's model has been saved after so many games. If not, its end was cut short.
fn has_model_of(folder: &Folder, games: u64) -> bool {
    let model = ModelFile::open(&folder.model());
    model.is_ok_and(|model| model.header().provenance.games >= games)
}

/// What there is before anything is learned.
fn untrained<G: Indexed>(
    game: &G,
    config: &TrainConfig,
) -> Result<(NTuple<G>, StepSize), TrainError> {
    let mut network = NTuple::staged(game, config.structure()?, config.stages.clone())?;
    // Zeros are there already, in memory that is not even taken up yet.
    if config.initial_value != 0.0 {
        network.fill(config.initial_value);
    }
    let step_size = StepSize::new(config.step_size, config.alpha_schedule(), &network)?;
    Ok((network, step_size))
}

fn learner<G: Indexed>(
    config: &TrainConfig,
    network: NTuple<G>,
    step_size: StepSize,
) -> Learner<G> {
    Learner {
        network: Arc::new(network),
        step_size,
        seed: derive_seed(config.seed, "training"),
        games: config.games,
        lanes: config.lanes,
        method: Method {
            returns: config.target.returns(),
            updates: config.updates,
            restarts: config.starts.restarts,
        },
        carousel: { config.starts.turns() }.then(|| Carousel::new(config.starts.carousel.clone())),
    }
}

/// Moves a second since some time.
fn rate(moves: u64, since: Instant) -> f64 {
    moves as f64 / since.elapsed().as_secs_f64().max(1e-9)
}

fn point(counts: &Counts, window: &Window, config: &TrainConfig, alpha: f32, rate: f64) -> Metrics {
    Metrics {
        games: counts.games,
        moves: counts.moves,
        seconds: counts.seconds,
        mean_score: window.mean_score(),
        max_score: window.max_score(),
        mean_moves: window.mean_moves(),
        max_tile: window.max_tile(),
        reach: window.reach(lowest_reach_rank(&config.rules)),
        moves_per_second: rate,
        td_error: window.td_error(),
        alpha: f64::from(alpha),
    }
}
