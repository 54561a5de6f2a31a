//! What a run says of itself.

use std::path::PathBuf;

/// How [`crate::Run::train`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games have been trained.
    Complete,
    /// It was told to stop, and has saved everything.
    Interrupted,
    /// It is time for a measurement, see [`crate::TrainConfig::eval_every`]. The games under way wait; once the measurement
    /// is recorded, training can go on as if nothing had happened. Nothing was saved for it.
    EvaluationDue,
}

/// What a run tells while it trains.
#[derive(Clone, Debug)]
pub enum Progress {
    /// How far it is: after every game, and several times a second.
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
    /// Something is wrong, but training goes on.
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
    /// The checksum of its tables.
    pub hash: u64,
}
