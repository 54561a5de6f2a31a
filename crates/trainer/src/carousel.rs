//! Positions to begin from.

use crate::lane::board_of;
use crate::self_play::lock;
use engine::{Game, GameRng};
use network::Stages;
use rand::seq::IteratorRandom;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Where games came to each stage lately. After a game from the start, the next one begins where some game came to the
/// second stage, the next where one came to the third, and so on while there are such, then it begins anew (carousel
/// shaping, Jaskowski 2016; there the stages are those of the network, here they need not be). So late stages are learned
/// from as often as early ones.
pub(crate) struct Carousel<G: Game> {
    stages: Stages,
    /// By stage, the latest last. None come to the first.
    boards: Vec<Mutex<VecDeque<G::Board>>>,
}

/// Positions kept of each stage.
const KEPT: usize = 1000;

/// All ranks are told apart, whatever tables do.
const RANKS: u32 = 32;

impl<G: Game> Carousel<G> {
    /// Without a position yet.
    pub(crate) fn new(stages: Stages) -> Self {
        Carousel {
            boards: (0..stages.count()).map(|_| Mutex::default()).collect(),
            stages,
        }
    }

    /// The stage that a position is of, counted from 0.
    #[inline]
    pub(crate) fn stage_of(&self, game: &G, position: G::Afterstate) -> usize {
        self.stages.stage_of(game, position, RANKS)
    }

    /// Adds a position, for one that has been there for long.
    pub(crate) fn add(&self, stage: usize, board: G::Board) {
        let mut boards = lock(&self.boards[stage]);
        if boards.len() == KEPT {
            boards.pop_front();
        }
        boards.push_back(board);
    }

    /// A random position of a stage, if there are any.
    pub(crate) fn draw(&self, stage: usize, rng: &mut GameRng) -> Option<G::Board> {
        let boards = lock(self.boards.get(stage)?);
        boards.iter().choose(rng).copied()
    }

    /// For a checkpoint: the ranks of all positions by stage.
    pub(crate) fn state(&self, game: &G) -> Vec<Vec<Vec<u8>>> {
        let ranks = |boards: &Mutex<VecDeque<G::Board>>| {
            lock(boards).iter().map(|board| game.ranks(board)).collect()
        };
        self.boards.iter().map(ranks).collect()
    }

    /// From a checkpoint. `None` if it holds no positions of this game.
    pub(crate) fn restore(game: &G, stages: Stages, state: &[Vec<Vec<u8>>]) -> Option<Self> {
        let board = |ranks: &Vec<u8>| board_of(game, ranks);
        let boards = |of_stage: &Vec<Vec<u8>>| {
            of_stage
                .iter()
                .map(board)
                .collect::<Option<_>>()
                .map(Mutex::new)
        };
        let boards = state.iter().map(boards).collect::<Option<Vec<_>>>()?;
        let fits =
            boards.len() == stages.count() && state.iter().all(|boards| boards.len() <= KEPT);
        fits.then_some(Carousel { stages, boards })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Classic, game_rng};

    fn board(number: u64) -> <Classic as Game>::Board {
        Classic.start(&mut game_rng(number, 0))
    }

    #[test]
    fn positions_are_of_their_stage_and_the_latest() {
        let stages: Stages = "16384,32768".parse().expect("stages");
        let carousel: Carousel<Classic> = Carousel::new(stages.clone());
        let mut rng = game_rng(9, 0);
        assert_eq!(carousel.draw(1, &mut rng), None);
        let special = Classic.board_of_ranks(&[14; 16]);
        carousel.add(1, special);
        assert_eq!(carousel.draw(1, &mut rng), Some(special));
        assert_eq!(carousel.draw(2, &mut rng), None);
        // Beyond the last stage there is none, and the oldest go.
        assert_eq!(carousel.draw(3, &mut rng), None);
        for number in 0..KEPT as u64 {
            carousel.add(1, board(number));
        }
        let state = carousel.state(&Classic);
        let kept: Vec<usize> = state.iter().map(Vec::len).collect();
        assert_eq!(kept, [0, KEPT, 0]);
        assert!(!state[1].contains(&vec![14; 16]));

        let restored = Carousel::restore(&Classic, stages.clone(), &state).expect("our own");
        let [mut ours, mut theirs] = [game_rng(3, 3), game_rng(3, 3)];
        for _ in 0..20 {
            assert_eq!(restored.draw(1, &mut ours), carousel.draw(1, &mut theirs));
        }
        let mut long = state.clone();
        long[1].push(vec![0; 16]);
        for damaged in [long, vec![], vec![vec![], vec![vec![99; 16]], vec![]]] {
            assert!(Carousel::restore(&Classic, stages.clone(), &damaged).is_none());
        }
    }
}
