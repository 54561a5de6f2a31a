use crate::checkpoint::{Counts, TrainingState};
use crate::folder::{Folder, Lengths, Logs};
use crate::lane::Lane;
use crate::metrics::{Finished, Metrics, Window};
use crate::self_play::{Learner, Play};
use crate::step_size::StepSize;
use crate::{StepSizeRule, TrainConfig, TrainError};
use engine::{derive_seed, tile};
use network::{FileError, Indexed, ModelFile, NTuple, Provenance};
use std::path::{Path, PathBuf};
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
}

/// How [`Run::train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games have been trained.
    Complete,
    /// It was told to stop, and has saved everything.
    Interrupted,
}

/// What a run tells while it trains.
#[derive(Clone, Debug)]
pub enum Progress {
    /// How far it is, several times a second.
    Playing {
        /// Games trained.
        games: u64,
        /// Mean score of the last 1,000 games.
        mean_score: f64,
        /// Moves a second since training began or was resumed.
        moves_per_second: f64,
        /// The largest tile of the run.
        best_tile: u64,
    },
    /// A file is being saved, which can take some seconds.
    Saving(PathBuf),
    /// Something could not be written; training goes on.
    Warning(String),
}

/// What a run has trained.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Finished games.
    pub games: u64,
    /// Moves of finished games.
    pub moves: u64,
    /// Seconds of training, without saving.
    pub seconds: f64,
    /// Mean score of the last 1,000 games.
    pub mean_score: f64,
}

/// What a finished run has written.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The model file.
    pub model: PathBuf,
    /// Its checksum.
    pub hash: u64,
}

