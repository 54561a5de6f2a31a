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
