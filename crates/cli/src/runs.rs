//! Names of runs in the folder that holds them.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The files of a run that can be played from, the better first.
const PLAYABLE: [&str; 2] = ["model", "checkpoint"];

/// The folder of the run with this name.
pub(crate) fn named(runs: &Path, name: &str) -> Result<PathBuf, Failure> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\']);
    if !plain {
        return Err(Failure::usage(format!(
            "'{name}' cannot be the name of a run: it is the name of a folder in {}, without '/' and not beginning with '.'",
            runs.display()
        )));
    }
    Ok(runs.join(name))
}

/// The first number that no run has yet, counting from the largest.
pub(crate) fn next_number(runs: &Path) -> String {
    let names = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    format!("{:03}", numbers.max().unwrap_or(0).saturating_add(1))
}

/// The run that was worked on last.
pub(crate) fn latest(runs: &Path) -> Option<PathBuf> {
    let folders = std::fs::read_dir(runs)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let touched = |run: &PathBuf| -> Option<SystemTime> {
        let files = ["config.toml", "checkpoint", "model"].map(|file| run.join(file));
        let times = files
            .iter()
            .filter_map(|file| file.metadata().ok()?.modified().ok());
        times.max()
    };
    folders
        .filter_map(|run| Some((touched(&run)?, run)))
        .max()
        .map(|(_, run)| run)
}

/// The model that a path means: the file itself, or what can be played from in a run folder.
pub(crate) fn model_file(path: &Path) -> PathBuf {
    let inside = PLAYABLE.map(|name| path.join(name));
    inside
        .into_iter()
        .find(|file| file.is_file())
        .unwrap_or_else(|| path.to_owned())
}

/// The model of the latest run that has one.
pub(crate) fn latest_model(runs: &Path) -> Option<PathBuf> {
    let model = model_file(&latest(runs)?);
    model.is_file().then_some(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_from_the_largest() {
        let runs = tempfile::tempdir().expect("a folder");
        assert_eq!(next_number(&runs.path().join("missing")), "001");
        for name in ["002", "7", "README.md", "best"] {
            std::fs::create_dir(runs.path().join(name)).expect("a folder");
        }
        assert_eq!(next_number(runs.path()), "008");
    }

    #[test]
    fn names_are_plain() {
        assert!(
            named(Path::new("runs"), "a b-1").is_ok_and(|path| path == Path::new("runs/a b-1"))
        );
        for name in ["", ".", "..", ".hidden", "a/b", "/tmp"] {
            assert!(named(Path::new("runs"), name).is_err(), "{name}");
        }
    }
}
