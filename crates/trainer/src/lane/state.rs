use super::pending::PendingState;
use super::{Lane, Method};
use crate::step_size::GameStep;
use engine::{Episode, Game, GameRng};
use network::{Indexed, NTuple};
use serde::{Deserialize, Serialize};

/// A lane as checkpoints hold it. Positions are ranks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LaneState {
    number: u64,
    step: GameStep,
    board: Vec<u8>,
    score: u64,
    moves: u64,
    rng: GameRng,
    pending: PendingState,
    error_sum: f64,
    restarted: bool,
    past: Vec<Vec<u8>>,
    stages: [usize; 2],
}

impl<G: Indexed> Lane<G> {
    /// For a checkpoint.
    pub(crate) fn state(&self, game: &G) -> LaneState {
        LaneState {
            number: self.number,
            step: self.step,
            board: game.ranks(&self.episode.board),
            score: self.episode.score,
            moves: self.episode.moves,
            rng: self.episode.rng.clone(),
            pending: self.pending.state(game),
            error_sum: self.error_sum,
            restarted: self.restarted,
            past: { self.past.iter() }
                .map(|board| game.ranks(board))
                .collect(),
            stages: self.stages,
        }
    }

    /// From a checkpoint, where the carousel has so many `stages`. `None` if it holds no position of this game.
    pub(crate) fn restore(
        network: &NTuple<G>,
        method: Method,
        stages: usize,
        state: LaneState,
    ) -> Option<Self> {
        let game = network.game();
        let board = |ranks: &Vec<u8>| board_of(game, ranks);
        let episode = Episode {
            board: board(&state.board)?,
            score: state.score,
            moves: state.moves,
            rng: state.rng,
        };
        let mut lane = Lane::at(network, state.number, state.step, method, episode);
        lane.pending.restore(network, &state.pending)?;
        lane.error_sum = state.error_sum;
        lane.restarted = state.restarted;
        lane.past = state.past.iter().map(board).collect::<Option<_>>()?;
        let [begun, latest] = state.stages;
        if begun > latest || latest >= stages {
            return None;
        }
        lane.stages = state.stages;
        Some(lane)
    }
}

/// The board of some ranks, if there is one in this game.
pub(crate) fn board_of<G: Game>(game: &G, ranks: &[u8]) -> Option<G::Board> {
    game.is_possible(ranks).then(|| game.board_of_ranks(ranks))
}
