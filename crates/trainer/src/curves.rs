//! The curves of a run, read back.

use crate::evaluations::EVALUATIONS;
use crate::folder::METRICS;
use crate::{Evaluation, Metrics, TrainError};
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

/// What a run has written of its learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Points of the training curves.
    pub training: Vec<Metrics>,
    /// Measurements.
    pub evaluations: Vec<Evaluation>,
}

/// The curves of the run in a folder, also while it is trained.
///
/// # Errors
/// When they cannot be read.
pub fn curves(folder: &Path) -> Result<Curves, TrainError> {
    Ok(Curves {
        training: read_lines(folder, METRICS)?,
        evaluations: read_lines(folder, EVALUATIONS)?,
    })
}

/// The lines of a file, none if it is not there. What follows the last line end is not whole yet.
pub(crate) fn read_lines<T: DeserializeOwned>(
    folder: &Path,
    name: &str,
) -> Result<Vec<T>, TrainError> {
    let path = folder.join(name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(TrainError::folder("read", &path)(error)),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let lines = whole.lines().zip(1..);
    let read = lines.map(|(line, number)| {
        serde_json::from_str(line).map_err(|error| {
            let error = io::Error::other(format!("line {number} is damaged ({error})"));
            TrainError::folder("read", &path)(error)
        })
    });
    read.collect()
}
