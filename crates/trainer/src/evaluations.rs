//! Measurements of the player while it is trained: `evaluations.jsonl`, and which was the best.

use crate::TrainError;
use crate::curves::read_lines;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of a run folder with its measurements, an [`Evaluation`] a line.
pub const EVALUATIONS: &str = "evaluations.jsonl";

/// How well the player did at some point of its training, in games that nothing was learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Games trained before.
    pub games: u64,
    /// Moves trained before.
    pub moves: u64,
    /// Seconds trained before.
    pub seconds: f64,
    /// Games measured.
    pub measured: u64,
    /// Mean score of a game.
    pub mean_score: f64,
    /// Its 95 % confidence interval; `None` of fewer than two games.
    pub ci95: Option<[f64; 2]>,
    /// Mean number of moves of a game.
    pub mean_moves: f64,
    /// Share of games that made each tile.
    pub reach: BTreeMap<u64, f64>,
}

impl Evaluation {
    /// The curves of TensorBoard.
    pub(crate) fn scalars(&self) -> Vec<(String, f64)> {
        let fixed = [
            ("eval/mean_reward", self.mean_score),
            ("eval/mean_ep_length", self.mean_moves),
        ];
        let fixed = fixed.map(|(tag, value)| (tag.to_owned(), value));
        let reach = self.reach.iter();
        let reach = reach.map(|(tile, rate)| (format!("eval/reach_{tile}"), *rate));
        fixed.into_iter().chain(reach).collect()
    }
}

/// The measurements of a run, in a file that follows them.
pub(crate) struct Evaluations {
    path: PathBuf,
    all: Vec<Evaluation>,
}

impl Evaluations {
    /// Those of a run that goes on at so many games: what was measured beyond that will be measured again.
    pub(crate) fn open(folder: &Path, games: u64) -> Result<Evaluations, TrainError> {
        let mut all: Vec<Evaluation> = read_lines(folder, EVALUATIONS)?;
        let found = all.len();
        all.retain(|evaluation| evaluation.games <= games);
        let evaluations = Evaluations {
            path: folder.join(EVALUATIONS),
            all,
        };
        if evaluations.all.len() < found {
            let failed = TrainError::folder("cut back", &evaluations.path);
            evaluations.rewrite().map_err(failed)?;
        }
        Ok(evaluations)
    }

    /// The games after which the last was made.
    pub(crate) fn last_games(&self) -> u64 {
        self.all.last().map_or(0, |evaluation| evaluation.games)
    }

    /// The one with the highest mean score, the first of equal ones.
    pub(crate) fn best(&self) -> Option<&Evaluation> {
        self.all.iter().reduce(|best, next| {
            let better = next.mean_score > best.mean_score;
            if better { next } else { best }
        })
    }

    /// Adds a measurement, in place of one after as many games.
    pub(crate) fn add(&mut self, evaluation: Evaluation) -> Result<(), TrainError> {
        let again = evaluation.games == self.last_games() && !self.all.is_empty();
        let line = serde_json::to_string(&evaluation);
        if again {
            self.all.pop();
        }
        self.all.push(evaluation);
        let write = || -> io::Result<()> {
            if again {
                return self.rewrite();
            }
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(&self.path)?;
            // In one piece, so that no interruption leaves half a line.
            file.write_all(format!("{}\n", line?).as_bytes())
        };
        write().map_err(TrainError::folder("write", &self.path))
    }

    fn rewrite(&self) -> io::Result<()> {
        let beside = self.path.with_extension("jsonl.partial");
        let mut file = File::create(&beside)?;
        for evaluation in &self.all {
            writeln!(file, "{}", serde_json::to_string(evaluation)?)?;
        }
        file.sync_all()?;
        fs::rename(&beside, &self.path)
    }
}