/// The configuration of the run in a folder.
///
/// # Errors
/// When there is no run, or its files are damaged.
pub fn stored_config(path: &Path) -> Result<TrainConfig, TrainError> {
    let checkpoint = path.join("checkpoint");
    if checkpoint.exists() {
        let text = ModelFile::open(&checkpoint)?
            .state::<TrainingState>()?
            .config;
        return TrainConfig::from_toml(&text).map_err(|error| {
            let reason = error.to_string();
            FileError::Unsuitable {
                path: checkpoint,
                reason,
            }
            .into()
        });
    }
    let config = path.join("config.toml");
    if !config.is_file() {
        return Err(TrainError::NoRun(path.to_owned()));
    }
    let text = std::fs::read_to_string(&config).map_err(TrainError::folder("read", &config))?;
    TrainConfig::from_toml(&text)
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
        let network = NTuple::new(game, config.structure()?)?;
        let step_size = StepSize::new(config.step_size, &network)?;
        let folder = Folder::create(path)?;
        Run::begin(folder, config, network, step_size, provenance).inspect_err(|_| {
            // It is new and holds nothing; what cannot be removed from it hurts nobody.
            let _ = std::fs::remove_dir_all(path);
        })
    }

    /// Goes on with the run in a folder, from its checkpoint, or from its first game if there is none yet.
    /// `config` is the stored one; only games, threads and intervals may have been changed.
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
            let network = NTuple::new(game, config.structure()?)?;
            let step_size = StepSize::new(config.step_size, &network)?;
            return Run::begin(folder, config, network, step_size, provenance);
        }
        let file = ModelFile::open(&checkpoint)?;
        let state: TrainingState = file.state()?;
        if state.counts.games >= config.games {
            return Err(TrainError::Complete {
                trained: state.counts.games,
            });
        }
        let unsuitable = |reason: &str| FileError::Unsuitable {
            path: checkpoint.clone(),
            reason: reason.to_owned(),
        };
        let (network, sums) = file.load_for_training(game)?;
        let step_size = match (config.step_size, sums) {
            (StepSizeRule::Constant, None) => StepSize::Constant,
            (StepSizeRule::Tc, Some(sums)) => StepSize::Tc(sums),
            _ => return Err(unsuitable("its tables are not those of its step-size rule").into()),
        };
        let lanes = state
            .lanes
            .into_iter()
            .map(|lane| Lane::restore(&network, lane));
        let lanes = lanes.collect::<Option<Vec<_>>>();
        let lanes = lanes.ok_or_else(|| unsuitable("it holds no positions of its game"))?;
        let logs = Logs::open(&folder, state.lengths)?;
        let run = Run {
            learner: learner(&config, network, step_size),
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
        };
        run.folder.write_config(&run.config.to_toml())?;
        Ok(run)
    }

    fn begin(
        folder: Folder,
        config: TrainConfig,
        network: NTuple<G>,
        step_size: StepSize,
        provenance: Provenance,
    ) -> Result<Run<G>, TrainError> {
        folder.write_config(&config.to_toml())?;
        let model = 4 * network.entries();
        let checkpoint = match step_size {
            StepSize::Constant => model,
            StepSize::Tc(_) => 3 * model,
        };
        // The new checkpoint lies beside the old one until it is complete.
        folder.expect_space(2 * checkpoint + model)?;
        let logs = Logs::open(&folder, Lengths::default())?;
        Ok(Run {
            learner: learner(&config, network, step_size),
            play: Play {
                started: 0,
                lanes: Vec::new(),
            },
            counts: Counts::default(),
            window: Window::default(),
            folder,
            config,
            provenance,
            logs,
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

    /// Trains until all games are played or `interrupted` is set, and saves a checkpoint in both cases.
    ///
    /// # Errors
    /// When the last checkpoint cannot be written. (Of one on the way `observe` is warned, and the next is
    /// tried in due time.)
    pub fn train(
        &mut self,
        interrupted: &AtomicBool,
        observe: &mut dyn FnMut(Progress),
    ) -> Result<End, TrainError> {
        let begun = (Instant::now(), self.counts.moves);
        loop {
            self.play_until_checkpoint(interrupted, begun, observe);
            let complete = self.counts.games >= self.config.games;
            let over = complete || interrupted.load(Relaxed);
            observe(Progress::Saving(self.folder.checkpoint()));
            match self.save_checkpoint() {
                Ok(()) => (),
                Err(error) if over => return Err(error),
                Err(error) => observe(Progress::Warning(error.to_string())),
            }
            if complete {
                return Ok(End::Complete);
            }
            if over {
                return Ok(End::Interrupted);
            }
        }
    }

    fn play_until_checkpoint(
        &mut self,
        interrupted: &AtomicBool,
        begun: (Instant, u64),
        observe: &mut dyn FnMut(Progress),
    ) {
        let threads = self.config.threads.unwrap_or(1);
        let segment = Instant::now();
        let seconds_before = self.counts.seconds;
        let mut last_point = (segment, self.counts.moves);
        let mut last_shown = segment;
        let pause = AtomicBool::new(interrupted.load(Relaxed));
        let Run {
            learner,
            play,
            counts,
            window,
            logs,
            config,
            ..
        } = self;
        learner.play(threads, play, &pause, |finished: Option<Finished>| {
            if interrupted.load(Relaxed) || segment.elapsed() >= config.checkpoint_every {
                pause.store(true, Relaxed);
            }
            counts.seconds = seconds_before + segment.elapsed().as_secs_f64();
            if let Some(game) = finished {
                window.push(game);
                counts.games += 1;
                counts.moves += game.moves;
                if counts.games % config.log_every == 0 || counts.games == config.games {
                    let rate =
                        (counts.moves - last_point.1) as f64 / last_point.0.elapsed().as_secs_f64();
                    last_point = (Instant::now(), counts.moves);
                    let alpha = learner.alpha_of(counts.games);
                    let metrics = point(counts, window, config, alpha, rate);
                    let logged = logs.log(Some(&metrics), metrics.games, &scalars(&metrics));
                    if let Err(error) = logged {
                        observe(Progress::Warning(error.to_string()));
                    }
                }
            }
            if last_shown.elapsed().as_millis() >= 100 {
                last_shown = Instant::now();
                observe(Progress::Playing {
                    games: counts.games,
                    mean_score: window.mean_score(),
                    moves_per_second: (counts.moves - begun.1) as f64
                        / begun.0.elapsed().as_secs_f64(),
                    best_tile: tile(window.largest_rank),
                });
            }
        });
        counts.seconds = seconds_before + segment.elapsed().as_secs_f64();
    }

    fn save_checkpoint(&self) -> Result<(), TrainError> {
        let path = self.folder.checkpoint();
        let lanes = self
            .play
            .lanes
            .iter()
            .map(|lane| lane.state(self.learner.network.game()));
        let state = TrainingState {
            config: self.config.to_toml(),
            started: self.play.started,
            counts: self.counts,
            lanes: lanes.collect(),
            window: self.window.clone(),
            lengths: self.logs.lengths().clone(),
        };
        let state = state.encode().map_err(|error| FileError::Write {
            path: path.clone(),
            source: std::io::Error::other(error),
        })?;
        let sums = match &self.learner.step_size {
            StepSize::Constant => None,
            StepSize::Tc(sums) => Some(sums),
        };
        network::save(
            &path,
            &self.learner.network,
            self.provenance(),
            sums,
            &state,
        )?;
        Ok(())
    }

    /// Writes the model.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_model(&self) -> Result<Saved, TrainError> {
        let model = self.folder.model();
        let hash = network::save(&model, &self.learner.network, self.provenance(), None, &[])?;
        Ok(Saved { model, hash })
    }

    /// Adds points to curves of other origin, such as the evaluation of the trained player.
    ///
    /// # Errors
    /// When the event file cannot be written.
    pub fn log_scalars(&mut self, scalars: &[(String, f64)]) -> Result<(), TrainError> {
        self.logs.log(None, self.counts.games, scalars)
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

    fn provenance(&self) -> Provenance {
        Provenance {
            threads: self.config.threads.unwrap_or(1),
            seed: self.config.seed,
            config: self.config.to_toml(),
            games: self.counts.games,
            moves: self.counts.moves,
            seconds: self.counts.seconds,
            ..self.provenance.clone()
        }
    }
}

fn learner<G: Indexed>(
    config: &TrainConfig,
    network: NTuple<G>,
    step_size: StepSize,
) -> Learner<G> {
    Learner {
        network: Arc::new(network),
        step_size,
        alpha: config.alpha_schedule(),
        seed: derive_seed(config.seed, "training"),
        games: config.games,
    }
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
        reach: window.reach(config.rules.target_rank().saturating_sub(2).max(1)),
        moves_per_second: rate,
        td_error: window.td_error(),
        alpha: f64::from(alpha),
    }
}

/// The curves of TensorBoard, with the tags that Stable-Baselines3 made common. Steps are games.
fn scalars(metrics: &Metrics) -> Vec<(String, f64)> {
    let fixed = [
        ("rollout/ep_rew_mean", metrics.mean_score),
        ("rollout/ep_len_mean", metrics.mean_moves),
        ("rollout/max_tile", metrics.max_tile as f64),
        ("time/fps", metrics.moves_per_second),
        ("time/total_timesteps", metrics.moves as f64),
        ("train/td_error", metrics.td_error),
        ("train/learning_rate", metrics.alpha),
    ];
    let fixed = fixed.map(|(tag, value)| (tag.to_owned(), value));
    let reach = metrics
        .reach
        .iter()
        .map(|(tile, rate)| (format!("rollout/reach_{tile}"), *rate));
    fixed.into_iter().chain(reach).collect()
}
