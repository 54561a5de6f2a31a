use crate::{Direction, Game};

/// A move and the thinking behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The move to play.
    pub direction: Direction,
    /// By `direction as usize`: what the agent holds each legal move to be worth, in the unit of its value
    /// function; `None` for illegal moves, and for all moves if the agent does not value them.
    pub values: [Option<f32>; 4],
}

/// A player. It may keep state from move to move within a game.
pub trait Agent<G: Game>: Send {
    /// Forgets all games so far. `seed` is for the agent's own randomness in the next game.
    fn begin_game(&mut self, seed: u64);

    /// The move to play, or `None` exactly when no move is legal.
    fn decide(&mut self, board: G::Board) -> Option<Decision>;
}
