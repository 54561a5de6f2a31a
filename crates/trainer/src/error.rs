use network::{FileError, NetworkError};
use std::io;
use std::path::{Path, PathBuf};

/// Why training cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The configuration cannot be used.
    #[error("the configuration cannot be used: {0}")]
    Config(String),
    /// No such network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A model or checkpoint file cannot be used or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The system refused something in the run folder.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Folder {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A run of this name exists.
    #[error(
        "{path} exists already: give another --name, or --resume to go on with that run",
        path = .0.display()
    )]
    Exists(PathBuf),
    /// No run of this name exists.
    #[error("{path} is no run that could be resumed: it has neither checkpoint nor config.toml", path = .0.display())]
    NoRun(PathBuf),
    /// Another process trains this run.
    #[error("{path} is in use: another process is training this run", path = .0.display())]
    InUse(PathBuf),
    /// Not enough room for the run's files.
    #[error(
        "{path} has {available} MB of free space, this run needs {needed} MB (two checkpoints and the model): free some, or write elsewhere with --runs",
        path = path.display()
    )]
    NoSpace {
        /// The run folder.
        path: PathBuf,
        /// Free megabytes.
        available: u64,
        /// Megabytes needed.
        needed: u64,
    },
    /// All games of the run have been trained.
    #[error(
        "the run has trained {trained} of its {trained} games: give a total above that with --games to train on"
    )]
    Complete {
        /// Games trained.
        trained: u64,
    },
    /// More games have been started than are wanted.
    #[error(
        "the run has started {started} games already: give a total of at least that with --games"
    )]
    TooFewGames {
        /// Games started.
        started: u64,
    },
    /// The checkpoint is gone, but the run was not at its beginning.
    #[error(
        "{path} has a model but no checkpoint: training cannot go on from a model alone; train under another --name",
        path = .0.display()
    )]
    NoCheckpoint(PathBuf),
    /// `config.toml` is of another run than the checkpoint.
    #[error(
        "config.toml and checkpoint in {path} disagree: settings other than totals, threads and intervals cannot change, put the file back as it was, or delete it to go by the checkpoint",
        path = .0.display()
    )]
    Disagree(PathBuf),
    /// The system refused a thread.
    #[error("cannot start {threads} threads: {source}; all is saved, try fewer with --threads")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        source: io::Error,
    },
}

impl TrainError {
    /// For mapping an I/O error, saying what was tried on what.
    pub(crate) fn folder(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> TrainError + use<> {
        let path = path.to_owned();
        move |source| TrainError::Folder {
            action,
            path,
            source,
        }
    }
}
