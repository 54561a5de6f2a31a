//! Leaves, valued many at a time and each once.

use super::goal::{REACHED, Scale};
use engine::{Cells, Game, ValueFunction};

/// Entries of the index of known leaves; more would crowd a learned value's own tables out of the processor's cache.
const INDEX: usize = 1 << 13;

/// Known leaves above which they are forgotten.
const MAX_KNOWN: usize = 1 << 20;

/// The boards above some leaves.
///
/// Spawns in different cells often slide to the same afterstate: about half of the leaves below a chance node are
/// distinct, and some were met elsewhere. So a leaf is looked up first, and new ones wait to be valued together.
pub(super) struct Leaves<G: Game> {
    boards: Vec<LeafBoard>,
    /// The moves of all boards: the reward, and the position of the leaf's value.
    moves: Vec<(f32, u32)>,
    /// The values of the leaves of this decision, those that wait still without one.
    values: Vec<f32>,
    waiting: Vec<G::Afterstate>,
    index: Vec<Known>,
    generation: u32,
}

/// A board whose moves lead to leaves.
struct LeafBoard {
    probability: f64,
    /// One past its last move, or `None` if a move of it reaches the goal.
    end: Option<usize>,
}

/// Where the value of a leaf is.
#[derive(Clone, Copy, Default)]
struct Known {
    fingerprint: u64,
    generation: u32,
    position: u32,
}

impl<G: Game> Leaves<G> {
    pub(super) fn new() -> Self {
        Leaves {
            boards: Vec::new(),
            moves: Vec::new(),
            values: Vec::new(),
            waiting: Vec::new(),
            index: vec![Known::default(); INDEX],
            generation: 0,
        }
    }

    /// Forgets all leaves.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.index.fill(Known::default());
            self.generation = 1;
        }
    }

    /// Adds a board that is met with a probability.
    #[inline]
    pub(super) fn add(&mut self, game: &G, scale: Scale, board: G::Board, probability: f64) {
        let first = self.moves.len();
        let mut end = Some(first);
        for (afterstate, merged) in game.slides(board).into_iter().flatten() {
            let Some(reward) = scale.reward(game, &afterstate, merged) else {
                self.moves.truncate(first);
                end = None;
                break;
            };
            let position = self.position(afterstate);
            self.moves.push((reward, position));
            end = Some(self.moves.len());
        }
        self.boards.push(LeafBoard { probability, end });
    }

    /// Where the value of a leaf is or will be.
    #[inline]
    fn position(&mut self, afterstate: G::Afterstate) -> u32 {
        let fingerprint = afterstate.fingerprint();
        let hash = fingerprint.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - INDEX.ilog2());
        let known = &mut self.index[hash as usize];
        if known.fingerprint == fingerprint && known.generation == self.generation {
            return known.position;
        }
        let position = (self.values.len() + self.waiting.len()) as u32;
        *known = Known {
            fingerprint,
            generation: self.generation,
            position,
        };
        self.waiting.push(afterstate);
        position
    }

    /// Adds to a sum what the boards are worth, each its best move; then there are none. Returns the sum, and how
    /// many boards, moves and newly valued leaves there were.
    #[inline]
    pub(super) fn value(
        &mut self,
        scale: Scale,
        value: &dyn ValueFunction<G>,
        mut sum: f64,
    ) -> (f64, [u64; 3]) {
        let known = self.values.len();
        self.values.resize(known + self.waiting.len(), 0.0);
        value.values(&self.waiting, &mut self.values[known..]);
        let counts = [self.boards.len(), self.moves.len(), self.waiting.len()].map(|n| n as u64);
        let mut begin = 0;
        for board in &self.boards {
            let worth = match board.end {
                None => REACHED,
                Some(end) => {
                    let moves = self.moves[begin..end].iter();
                    let totals = moves
                        .map(|&(reward, leaf)| reward + scale.leaf(self.values[leaf as usize]));
                    begin = end;
                    // Without a move, it is dead.
                    totals.reduce(f32::max).unwrap_or(0.0)
                }
            };
            sum += board.probability * f64::from(worth);
        }
        self.boards.clear();
        self.moves.clear();
        self.waiting.clear();
        if self.values.len() > MAX_KNOWN {
            self.forget();
        }
        (sum, counts)
    }
}
