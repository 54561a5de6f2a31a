//! The usual game, fast: 4x4 boards in 64 bits, moved by a table of rows.

mod packed;
mod rows;

use crate::variant::slide_line;
use crate::{Cells, Direction, Game, MAX_LINES, Rules, Slide};
use packed::Packed;
use std::sync::LazyLock;

/// The 4x4 game by the usual rules, exact up to the 131072 tile, the largest possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classic;

/// A position of [`Classic`] with the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassicBoard(Packed);

/// A position of [`Classic`] after a slide, before the spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassicAfterstate(Packed);

impl Cells for ClassicBoard {
    fn rank(&self, cell: usize) -> u8 {
        self.0.rank(cell)
    }

    #[inline]
    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }
}

impl Cells for ClassicAfterstate {
    fn rank(&self, cell: usize) -> u8 {
        self.0.rank(cell)
    }

    #[inline]
    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }
}

impl ClassicAfterstate {
    /// The cells as 16 four-bit numbers, cell 0 lowest: the rank, or 15 for ranks of 15 and more.
    #[inline]
    pub fn nibbles(self) -> u64 {
        self.0.nibbles
    }
}

impl Game for Classic {
    type Board = ClassicBoard;
    type Afterstate = ClassicAfterstate;

    fn rules(&self) -> &Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::default);
        &RULES
    }

    #[inline]
    fn slide(
        &self,
        ClassicBoard(board): ClassicBoard,
        direction: Direction,
    ) -> Option<Slide<Self>> {
        let transposes = matches!(direction, Direction::Up | Direction::Down);
        let turn = |nibbles| {
            if transposes {
                packed::transpose(nibbles)
            } else {
                nibbles
            }
        };
        let slides = rows::slide(turn(board.nibbles));
        if slides.reward >= rows::BEYOND_NIBBLES || board.excess != 0 {
            return slides_of_large_tiles(board)[direction as usize];
        }
        let slid = match direction {
            Direction::Up | Direction::Left => slides.towards_low,
            Direction::Down | Direction::Right => slides.towards_high,
        };
        result(board, turn(slid), slides.reward)
    }

    #[inline]
    fn slides(&self, ClassicBoard(board): ClassicBoard) -> [Option<Slide<Self>>; 4] {
        let across = rows::slide(board.nibbles);
        let transposed = packed::transpose(board.nibbles);
        let along = rows::slide(transposed);
        if across.reward.max(along.reward) >= rows::BEYOND_NIBBLES || board.excess != 0 {
            return slides_of_large_tiles(board);
        }
        [
            result(board, packed::transpose(along.towards_low), along.reward),
            result(board, across.towards_high, across.reward),
            result(board, packed::transpose(along.towards_high), along.reward),
            result(board, across.towards_low, across.reward),
        ]
    }

    #[inline]
    fn empty_cells(&self, afterstate: ClassicAfterstate) -> u32 {
        afterstate.0.empty_cells()
    }

    #[inline]
    fn place(&self, afterstate: ClassicAfterstate, nth: u32, rank: u8) -> ClassicBoard {
        ClassicBoard(afterstate.0.with_tile(nth, rank))
    }

    #[inline]
    fn placements(
        &self,
        afterstate: ClassicAfterstate,
        rank: u8,
    ) -> impl Iterator<Item = ClassicBoard> {
        afterstate.0.with_tile_each(rank).map(ClassicBoard)
    }

    #[inline]
    fn has_rank_from(&self, afterstate: ClassicAfterstate, least: u8) -> bool {
        afterstate.0.has_rank_from(least)
    }

    const LINE_BITS: u32 = 4;

    #[inline]
    fn line_codes(&self, afterstate: ClassicAfterstate, codes: &mut [u32; MAX_LINES]) {
        let across = afterstate.0.nibbles;
        let along = packed::transpose(across);
        for line in 0..4 {
            codes[line] = (across >> (16 * line)) as u16 as u32;
            codes[4 + line] = (along >> (16 * line)) as u16 as u32;
        }
    }

    #[inline]
    fn spawned_rank(&self, random: u32) -> u8 {
        /// 0.9 of the range of a 32-bit number, rounded.
        const TWOS: u32 = 3_865_470_566;
        if random < TWOS { 1 } else { 2 }
    }

    fn awaiting_spawn(&self, board: ClassicBoard) -> ClassicAfterstate {
        ClassicAfterstate(board.0)
    }

    fn board_of_ranks(&self, ranks: &[u8]) -> ClassicBoard {
        ClassicBoard(Packed::of_ranks(ranks))
    }
}

/// A slide, if it changed the board.
#[inline]
fn result(board: Packed, nibbles: u64, reward: u32) -> Option<Slide<Classic>> {
    let afterstate = ClassicAfterstate(Packed { nibbles, excess: 0 });
    (nibbles != board.nibbles).then_some((afterstate, reward))
}

/// The slides of a board that has, or is about to make, a tile that does not fit four bits. Such boards are
/// met in few games, so they are moved by the reference rules.
#[cold]
#[inline(never)]
fn slides_of_large_tiles(board: Packed) -> [Option<Slide<Classic>>; 4] {
    let rules = Classic.rules();
    Direction::ALL.map(|direction| {
        let mut ranks: [u8; 16] = std::array::from_fn(|cell| board.rank(cell));
        let mut reward = 0;
        for cells in rules.geometry().lines(direction) {
            reward += slide_line(rules.merge, &mut ranks, &cells);
        }
        let after = Packed::of_ranks(&ranks);
        (after != board).then_some((ClassicAfterstate(after), reward))
    })
}

#[cfg(test)]
mod tests;
