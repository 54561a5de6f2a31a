//! How commands fail, and with which exit code.

use crate::progress::note;
use evaluation::SpecError;
use network::{FileError, NetworkError};
use std::io;
use std::process::ExitCode;
use trainer::TrainError;

/// Why a command did not do what was asked.
pub(crate) enum Failure {
    /// What was asked cannot be done by anyone: exit code 2.
    Usage(anyhow::Error),
    /// It failed: exit code 1.
    Failed(anyhow::Error),
    /// The user stopped it, and all is saved: exit code 130.
    Interrupted,
    /// Nobody reads the output any more, as after `| head`: no fault.
    OutputClosed,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::Usage(anyhow::Error::msg(message.into()))
    }

    pub(crate) fn failed(message: impl Into<String>) -> Failure {
        Failure::Failed(anyhow::Error::msg(message.into()))
    }

    /// Prints the message, if there is one, and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (error, code) = match self {
            Failure::Usage(error) => (error, 2),
            Failure::Failed(error) => (error, 1),
            Failure::Interrupted => return ExitCode::from(130),
            Failure::OutputClosed => return ExitCode::SUCCESS,
        };
        note(&format!("error: {error}"));
        ExitCode::from(code)
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Failure {
        match error {
            TrainError::Config(_)
            | TrainError::Exists(_)
            | TrainError::NoRun(_)
            | TrainError::Complete { .. }
            | TrainError::TooFewGames { .. }
            | TrainError::Network(
                NetworkError::Structure(_)
                | NetworkError::Stages { .. }
                | NetworkError::TooLarge { .. },
            ) => Failure::Usage(error.into()),
            _ => Failure::Failed(error.into()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::Failed(error.into())
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Failure {
        match error {
            SpecError::Value(_) => Failure::Failed(error.into()),
            _ => Failure::Usage(error.into()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::failed(format!("cannot write the output: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::from(io::Error::from(error))
    }
}
