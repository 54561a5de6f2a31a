use crate::search::Expectimax;
use engine::{Agent, Decision, Game};

/// Plays the best move that [`Expectimax`] finds.
pub struct ExpectimaxAgent<G: Game>(Expectimax<G>);

impl<G: Game> ExpectimaxAgent<G> {
    /// A player by a search.
    pub fn new(search: Expectimax<G>) -> Self {
        ExpectimaxAgent(search)
    }
}

impl<G: Game> Agent<G> for ExpectimaxAgent<G> {
    fn begin_game(&mut self, seed: u64) {
        self.0.reseed(seed);
    }

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        self.0.decide(board)
    }
}
