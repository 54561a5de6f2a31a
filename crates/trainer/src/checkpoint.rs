use crate::folder::Lengths;
use crate::lane::LaneState;
use crate::metrics::Window;
use serde::{Deserialize, Serialize};

/// All of a run's state but the weights and the sums of temporal coherence, which a checkpoint file holds as
/// tables.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrainingState {
    /// The configuration, as TOML.
    pub(crate) config: String,
    pub(crate) started: u64,
    pub(crate) counts: Counts,
    pub(crate) lanes: Vec<LaneState>,
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
