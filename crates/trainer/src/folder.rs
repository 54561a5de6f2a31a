//! The run folder: its files, and how they are kept in step with the checkpoint.

use crate::TrainError;
use crate::metrics::Metrics;
use crate::tensorboard::{EventFile, PREFIX};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a run folder with its configuration.
pub const CONFIG: &str = "config.toml";
/// The file of a run folder that training goes on from.
pub const CHECKPOINT: &str = "checkpoint";
/// The file of a run folder with the trained network.
pub const MODEL: &str = "model";
/// The file of a run folder with its curves, a [`Metrics`] a line.
pub const METRICS: &str = "metrics.jsonl";

/// A run's folder, locked against a second process.
pub(crate) struct Folder {
    path: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

impl Folder {
    /// Makes the folder of a new run.
    pub(crate) fn create(path: &Path) -> Result<Folder, TrainError> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(TrainError::folder("create", parent))?;
        }
        match fs::create_dir(path) {
            Ok(()) => (),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_blank(path) {
                    return Err(TrainError::Exists(path.to_owned()));
                }
            }
            Err(source) => return Err(TrainError::folder("create", path)(source)),
        }
        Folder::lock(path)
    }

    /// Opens the folder of an existing run.
    pub(crate) fn open(path: &Path) -> Result<Folder, TrainError> {
        if ![CHECKPOINT, CONFIG]
            .iter()
            .any(|name| path.join(name).is_file())
        {
            return Err(TrainError::NoRun(path.to_owned()));
        }
        Folder::lock(path)
    }

    fn lock(path: &Path) -> Result<Folder, TrainError> {
        let lock_path = path.join(".lock");
        let lock = File::create(&lock_path).map_err(TrainError::folder("write", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(fs::TryLockError::WouldBlock) => Err(TrainError::InUse(path.to_owned())),
            Err(fs::TryLockError::Error(source)) => {
                Err(TrainError::folder("lock", &lock_path)(source))
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    pub(crate) fn model(&self) -> PathBuf {
        self.path.join(MODEL)
    }

    /// Writes the configuration beside the old one, then in its place.
    pub(crate) fn write_config(&self, text: &str) -> Result<(), TrainError> {
        let (path, partial) = (
            self.path.join(CONFIG),
            self.path.join("config.toml.partial"),
        );
        let write = || -> io::Result<()> {
            let mut file = File::create(&partial)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(TrainError::folder("write", &path))
    }

    /// Checks that there is room for files of that many bytes.
    pub(crate) fn expect_space(&self, needed: u64) -> Result<(), TrainError> {
        // Where the system does not say, the writing itself will.
        match fs4::available_space(&self.path) {
            Ok(available) if available < needed => Err(TrainError::NoSpace {
                path: self.path.clone(),
                available: available >> 20,
                needed: needed.div_ceil(1 << 20),
            }),
            _ => Ok(()),
        }
    }
}

/// Whether nothing was ever written there, as when a process was killed before its first file.
fn is_blank(path: &Path) -> bool {
    let entries =
        fs::read_dir(path).map(|entries| entries.flatten().map(|entry| entry.file_name()));
    entries
        .is_ok_and(|mut names| names.all(|name| name == ".lock" || name == "config.toml.partial"))
}

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
            folder: folder.path.clone(),
            lengths,
            games,
            events: None,
        };
        logs.cut_back()
            .map_err(TrainError::folder("cut back the curves in", &folder.path))?;
        Ok(logs)
    }

    /// The lengths of all files at present.
    pub(crate) fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// Adds a line of metrics, and a point to each curve. If that fails, the files stay as they were.
    pub(crate) fn log(&mut self, metrics: &Metrics) -> Result<(), TrainError> {
        let failed = TrainError::folder("write the curves in", &self.folder);
        self.try_log(metrics).map_err(|error| {
            self.events = None;
            // If that fails too, resuming will do it.
            let _ = self.cut_back();
            failed(error)
        })
    }

    fn try_log(&mut self, metrics: &Metrics) -> io::Result<()> {
        let mut lengths = self.lengths.clone();
        let mut line = serde_json::to_vec(metrics)?;
        line.push(b'\n');
        let path = self.folder.join(METRICS);
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(&line)?;
        lengths.metrics = file.metadata()?.len();
        let events = match &mut self.events {
            Some(events) => events,
            none => {
                let events = EventFile::create(&self.folder, "training")?;
                lengths.events.push((events.name().to_owned(), 0));
                none.insert(events)
            }
        };
        for (tag, value) in metrics.scalars() {
            events.scalar(&tag, value, metrics.games)?;
        }
        events.flush()?;
        if let Some((name, length)) = lengths.events.last_mut() {
            *length = fs::metadata(self.folder.join(name))?.len();
        }
        (self.lengths, self.games) = (lengths, metrics.games);
        Ok(())
    }

    /// Writes points that were measured after `games` games to an event file of their own. It stays as long as
    /// the run is not set back to before that.
    pub(crate) fn log_evaluation(
        &self,
        games: u64,
        scalars: &[(String, f64)],
    ) -> Result<(), TrainError> {
        let write = || -> io::Result<()> {
            let mut events = EventFile::create(&self.folder, &format!("{EVALUATION}{games}"))?;
            for (tag, value) in scalars {
                events.scalar(tag, *value, games)?;
            }
            events.flush()
        };
        write().map_err(TrainError::folder("write the evaluation in", &self.folder))
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
