use engine::{Agent, Decision, Game, ValueFunction, best_move};

/// Plays the move with the greatest step reward + value of the afterstate: search of depth 1.
pub struct GreedyAgent<G, V> {
    game: G,
    value: V,
}

impl<G: Game, V: ValueFunction<G>> GreedyAgent<G, V> {
    /// A greedy player of a game, by a value function.
    pub fn new(game: G, value: V) -> Self {
        GreedyAgent { game, value }
    }
}

impl<G: Game, V: ValueFunction<G>> Agent<G> for GreedyAgent<G, V> {
    fn begin_game(&mut self, _seed: u64) {}

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        let (direction, values) = best_move(&self.game, board, &self.value)?;
        Some(Decision { direction, values })
    }
}
