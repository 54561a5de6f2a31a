use engine::{Agent, Decision, Direction, Game, GameRng, game_rng};
use rand::seq::IteratorRandom;

/// Plays a uniformly random legal move: the floor that every other agent is measured from.
pub struct RandomAgent<G> {
    game: G,
    rng: GameRng,
}

impl<G: Game> RandomAgent<G> {
    /// A random player of a game.
    pub fn new(game: G) -> Self {
        RandomAgent {
            game,
            rng: game_rng(0, 0),
        }
    }
}

impl<G: Game> Agent<G> for RandomAgent<G> {
    fn begin_game(&mut self, seed: u64) {
        self.rng = game_rng(seed, 0);
    }

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        let slides = self.game.slides(board);
        let legal = Direction::ALL
            .into_iter()
            .filter(|&direction| slides[direction as usize].is_some());
        let direction = legal.choose(&mut self.rng)?;
        Some(Decision::unvalued(direction))
    }
}
