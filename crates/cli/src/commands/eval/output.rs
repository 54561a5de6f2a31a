//! What `eval` says: on the terminal, as JSON, and in a folder.

use crate::agents::ModelHashes;
use crate::beside::write_into;
use crate::failure::Failure;
use crate::provenance::Origin;
use engine::tile;
use evaluation::{Figure, FigureError, Report};
use serde::Serialize;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The report and what repeats it, as it is printed as JSON.
#[derive(Serialize)]
pub(super) struct Output {
    #[serde(flatten)]
    pub(super) report: Report,
    pub(super) interrupted: bool,
    pub(super) models: ModelHashes,
    #[serde(flatten)]
    pub(super) origin: Origin,
}

impl Output {
    /// A table, and how the agents compare.
    pub(super) fn summary(&self) -> String {
        let report = &self.report;
        let mut text = format!(
            "{}\n{} games, seed {}, {} threads; ± is half the 95 % confidence interval of the mean\n",
            report.table(),
            report.rules,
            report.seed,
            report.threads
        );
        for line in report.comparison_lines() {
            text += &format!("{line}\n");
        }
        text
    }

    /// The report for people, in Markdown.
    fn markdown(&self) -> String {
        let report = &self.report;
        let mut text = format!("# {} games\n\n{}\n\n", report.rules, report.table());
        text += "± is half the 95 % confidence interval of the mean.\n\n";
        for line in report.comparison_lines() {
            text += &format!("- {line} (95 % confidence interval by Welch)\n");
        }
        if self.interrupted {
            text += "\nThe match was interrupted: these are the games up to the first unfinished one.\n";
        }
        for figure in Figure::ALL {
            text += &format!("\n![{0}]({0}.svg)\n", figure.name());
        }
        text += "\n## To repeat it\n\n";
        text += &format!("```sh\n{}\n```\n\n", self.origin.command);
        text += &format!(
            "afterstate {}, revision {}, {} threads on {}; games from number {} of seed {}. The games are in \
             [games.csv](games.csv), all numbers in [report.json](report.json).\n",
            self.origin.version,
            self.origin.revision,
            report.threads,
            self.origin.processor,
            report.first_game,
            report.seed
        );
        for (name, hash) in &self.models {
            text += &format!("\nModel `{name}`: tables with checksum {hash}.\n");
        }
        text
    }

    /// A row a game.
    fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names = [
            "agent",
            "seed",
            "game",
            "score",
            "moves",
            "largest_tile",
            "moves_to_target",
            "seconds",
        ];
        writer.write_record(names)?;
        for agent in &self.report.agents {
            for game in &agent.results {
                let to_target = game.moves_to_target.map(|moves| moves.to_string());
                writer.write_record([
                    agent.agent.clone(),
                    self.report.seed.to_string(),
                    game.number.to_string(),
                    game.outcome.score.to_string(),
                    game.outcome.moves.to_string(),
                    tile(game.outcome.largest_rank).to_string(),
                    to_target.unwrap_or_default(),
                    format!("{:.6}", game.seconds),
                ])?;
            }
        }
        writer
            .into_inner()
            .map_err(|error| error.into_error().into())
    }
}

/// The files of a report besides its figures.
const FILES: [&str; 3] = ["report.md", "report.json", "games.csv"];

/// Whether a report has a file of this name.
fn is_part(name: &OsStr) -> bool {
    let mut figures = Figure::ALL.into_iter().map(Figure::name);
    let figure = |figure: &str| {
        [".svg", ".png"]
            .iter()
            .any(|end| *name == *(figure.to_owned() + end))
    };
    FILES.iter().any(|file| *name == **file) || figures.any(figure)
}

/// A folder for a report.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes it, if it is not there. One that holds something else than a report is refused: nothing of the user's is
    /// overwritten.
    pub(super) fn create(path: &Path) -> Result<Folder, Failure> {
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

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the report with its figures, each file beside its place and then put there.
    pub(super) fn write(&self, output: &Output) -> Result<(), Failure> {
        let failed = |error: io::Error| unwritable(&self.0, &error);
        let json = serde_json::to_vec_pretty(output)?;
        let csv = output.csv().map_err(|error| failed(error.into()))?;
        let contents = [output.markdown().into_bytes(), json, csv];
        let names = FILES.map(str::to_owned).into_iter();
        let mut files: Vec<(String, Vec<u8>)> = names.zip(contents).collect();
        for figure in Figure::ALL {
            let drawn = |error: FigureError| Failure::failed(error.to_string());
            let (svg, png) = (figure.svg(&output.report), figure.png(&output.report));
            files.push((
                format!("{}.svg", figure.name()),
                svg.map_err(drawn)?.into_bytes(),
            ));
            files.push((format!("{}.png", figure.name()), png.map_err(drawn)?));
        }
        for (file, content) in files {
            write_into(&self.0, &file, &content).map_err(failed)?;
        }
        Ok(())
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write the report to {}: {error}",
        path.display()
    ))
}
