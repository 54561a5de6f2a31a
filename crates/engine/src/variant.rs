//! Any game of the family, plainly: the reference for [`crate::Classic`].

use crate::{Cells, Direction, Game, MAX_LINES, MergeRule, Rules, RulesError, Slide, tile};

/// The game that given [`Rules`] describe.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    rules: Rules,
    /// For each direction, the lines along which tiles slide.
    lines: [Vec<Vec<usize>>; 4],
    /// For each spawned tile its rank, and the part of the 32-bit numbers up to which it spawns.
    spawn: Vec<(u8, u64)>,
}

/// Ranks in five bits a cell, cell 0 lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Packed(u128);

/// A position of a [`Variant`] with the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariantBoard(Packed);

/// A position of a [`Variant`] after a slide, before the spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariantAfterstate(Packed);

impl Packed {
    fn of_ranks(ranks: &[u8]) -> Packed {
        let cells = ranks.iter().enumerate();
        Packed(cells.fold(0, |packed, (cell, &rank)| {
            packed | u128::from(rank) << (5 * cell)
        }))
    }

    fn rank(self, cell: usize) -> u8 {
        (self.0 >> (5 * cell) & 31) as u8
    }

    /// The low 64 bits, 12 cells and more; the rest is mixed in.
    fn fingerprint(self) -> u64 {
        self.0 as u64 ^ ((self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Cells for VariantBoard {
    fn rank(&self, cell: usize) -> u8 {
        self.0.rank(cell)
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }
}

impl Cells for VariantAfterstate {
    fn rank(&self, cell: usize) -> u8 {
        self.0.rank(cell)
    }

    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }
}

impl Variant {
    /// The game that these rules describe.
    ///
    /// # Errors
    /// When the rules cannot be played.
    pub fn new(rules: Rules) -> Result<Variant, RulesError> {
        rules.validate()?;
        let lines = Direction::ALL.map(|direction| rules.geometry().lines(direction));
        let mut sum = 0.0;
        let spawn = rules.spawn.iter().map(|odds| {
            sum += odds.probability;
            (odds.rank(), (sum * 4_294_967_296.0).round() as u64)
        });
        Ok(Variant {
            spawn: spawn.collect(),
            lines,
            rules,
        })
    }
}

/// Slides and merges the tiles along one line of `cells`, which begins at the edge they slide towards.
/// Returns the sum of the tiles made.
///
/// ```
/// let mut ranks = [1, 0, 1, 2];
/// let reward = engine::slide_line(engine::MergeRule::Pairs, &mut ranks, &[3, 2, 1, 0]);
/// assert_eq!((ranks, reward), ([0, 0, 2, 2], 4));
/// ```
pub fn slide_line(merge: MergeRule, ranks: &mut [u8], cells: &[usize]) -> u32 {
    let tiles: Vec<u8> = cells
        .iter()
        .map(|&cell| ranks[cell])
        .filter(|&rank| rank != 0)
        .collect();
    let mut slid = Vec::with_capacity(cells.len());
    let mut reward = 0;
    let mut next = 0;
    while next < tiles.len() {
        match merge {
            MergeRule::Pairs if tiles.get(next + 1) == Some(&tiles[next]) => {
                slid.push(tiles[next] + 1);
                reward += tile(tiles[next] + 1) as u32;
                next += 2;
            }
            MergeRule::Pairs => {
                slid.push(tiles[next]);
                next += 1;
            }
        }
    }
    slid.resize(cells.len(), 0);
    for (&cell, rank) in cells.iter().zip(slid) {
        ranks[cell] = rank;
    }
    reward
}

impl Game for Variant {
    type Board = VariantBoard;
    type Afterstate = VariantAfterstate;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn slide(&self, board: VariantBoard, direction: Direction) -> Option<Slide<Self>> {
        if self.rules.stop_at_target && self.largest_rank(&board) >= self.rules.target_rank() {
            return None;
        }
        let mut ranks = self.ranks(&board);
        let mut reward = 0;
        for cells in &self.lines[direction as usize] {
            reward += slide_line(self.rules.merge, &mut ranks, cells);
        }
        let after = Packed::of_ranks(&ranks);
        (after != board.0).then_some((VariantAfterstate(after), reward))
    }

    fn empty_cells(&self, afterstate: VariantAfterstate) -> u32 {
        let ranks = self.ranks(&afterstate);
        ranks.iter().filter(|&&rank| rank == 0).count() as u32
    }

    fn place(&self, afterstate: VariantAfterstate, nth: u32, rank: u8) -> VariantBoard {
        let mut ranks = self.ranks(&afterstate);
        let empty = ranks.iter_mut().filter(|rank| **rank == 0);
        if let Some(cell) = { empty }.nth(nth as usize) {
            *cell = rank;
        }
        VariantBoard(Packed::of_ranks(&ranks))
    }

    const LINE_BITS: u32 = 5;

    fn line_codes(&self, afterstate: VariantAfterstate, codes: &mut [u32; MAX_LINES]) {
        // The lines that slide left are the rows from their first cell, those that slide up the columns.
        let [columns, _, _, rows] = &self.lines;
        for (code, cells) in codes.iter_mut().zip(rows.iter().chain(columns)) {
            let ranks = cells.iter().map(|&cell| u32::from(afterstate.rank(cell)));
            *code = ranks.rev().fold(0, |code, rank| code << 5 | rank);
        }
    }

    fn spawned_rank(&self, random: u32) -> u8 {
        let parts = self.spawn.iter();
        let spawned = parts
            .take_while(|(_, up_to)| u64::from(random) >= *up_to)
            .count();
        // Rounding may leave the last part a hair short of the whole.
        self.spawn[spawned.min(self.spawn.len() - 1)].0
    }

    fn awaiting_spawn(&self, board: VariantBoard) -> VariantAfterstate {
        VariantAfterstate(board.0)
    }

    fn board_of_ranks(&self, ranks: &[u8]) -> VariantBoard {
        VariantBoard(Packed::of_ranks(ranks))
    }
}
