//! The curves that grow with a run, and how they are kept in step with its checkpoint.

use crate::TrainError;
use crate::evaluations::Evaluation;
use crate::folder::{Folder, METRICS};
use crate::metrics::Metrics;
use crate::tensorboard::{EventFile, PREFIX};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

/// How long the growing files are, up to the last whole point. A checkpoint remembers it, and what a killed
/// process wrote after its last checkpoint is cut off again when the run is resumed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lengths {
    metrics: u64,
    /// Name and length of each event file.
    events: Vec<(String, u64)>,
}

/// What the name of an evaluation's event file ends with, before the number of games.
const EVALUATION: &str = "evaluation-";

/// The games after which an event file's evaluation was measured, if it is one.
fn evaluated_games(name: &str) -> Option<u64> {
    name.split_once(EVALUATION)?.1.parse().ok()
}

/// The growing files: `metrics.jsonl` and the TensorBoard events.
pub(crate) struct Logs {
    folder: PathBuf,
    lengths: Lengths,
    /// Games at the last sound point.
    games: u64,
    /// Begun with the first point, so that a process without one leaves no empty file.
    events: Option<EventFile>,
}

impl Logs {
    /// Goes on from the given lengths, at so many games; whatever is beyond them goes.
    pub(crate) fn open(folder: &Folder, lengths: Lengths, games: u64) -> Result<Logs, TrainError> {
        let logs = Logs {
            folder: folder.path().to_owned(),
            lengths,
            games,
            events: None,
        };
        logs.cut_back()
            .map_err(TrainError::folder("cut back the curves in", folder.path()))?;
        Ok(logs)
    }

    /// The lengths of all files at present.
    pub(crate) fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// Adds a line of metrics, and a point to each curve. If that fails, the files stay as they were.
    pub(crate) fn log(&mut self, metrics: &Metrics) -> Result<(), TrainError> {
        let lengths = self.lengths.clone();
        let mut write = || -> io::Result<()> {
            let mut line = serde_json::to_vec(metrics)?;
            line.push(b'\n');
            let path = self.folder.join(METRICS);
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(&line)?;
            self.lengths.metrics = file.metadata()?.len();
            self.log_events(&metrics.scalars(), metrics.games)
        };
        let written = write();
        self.all_or_nothing(written, lengths)
    }

    /// Adds points of a measurement on the way.
    pub(crate) fn log_evaluation(&mut self, evaluation: &Evaluation) -> Result<(), TrainError> {
        let lengths = self.lengths.clone();
        let written = self.log_events(&evaluation.scalars(), evaluation.games);
        self.all_or_nothing(written, lengths)
    }

    /// Writes points of a measurement after the last checkpoint to an event file of their own. It stays as long as the
    /// run is not set back to before that.
    pub(crate) fn log_last_evaluation(&self, evaluation: &Evaluation) -> Result<(), TrainError> {
        let games = evaluation.games;
        let write = || -> io::Result<()> {
            let mut events = EventFile::create(&self.folder, &format!("{EVALUATION}{games}"))?;
            for (tag, value) in evaluation.scalars() {
                events.scalar(&tag, value, games)?;
            }
            events.flush()
        };
        write().map_err(TrainError::folder("write the evaluation in", &self.folder))
    }

    /// Adds points to the event file, which is begun with the first.
    fn log_events(&mut self, scalars: &[(String, f64)], games: u64) -> io::Result<()> {
        let events = match &mut self.events {
            Some(events) => events,
            none => {
                let events = EventFile::create(&self.folder, "training")?;
                self.lengths.events.push((events.name().to_owned(), 0));
                none.insert(events)
            }
        };
        for (tag, value) in scalars {
            events.scalar(tag, *value, games)?;
        }
        events.flush()?;
        if let Some((name, length)) = self.lengths.events.last_mut() {
            *length = fs::metadata(self.folder.join(name))?.len();
        }
        self.games = games;
        Ok(())
    }

    /// If something could not be written, all of it is taken back.
    fn all_or_nothing(
        &mut self,
        written: io::Result<()>,
        lengths: Lengths,
    ) -> Result<(), TrainError> {
        written.map_err(|error| {
            self.lengths = lengths;
            self.events = None;
            // If that fails too, resuming will do it.
            let _ = self.cut_back();
            TrainError::folder("write the curves in", &self.folder)(error)
        })
    }

    /// Makes sure that what the lengths speak of is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let events = self.lengths.events.last().map(|(name, _)| name.as_str());
        for name in events
            .into_iter()
            .chain((self.lengths.metrics > 0).then_some(METRICS))
        {
            File::open(self.folder.join(name))?.sync_all()?;
        }
        Ok(())
    }

    fn cut_back(&self) -> io::Result<()> {
        let cut = |name: &str, length: u64| -> io::Result<()> {
            match OpenOptions::new().write(true).open(self.folder.join(name)) {
                // A file that is shorter already has lost its end to something else; there is no more to cut.
                Ok(file) if file.metadata()?.len() > length => file.set_len(length),
                Ok(_) => Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            }
        };
        cut(METRICS, self.lengths.metrics)?;
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
                continue;
            };
            match self.lengths.events.iter().find(|(known, _)| known == name) {
                Some((_, length)) => cut(name, *length)?,
                None if evaluated_games(name).is_some_and(|games| games <= self.games) => (),
                None => fs::remove_file(self.folder.join(name))?,
            }
        }
        Ok(())
    }
}
