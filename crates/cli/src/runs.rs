//! Names of runs in the folder that holds them, and what can be played from.

use crate::failure::Failure;
use crate::shipped;
use network::ModelFile;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use trainer::{CHECKPOINT, CONFIG, MODEL};

/// The folder of the run with this name.
pub(crate) fn named(runs: &Path, name: &str) -> Result<PathBuf, Failure> {
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        return Err(Failure::usage(format!(
            "'{name}' cannot be the name of a run: it becomes a folder in {}, of letters, digits, '.', '_' and '-', and begins with a letter or digit",
            runs.display()
        )));
    }
    Ok(runs.join(name))
}

/// The number after the largest that a run has. It may be taken by the time it is used, or by a name so long that
/// it was not read as a number: then the next is to be tried.
pub(crate) fn next_number(runs: &Path) -> u64 {
    let names = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.map(u64::from).max().unwrap_or(0) + 1
}

/// All runs, the one that was worked on last first.
fn by_time(runs: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(runs).into_iter().flatten().flatten();
    let touched = |run: &PathBuf| -> Option<SystemTime> {
        let files = [CONFIG, CHECKPOINT, MODEL].map(|file| run.join(file));
        files
            .iter()
            .filter_map(|file| file.metadata().ok()?.modified().ok())
            .max()
    };
    let runs = folders.map(|entry| entry.path());
    let mut runs: Vec<_> = runs.filter_map(|run| Some((touched(&run)?, run))).collect();
    runs.sort_unstable();
    runs.into_iter().rev().map(|(_, run)| run).collect()
}

/// The run that was worked on last.
pub(crate) fn latest(runs: &Path) -> Option<PathBuf> {
    by_time(runs).into_iter().next()
}

/// The model that a path means: the file itself, or in a run folder the model, unless the run was resumed and
/// its checkpoint has seen more games since; or the name of a model that ships, where there is no such file.
pub(crate) fn model_file(path: &Path) -> PathBuf {
    let (model, checkpoint) = (path.join(MODEL), path.join(CHECKPOINT));
    let games = |file: &Path| {
        ModelFile::open(file)
            .ok()
            .map(|file| file.header().provenance.games)
    };
    match (model.is_file(), checkpoint.is_file()) {
        // A damaged model stays the one that is meant, and is complained of.
        (true, true) if games(&model).is_some_and(|trained| games(&checkpoint) > Some(trained)) => {
            checkpoint
        }
        (true, _) => model,
        (false, true) => checkpoint,
        (false, false) if path.exists() => path.to_owned(),
        (false, false) => shipped::find(path).unwrap_or_else(|| path.to_owned()),
    }
}

/// As [`model_file`], but says so if that is a model that ships and is not there.
pub(crate) fn find_model(path: &Path) -> Result<PathBuf, String> {
    match shipped::missing(path) {
        Some(missing) => Err(missing),
        None => Ok(model_file(path)),
    }
}

/// The latest run that can be played from.
pub(crate) fn latest_playable(runs: &Path) -> Option<PathBuf> {
    by_time(runs)
        .into_iter()
        .find(|run| model_file(run).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_from_the_largest() {
        let runs = tempfile::tempdir().expect("a folder");
        assert_eq!(next_number(&runs.path().join("missing")), 1);
        for name in ["002", "7", "README.md", "best", "99999999999"] {
            std::fs::create_dir(runs.path().join(name)).expect("a folder");
        }
        assert_eq!(next_number(runs.path()), 8);
        std::fs::create_dir(runs.path().join(u32::MAX.to_string())).expect("a folder");
        assert_eq!(next_number(runs.path()), 4_294_967_296);
    }

    #[test]
    fn names_are_plain() {
        assert!(
            named(Path::new("runs"), "a.b-1_c").is_ok_and(|path| path == Path::new("runs/a.b-1_c"))
        );
        for name in [
            "", ".", "..", ".hidden", "a/b", "/tmp", "-x", "a b", "a,b", "$HOME",
        ] {
            assert!(named(Path::new("runs"), name).is_err(), "{name}");
        }
    }
}
