use engine::{Outcome, Rules, tile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Games over which curves average.
const WINDOW: usize = 1_000;

/// One point of all curves; a line of `metrics.jsonl`. Averages are over the last 1,000 games, or all games
/// if there were fewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Games trained.
    pub games: u64,
    /// Moves trained.
    pub moves: u64,
    /// Seconds trained.
    pub seconds: f64,
    /// Mean score of a game.
    pub mean_score: f64,
    /// Best score of a game.
    pub max_score: u64,
    /// Mean number of moves of a game.
    pub mean_moves: f64,
    /// The largest tile made.
    pub max_tile: u64,
    /// Share of games that made each tile, from the target's quarter up.
    pub reach: BTreeMap<u64, f64>,
    /// Moves a second since the point before, or since the last checkpoint if that was later.
    pub moves_per_second: f64,
    /// Mean absolute TD error of a move.
    pub td_error: f64,
    /// The step size.
    pub alpha: f64,
}

impl Metrics {
    /// The curves of TensorBoard, with the tags that Stable-Baselines3 made common. Steps are games.
    pub(crate) fn scalars(&self) -> Vec<(String, f64)> {
        let fixed = [
            ("rollout/ep_rew_mean", self.mean_score),
            ("rollout/ep_len_mean", self.mean_moves),
            ("rollout/max_tile", self.max_tile as f64),
            ("time/fps", self.moves_per_second),
            ("time/total_timesteps", self.moves as f64),
            ("train/td_error", self.td_error),
            ("train/learning_rate", self.alpha),
        ];
        let fixed = fixed.map(|(tag, value)| (tag.to_owned(), value));
        let reach = self
            .reach
            .iter()
            .map(|(tile, rate)| (format!("rollout/reach_{tile}"), *rate));
        fixed.into_iter().chain(reach).collect()
    }
}

/// The smallest rank whose reach is a curve: that of the target's quarter.
pub fn lowest_reach_rank(rules: &Rules) -> u8 {
    rules.target_rank().saturating_sub(2).max(1)
}

/// One finished game, or the rest of one that was restarted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Finished {
    pub(crate) score: u64,
    pub(crate) moves: u64,
    pub(crate) largest_rank: u8,
    /// Sum of the absolute TD errors of its moves.
    pub(crate) error_sum: f64,
    /// Whether it began in the middle of a game: then it does not count as one.
    pub(crate) restarted: bool,
}

impl Finished {
    pub(crate) fn new(outcome: Outcome, error_sum: f64, restarted: bool) -> Self {
        Finished {
            score: outcome.score,
            moves: outcome.moves,
            largest_rank: outcome.largest_rank,
            error_sum,
            restarted,
        }
    }
}

/// The last games.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Window {
    games: VecDeque<Finished>,
    score_sum: u64,
    /// The largest rank of the whole run.
    pub(crate) largest_rank: u8,
}

impl Window {
    pub(crate) fn push(&mut self, game: Finished) {
        if self.games.len() == WINDOW
            && let Some(oldest) = self.games.pop_front()
        {
            self.score_sum -= oldest.score;
        }
        self.score_sum += game.score;
        self.largest_rank = self.largest_rank.max(game.largest_rank);
        self.games.push_back(game);
    }

    pub(crate) fn mean_score(&self) -> f64 {
        self.score_sum as f64 / self.games.len().max(1) as f64
    }

    pub(crate) fn mean_moves(&self) -> f64 {
        self.mean(|game| game.moves as f64)
    }

    pub(crate) fn td_error(&self) -> f64 {
        let error = self.mean(|game| game.error_sum) / self.mean_moves().max(1.0);
        // JSON has no infinity.
        if error.is_finite() { error } else { f64::MAX }
    }

    /// Whether it can be what a run of such rules has seen.
    pub(crate) fn is_possible(&self, rules: &Rules) -> bool {
        let ranks = self.games.iter().map(|game| game.largest_rank);
        self.games.len() <= WINDOW
            && ranks
                .chain([self.largest_rank])
                .all(|rank| rank <= rules.largest_rank())
            && self
                .games
                .iter()
                .try_fold(0_u64, |sum, game| sum.checked_add(game.score))
                == Some(self.score_sum)
    }

    pub(crate) fn max_score(&self) -> u64 {
        self.games.iter().map(|game| game.score).max().unwrap_or(0)
    }

    pub(crate) fn max_tile(&self) -> u64 {
        let ranks = self.games.iter().map(|game| game.largest_rank);
        tile(ranks.max().unwrap_or(0))
    }

    /// Shares of games that made each tile from rank `lowest` up to the largest of the run.
    pub(crate) fn reach(&self, lowest: u8) -> BTreeMap<u64, f64> {
        let share = |rank| self.mean(|game| f64::from(u8::from(game.largest_rank >= rank)));
        (lowest..=self.largest_rank.max(lowest))
            .map(|rank| (tile(rank), share(rank)))
            .collect()
    }

    fn mean(&self, number: impl Fn(&Finished) -> f64) -> f64 {
        let sum: f64 = self.games.iter().map(number).sum();
        sum / self.games.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_averages_the_last_thousand_games() {
        let mut window = Window::default();
        assert_eq!(
            (window.mean_score(), window.td_error(), window.max_tile()),
            (0.0, 0.0, 0)
        );
        for number in 0..1_500 {
            window.push(Finished {
                score: number,
                moves: 10,
                largest_rank: if number < 500 {
                    12
                } else {
                    10 + (number % 2) as u8
                },
                error_sum: 5.0,
                restarted: false,
            });
        }
        assert_eq!(window.mean_score(), 999.5);
        assert_eq!((window.mean_moves(), window.td_error()), (10.0, 0.5));
        assert_eq!((window.max_score(), window.max_tile()), (1_499, 2048));
        let reach = BTreeMap::from([(512, 1.0), (1024, 1.0), (2048, 0.5), (4096, 0.0)]);
        assert_eq!(window.reach(9), reach);
    }
}
