use crate::{Direction, Game};

/// What finding a move took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Moves looked ahead, at most: 1 is a choice among the present move's afterstates, 0 none at all.
    pub depth: u32,
    /// Positions visited, boards and afterstates: the root, inner nodes and leaves.
    pub nodes: u64,
    /// Leaves valued by the value function, where looking ahead stops.
    pub leaves: u64,
    /// Positions whose value was found in a transposition table.
    pub table_hits: u64,
}

impl std::ops::AddAssign for Effort {
    /// Sums the counts; the depth is the greater one.
    fn add_assign(&mut self, other: Effort) {
        self.depth = self.depth.max(other.depth);
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.table_hits += other.table_hits;
    }
}

/// A move and the thinking behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The move to play.
    pub direction: Direction,
    /// By `direction as usize`: what the agent holds each legal move to be worth, in the unit of its value
    /// function; `None` for illegal moves, and for all moves if the agent does not value them.
    pub values: [Option<f32>; 4],
    /// What it took.
    pub effort: Effort,
}

impl Decision {
    /// A move chosen without valuing any.
    pub fn unvalued(direction: Direction) -> Decision {
        Decision {
            direction,
            values: [None; 4],
            effort: Effort::default(),
        }
    }
}

/// A player. It may keep state from move to move within a game.
pub trait Agent<G: Game>: Send {
    /// Forgets all games so far. `seed` is for the agent's own randomness in the next game.
    fn begin_game(&mut self, seed: u64);

    /// The move to play, or `None` exactly when no move is legal.
    fn decide(&mut self, board: G::Board) -> Option<Decision>;

    /// How many games the agent likes to play side by side. More than 1 only if it keeps no state within a
    /// game: it is then asked by [`Agent::decide_batch`], for boards of several games at once, and need not
    /// be told of new games.
    fn lanes(&self) -> usize {
        1
    }

    /// The move to play on each of some boards, as [`Agent::decide`] would decide.
    fn decide_batch(&mut self, boards: &[G::Board], decisions: &mut Vec<Option<Decision>>) {
        decisions.clear();
        decisions.extend(boards.iter().map(|&board| self.decide(board)));
    }
}
