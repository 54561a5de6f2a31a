//! Measurements of the player while it is trained: `evaluations.jsonl`, and which was the best.

use crate::TrainError;
use crate::curves::read_lines;
use crate::folder::{BEST, replace};
use network::ModelFile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
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
    /// That of the player in the file [`BEST`], if there is one.
    best: Option<Evaluation>,
}

impl Evaluations {
    /// Those of a run that goes on at so many games: what was measured beyond that will be measured again. A best player
    /// from beyond it is replaced by the next that is measured.
    pub(crate) fn open(folder: &Path, games: u64) -> Result<Evaluations, TrainError> {
        let path = folder.join(EVALUATIONS);
        let mut all: Vec<Evaluation> = read_lines(folder, EVALUATIONS)?;
        all.retain(|evaluation| evaluation.games <= games);
        let kept = ModelFile::open(&folder.join(BEST)).ok();
        let kept = kept.map(|model| model.header().provenance.games);
        let best = all.iter().find(|evaluation| Some(evaluation.games) == kept);
        let evaluations = Evaluations {
            best: best.cloned(),
            path,
            all,
        };
        if evaluations.path.exists() {
            // Also takes away half a line at the end, to which the next would be joined.
            let failed = TrainError::folder("cut back", &evaluations.path);
            evaluations.rewrite().map_err(failed)?;
        }
        Ok(evaluations)
    }

    /// The games after which the last was made.
    pub(crate) fn last_games(&self) -> u64 {
        self.all.last().map_or(0, |evaluation| evaluation.games)
    }

    /// That of the player that is kept as the best.
    pub(crate) fn best(&self) -> Option<&Evaluation> {
        self.best.as_ref()
    }

    /// Whether a player did better than the one that is kept. One that was measured in another number of games says
    /// nothing of it, and gives way.
    pub(crate) fn is_best(&self, evaluation: &Evaluation) -> bool {
        self.best.as_ref().is_none_or(|best| {
            best.measured != evaluation.measured || best.mean_score < evaluation.mean_score
        })
    }

    /// The player of a measurement is now kept as the best.
    pub(crate) fn keep(&mut self, evaluation: &Evaluation) {
        self.best = Some(evaluation.clone());
    }

    /// Adds a measurement, in place of one after as many games. It counts even if it cannot be written.
    pub(crate) fn add(&mut self, evaluation: Evaluation) -> Result<(), TrainError> {
        self.all.retain(|known| known.games != evaluation.games);
        self.all.push(evaluation);
        self.rewrite()
            .map_err(TrainError::folder("write", &self.path))
    }

    /// Writes all of them anew.
    fn rewrite(&self) -> io::Result<()> {
        let mut text = Vec::new();
        for evaluation in &self.all {
            writeln!(text, "{}", serde_json::to_string(evaluation)?)?;
        }
        replace(&self.path, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn evaluation(games: u64, measured: u64, mean_score: f64) -> Evaluation {
        Evaluation {
            games,
            moves: 0,
            seconds: 0.0,
            measured,
            mean_score,
            ci95: None,
            mean_moves: 0.0,
            reach: BTreeMap::new(),
        }
    }

    #[test]
    fn lines_stay_whole_whatever_they_were_cut_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(EVALUATIONS);
        let mut evaluations = Evaluations::open(folder.path(), 0).expect("none yet");
        for games in [100, 200, 300] {
            evaluations
                .add(evaluation(games, 10, 1.0))
                .expect("written");
        }
        let text = fs::read_to_string(&path).expect("lines");
        fs::write(&path, text + "{\"games\":1").expect("written");
        let mut evaluations = Evaluations::open(folder.path(), 250).expect("lines");
        assert_eq!(evaluations.last_games(), 200);
        evaluations.add(evaluation(300, 10, 2.0)).expect("written");
        evaluations.add(evaluation(300, 10, 3.0)).expect("written");
        let read: Vec<Evaluation> = read_lines(folder.path(), EVALUATIONS).expect("whole lines");
        let means: Vec<f64> = read.iter().map(|of| of.mean_score).collect();
        assert_eq!(means, [1.0, 1.0, 3.0]);
    }

    #[test]
    fn only_players_that_are_kept_are_the_best() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut evaluations = Evaluations::open(folder.path(), 0).expect("none yet");
        evaluations.add(evaluation(100, 10, 9.0)).expect("written");
        assert!(evaluations.best().is_none() && evaluations.is_best(&evaluation(200, 10, 1.0)));
        evaluations.keep(&evaluation(200, 10, 5.0));
        assert!(!evaluations.is_best(&evaluation(300, 10, 5.0)));
        assert!(evaluations.is_best(&evaluation(300, 10, 6.0)));
        assert!(evaluations.is_best(&evaluation(300, 1_000, 2.0)));
        // The file of the best player is not there, after all.
        let again = Evaluations::open(folder.path(), 1_000).expect("lines");
        assert!(again.best().is_none());
    }
}
