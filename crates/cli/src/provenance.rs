//! What says where a number or a model comes from.

use network::Provenance;
use serde::Serialize;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The git revision that it was built from.
pub(crate) const REVISION: &str = env!("AFTERSTATE_REVISION");

/// The command line as typed, the program by its name.
pub(crate) fn command() -> String {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| quoted(&argument.to_string_lossy()));
    let words: Vec<String> = std::iter::once("afterstate".to_owned())
        .chain(arguments)
        .collect();
    words.join(" ")
}

/// The program as it was called, for commands that are to work as printed.
pub(crate) fn program() -> String {
    let program = std::env::args_os().next();
    program.map_or("afterstate".to_owned(), |program| {
        quoted(&program.to_string_lossy())
    })
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The processor's name, or its architecture where the system does not tell.
pub(crate) fn processor() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// What repeats a result that is printed as JSON.
#[derive(Serialize)]
pub(crate) struct Origin {
    pub(crate) command: String,
    pub(crate) version: &'static str,
    pub(crate) revision: &'static str,
    pub(crate) processor: String,
}

impl Origin {
    /// Of what this process makes.
    pub(crate) fn here() -> Origin {
        Origin {
            command: command(),
            version: VERSION,
            revision: REVISION,
            processor: processor(),
        }
    }
}

/// The part of a model's provenance that is the program's.
pub(crate) fn of_program() -> Provenance {
    Provenance {
        version: VERSION.to_owned(),
        revision: REVISION.to_owned(),
        command: command(),
        processor: processor(),
        ..Provenance::default()
    }
}
