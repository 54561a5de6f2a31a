//! What search maximises.

use engine::{Cells, Game, Objective, ValueFunction, rank, tile};
use std::str::FromStr;

/// What to maximise, where the value function leaves a choice. Written `score`, `moves` or `reach:2048`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal(pub Objective);

impl FromStr for Goal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "score" => return Ok(Goal(Objective::Score)),
            "moves" => return Ok(Goal(Objective::Moves)),
            _ => {}
        }
        let tile = text
            .strip_prefix("reach:")
            .and_then(|tile| tile.parse().ok());
        let rank = tile.and_then(rank).filter(|&rank| rank > 0);
        rank.map(|rank| Goal(Objective::Reach(rank)))
            .ok_or_else(|| {
                format!(
                    "'{text}' is no goal: expected score, moves or reach:TILE, such as reach:2048"
                )
            })
    }
}

/// How the search of one board counts what lies on the way and at the leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    objective: Objective,
    /// What a leaf's value is multiplied by: ratings become estimates of a probability.
    leaf: f32,
}

/// The worth of a board with the tile whose making is the goal.
pub(super) const REACHED: f32 = 1.0;

/// Moves within which no rating grows beyond a bound that probabilities are reckoned from.
const HORIZON: u32 = 16;

impl Scale {
    /// For the search of a board. A goal that the board has reached already does not count any more.
    pub(super) fn new<G: Game>(
        game: &G,
        board: G::Board,
        goal: Objective,
        value: &dyn ValueFunction<G>,
    ) -> Scale {
        let own = value.objective();
        match goal {
            Objective::Reach(rank) if game.largest_rank(&board) >= rank => Scale {
                objective: match own {
                    // Every move keeps the goal reached, as if any tile would do.
                    Objective::Reach(_) => Objective::Reach(0),
                    own => own,
                },
                leaf: 1.0,
            },
            Objective::Reach(_) if own == Objective::Rating => Scale {
                objective: goal,
                leaf: REACHED / value.upper_bound(game.awaiting_spawn(board), HORIZON),
            },
            _ => Scale {
                objective: goal,
                leaf: 1.0,
            },
        }
    }

    /// What a slide to a leaf is worth, or to another afterstate whose value is known.
    #[inline]
    pub(super) fn leaf(self, value: f32) -> f32 {
        match self.objective {
            Objective::Reach(_) => (self.leaf * value).min(REACHED),
            _ => value,
        }
    }

    /// The reward of a slide to an afterstate, or `None` if it reaches the goal.
    #[inline]
    pub(super) fn reward<G: Game>(
        self,
        game: &G,
        afterstate: &G::Afterstate,
        merged: u32,
    ) -> Option<f32> {
        match self.objective {
            // The tile itself is part of the sum of the merge that makes it.
            Objective::Reach(rank)
                if u64::from(merged) >= tile(rank) && game.largest_rank(afterstate) >= rank =>
            {
                None
            }
            objective => Some(objective.step_reward(merged)),
        }
    }

    /// Whether steps have no reward and leaves count as they are valued.
    #[inline]
    pub(super) fn is_rating(self) -> bool {
        self.objective == Objective::Rating
    }

    /// Whether the spawn of a tile reaches the goal.
    #[inline]
    pub(super) fn spawn_reaches(self, spawned: u8) -> bool {
        matches!(self.objective, Objective::Reach(rank) if spawned >= rank)
    }

    /// What no sum of rewards and a leaf's value exceeds, within so many moves from an afterstate.
    pub(super) fn upper_bound<G: Game>(
        self,
        game: &G,
        value: &dyn ValueFunction<G>,
        afterstate: G::Afterstate,
        moves: u32,
    ) -> f64 {
        if matches!(self.objective, Objective::Reach(_)) {
            return f64::from(REACHED);
        }
        let leaf = f64::from(value.upper_bound(afterstate, moves));
        let moves = f64::from(moves);
        let rewards = match self.objective {
            Objective::Reach(_) | Objective::Rating => 0.0,
            Objective::Moves => moves,
            // A move's merges make no more than all tiles' sum, which each spawn raises.
            Objective::Score => {
                let cells = 0..game.rules().geometry().cells();
                let sum: u64 = cells.map(|cell| tile(afterstate.rank(cell))).sum();
                let spawn = game.rules().spawn.iter().map(|odds| odds.tile);
                moves * (sum as f64 + moves * spawn.max().unwrap_or(0) as f64)
            }
        };
        leaf + rewards
    }
}
