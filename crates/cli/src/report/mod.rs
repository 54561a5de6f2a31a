//! What `eval` says: on the terminal, as JSON, and in a folder, from which `plot` reads it again.

mod folder;
mod games;

pub(crate) use folder::{Folder, REPORT, axis, draw, read};

use crate::agents::ModelHashes;
use crate::provenance::Origin;
use evaluation::{Figure, Report};
use serde::Serialize;

/// The report and what repeats it, as it is printed as JSON.
#[derive(Serialize)]
pub(crate) struct Output {
    #[serde(flatten)]
    pub(crate) report: Report,
    pub(crate) interrupted: bool,
    pub(crate) models: ModelHashes,
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

impl Output {
    /// A table, and how the agents compare.
    pub(crate) fn summary(&self) -> String {
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
        for figure in Figure::names_of_report() {
            text += &format!("\n![{figure}]({figure}.svg)\n");
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
}
