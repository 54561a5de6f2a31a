//! The run folder and its files.

use crate::TrainError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a run folder with its configuration.
pub const CONFIG: &str = "config.toml";
/// The file of a run folder that training goes on from.
pub const CHECKPOINT: &str = "checkpoint";
/// The file of a run folder with the trained network.
pub const MODEL: &str = "model";
/// The file of a run folder with the network that did best of all that were measured, if training was measured on its way.
pub const BEST: &str = "best";
/// The file of a run folder with its curves, a [`crate::Metrics`] a line.
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

    pub(crate) fn best(&self) -> PathBuf {
        self.path.join(BEST)
    }

    /// Writes the configuration beside the old one, then in its place.
    pub(crate) fn write_config(&self, text: &str) -> Result<(), TrainError> {
        let path = self.path.join(CONFIG);
        replace(&path, text.as_bytes()).map_err(TrainError::folder("write", &path))
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

/// Writes a file beside the old one, then in its place.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let mut file = File::create(&partial)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&partial, path)
}

/// Whether nothing was ever written there, as when a process was killed before its first file.
fn is_blank(path: &Path) -> bool {
    let entries =
        fs::read_dir(path).map(|entries| entries.flatten().map(|entry| entry.file_name()));
    entries
        .is_ok_and(|mut names| names.all(|name| name == ".lock" || name == "config.toml.partial"))
}
