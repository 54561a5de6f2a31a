use crate::{Game, GameRng};

/// One game in progress, with the generator of its spawns.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode<G: Game> {
    /// The position, player to move.
    pub board: G::Board,
    /// Sum of rewards so far.
    pub score: u64,
    /// Moves played so far.
    pub moves: u64,
    /// What the next spawns are drawn from.
    pub rng: GameRng,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Sum of all rewards.
    pub score: u64,
    /// Moves played.
    pub moves: u64,
    /// Rank of the largest tile.
    pub largest_rank: u8,
}

impl<G: Game> Episode<G> {
    /// A new game from a random start.
    pub fn start(game: &G, mut rng: GameRng) -> Episode<G> {
        Episode {
            board: game.start(&mut rng),
            score: 0,
            moves: 0,
            rng,
        }
    }

    /// Plays a slide of the present board, and the spawn that follows.
    #[inline]
    pub fn advance(&mut self, game: &G, afterstate: G::Afterstate, reward: u32) {
        self.score += u64::from(reward);
        self.moves += 1;
        self.board = game.spawn(afterstate, &mut self.rng);
    }

    /// The result so far.
    pub fn outcome(&self, game: &G) -> Outcome {
        Outcome {
            score: self.score,
            moves: self.moves,
            largest_rank: game.largest_rank(&self.board),
        }
    }
}
