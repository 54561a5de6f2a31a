//! The folder of a report.

use super::{Output, games};
use crate::beside::write_into;
use crate::failure::Failure;
use evaluation::{Figure, FigureError, Report, ScoreAxis};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file with all numbers.
pub(crate) const REPORT: &str = "report.json";
/// The file for people.
const TEXT: &str = "report.md";
/// The file with a row a game.
const GAMES: &str = "games.csv";

/// Whether a report has a file of this name.
fn is_part(name: &OsStr) -> bool {
    let figure = |figure: &str| {
        [".svg", ".png"]
            .iter()
            .any(|end| *name == *(figure.to_owned() + end))
    };
    [TEXT, REPORT, GAMES].iter().any(|file| *name == **file)
        || Figure::names_of_report().any(figure)
}

/// A folder for a report.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes it, if it is not there. One that holds something else than a report is refused: nothing of the user's is
    /// overwritten.
    pub(crate) fn create(path: &Path) -> Result<Folder, Failure> {
        let failed = |error: io::Error| unwritable(path, &error);
        fs::create_dir_all(path).map_err(failed)?;
        for entry in fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            if !hidden && !is_part(&name) {
                return Err(Failure::usage(format!(
                    "{} holds {}, which is no part of a report: choose a new folder for --out",
                    path.display(),
                    name.display()
                )));
            }
        }
        // Whether it can be written into is better known before the games than after.
        tempfile::tempfile_in(path).map_err(failed)?;
        Ok(Folder(path.to_owned()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the report with its figures, each file beside its place and then put there.
    pub(crate) fn write(&self, output: &Output, axis: ScoreAxis) -> Result<(), Failure> {
        let failed = |error: io::Error| unwritable(&self.0, &error);
        let json = serde_json::to_vec_pretty(output)?;
        let csv = games::write(&output.report).map_err(|error| failed(error.into()))?;
        let text = output.markdown().into_bytes();
        let files = [(TEXT, text), (REPORT, json), (GAMES, csv)];
        let mut files: Vec<_> = { files.into_iter() }
            .map(|(name, content)| (name.to_owned(), content))
            .collect();
        files.extend(drawn(Figure::of_report(&output.report, axis))?);
        write_into(&self.0, &files).map_err(failed)
    }
}

/// How the scores of a report are drawn.
pub(crate) fn axis(logarithmic: bool) -> ScoreAxis {
    match logarithmic {
        true => ScoreAxis::Logarithmic,
        false => ScoreAxis::Linear,
    }
}

/// Draws figures into a folder; says what the files are called.
pub(crate) fn draw<'a>(
    folder: &Path,
    figures: impl Iterator<Item = Figure<'a>>,
) -> Result<Vec<String>, Failure> {
    let files = drawn(figures)?;
    write_into(folder, &files).map_err(|error| {
        let folder = folder.display();
        Failure::failed(format!("cannot write the figures to {folder}: {error}"))
    })?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Names and contents of the files of figures.
fn drawn<'a>(figures: impl Iterator<Item = Figure<'a>>) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let failed = |error: FigureError| Failure::failed(error.to_string());
    let mut files = Vec::new();
    for figure in figures {
        let name = figure.name();
        let svg = figure.svg().map_err(failed)?;
        files.push((format!("{name}.svg"), svg.into_bytes()));
        files.push((format!("{name}.png"), figure.png().map_err(failed)?));
    }
    Ok(files)
}

/// The report that was written into a folder, with its games.
pub(crate) fn read(folder: &Path) -> Result<Report, Failure> {
    let unreadable = |name: &str, reason: String| {
        let path = folder.join(name);
        Failure::failed(format!("cannot read {}: {reason}", path.display()))
    };
    let content = |name: &str| {
        let content = fs::read(folder.join(name));
        content.map_err(|error| unreadable(name, error.to_string()))
    };
    let report = serde_json::from_slice::<Report>(&content(REPORT)?);
    let mut report =
        report.map_err(|error| unreadable(REPORT, format!("it is no report ({error})")))?;
    let filled = games::read(&mut report, &content(GAMES)?);
    filled.map_err(|reason| unreadable(GAMES, reason))?;
    match report.agents.is_empty() {
        true => Err(unreadable(REPORT, "it has no agent".to_owned())),
        false => Ok(report),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write the report to {}: {error}",
        path.display()
    ))
}
