//! What is stored of a run beside its tables.

use crate::folder::{CHECKPOINT, CONFIG};
use crate::lane::LaneState;
use crate::logs::Lengths;
use crate::metrics::Window;
use crate::{TrainConfig, TrainError};
use network::{FileError, ModelFile};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// All of a run's state but the weights and the sums of temporal coherence, which a checkpoint file holds as
/// tables.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrainingState {
    /// The configuration, as TOML.
    pub(crate) config: String,
    /// Games begun, finished or not.
    pub(crate) started: u64,
    pub(crate) counts: Counts,
    pub(crate) lanes: Vec<LaneState>,
    /// The positions on the carousel by stage, as ranks; empty without one.
    pub(crate) carousel: Vec<Vec<Vec<u8>>>,
    pub(crate) window: Window,
    pub(crate) lengths: Lengths,
}

/// What has been trained so far.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Finished games.
    pub(crate) games: u64,
    /// Moves of finished games.
    pub(crate) moves: u64,
    /// Seconds of training.
    pub(crate) seconds: f64,
}

impl TrainingState {
    pub(crate) fn encode(&self) -> Result<Vec<u8>, bincode::error::EncodeError> {
        bincode::serde::encode_to_vec(self, bincode::config::standard())
    }
}

/// The configuration of the run in a folder: the checkpoint's, or that of `config.toml` if there is none yet.
///
/// # Errors
/// When there is no run, its files are damaged, or they are of different runs.
pub fn stored_config(folder: &Path) -> Result<TrainConfig, TrainError> {
    let (checkpoint, file) = (folder.join(CHECKPOINT), folder.join(CONFIG));
    let written = match fs::read_to_string(&file) {
        Ok(text) => Some(TrainConfig::from_toml(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(TrainError::folder("read", &file)(error)),
    };
    if !checkpoint.exists() {
        let config = written.ok_or_else(|| TrainError::NoRun(folder.to_owned()))?;
        return config.map_err(|error| unsuitable(&file, error));
    }
    let text = ModelFile::open(&checkpoint)?
        .state::<TrainingState>()?
        .config;
    let config = TrainConfig::from_toml(&text).map_err(|error| unsuitable(&checkpoint, error))?;
    match written {
        Some(Ok(written)) if !written.is_of_same_run(&config) => {
            Err(TrainError::Disagree(folder.to_owned()))
        }
        Some(Err(_)) => Err(TrainError::Disagree(folder.to_owned())),
        _ => Ok(config),
    }
}

/// A file of a run that cannot be what the run wrote.
pub(crate) fn unsuitable(path: &Path, reason: impl ToString) -> TrainError {
    let (path, reason) = (path.to_owned(), reason.to_string());
    FileError::Unsuitable { path, reason }.into()
}
