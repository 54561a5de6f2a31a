//! The order of 4x4 tables in memory.
//!
//! Each rank is two *halves* of two bits: low (rank mod 4) and high (rank / 4). The index of a look-up puts every half of
//! the pattern's cells somewhere. Which weights share a cache line, of 16, decides how much memory a move touches:
//!
//! Two patterns that have all cells but one in common, maybe under a symmetry, are looked up together with the same
//! contents of the common cells. Their tables are interleaved, so that both look-ups find one line, unless only one of
//! the two cells has a rank of 8 or more:
//!
//! | bits of a pair of tables | |
//! |---|---|
//! | 0, 1 | low half of the cell of its own |
//! | 2 | which of the two |
//! | 3, 4 | high half of its own |
//! | 5 ... | the common cells, of each the low half and the high half |
//!
//! | bits of a table alone | |
//! |---|---|
//! | 0 to 3 | low halves of the first two cells |
//! | 4 to 7 | high halves of the first two cells |
//! | 8 ... | the other cells, of each the low half and the high half |
//!
//! So ordered, few lines are in use, but those lie badly: ranks are mostly small, so the same bits of most lines' numbers
//! are 0, and they crowd into few sets of the processor's caches. Therefore the higher bits of a line's number are added
//! (exclusive or) to the lower ones. Counted on the look-ups of a trained 4x6 network, this leaves 13 lines of a move to
//! be fetched into a cache of 1 MiB; without the spreading 26, in natural order 44.

use crate::Structure;
use crate::kernel::LINE;

/// A half of a rank, and where in an index it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    /// The cell.
    pub(super) cell: usize,
    /// Whether it is the high half.
    pub(super) high: bool,
    /// The lower of its two bits in the index, before it is spread.
    pub(super) position: u32,
}

/// One of the look-ups whose weights add up to a value: a pattern under a symmetry. Its index is `start` + the
/// [`spread`] sum of its halves.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// Where the pattern's table begins.
    pub(super) start: u32,
    /// The halves of the cells, by position.
    pub(super) halves: Vec<Half>,
}

/// How far bits are moved that are added to lower ones.
pub(super) const SPREAD: u32 = 7;

/// The bits of an index that others are added to: all but those that say where in a line a weight lies.
pub(super) const ABOVE_LINE: u32 = !(LINE as u32 - 1);

/// Spreads lines over the sets of a cache. A permutation: the highest bits stay, and tell what was added to the others.
#[inline]
pub(super) fn spread(index: u32) -> u32 {
    index ^ (index >> SPREAD & ABOVE_LINE)
}

/// How tables lie in memory.
#[derive(Clone)]
pub(super) struct Layout {
    tables: Vec<Table>,
    views: Vec<Vec<usize>>,
    /// Table and view of each feature.
    lookups: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct Table {
    start: u32,
    /// The pattern's cells in natural order.
    cells: Vec<usize>,
    /// By cell of the pattern, where its low and its high half lie.
    positions: Vec<[u32; 2]>,
}

impl Layout {
    pub(super) fn new(structure: &Structure) -> Layout {
        let views = structure.views();
        let patterns: Vec<Vec<usize>> = { structure.patterns().iter() }
            .map(|cells| cells.iter().map(|&cell| usize::from(cell)).collect())
            .collect();
        let mut tables: Vec<Option<Table>> = patterns.iter().map(|_| None).collect();
        let mut start = 0;
        for first in 0..patterns.len() {
            if tables[first].is_some() {
                continue;
            }
            let cells = &patterns[first];
            let sibling = (first + 1..patterns.len())
                .filter(|&second| tables[second].is_none())
                .find_map(|second| Some((second, sibling(cells, &patterns[second], &views)?)));
            let entries = 1 << (4 * cells.len());
            if let Some((second, image)) = sibling {
                let common: Vec<usize> = { cells.iter().copied() }
                    .filter(|cell| image.contains(cell))
                    .collect();
                let table = |start, cells: &[usize], image: &[usize]| Table {
                    start,
                    cells: cells.to_vec(),
                    positions: interleaved(image, &common),
                };
                tables[first] = Some(table(start, cells, cells));
                tables[second] = Some(table(start + WHICH, &patterns[second], &image));
                start += 2 * entries;
            } else {
                tables[first] = Some(Table::alone(start, cells));
                start += entries;
            }
        }
        Layout {
            tables: tables.into_iter().flatten().collect(),
            lookups: structure.lookups(),
            views,
        }
    }

    /// The symmetries under which patterns are looked up.
    pub(super) fn views(&self) -> &[Vec<usize>] {
        &self.views
    }

    /// Table and view of each feature.
    pub(super) fn lookups(&self) -> &[(usize, usize)] {
        &self.lookups
    }

    /// All features, in the order of indices.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn features(&self) -> Vec<Feature> {
        let lookups = self.lookups.iter();
        let feature = |&(table, view): &(usize, usize)| self.tables[table].under(&self.views[view]);
        lookups.map(feature).collect()
    }

    /// The tables, each as the feature that reads it under no symmetry.
    pub(super) fn upright(&self) -> Vec<Feature> {
        let tables = self.tables.iter();
        tables.map(|table| table.under(&self.views[0])).collect()
    }

    /// Where the weights of some natural indices of a table lie, of those that follow the first. That must be a multiple
    /// of a power of 2 that is no less than how many they are.
    pub(super) fn storage_indices(&self, table: usize, first: u32, indices: &mut [u32]) {
        debug_assert!(first.is_multiple_of(indices.len().next_power_of_two() as u32));
        let table = &self.tables[table];
        // Every bit of a natural index adds its own bits, whatever the others are.
        let bits: Vec<u32> = (0..u32::BITS).map(|bit| table.spread_bit(bit)).collect();
        let among = |natural: u32| (0..u32::BITS).filter(move |bit| natural >> bit & 1 == 1);
        let base = among(first).fold(0, |index, bit| index ^ bits[bit as usize]);
        for n in 0..indices.len() {
            indices[n] = match n {
                0 => base,
                _ => indices[n & (n - 1)] ^ bits[n.trailing_zeros() as usize],
            };
        }
        for index in indices {
            *index += table.start;
        }
    }
}

/// The bit that tells two interleaved tables apart.
const WHICH: u32 = 4;

/// The second pattern's cells under a view in which it has all cells but one of the first.
fn sibling(first: &[usize], second: &[usize], views: &[Vec<usize>]) -> Option<Vec<usize>> {
    let images = views
        .iter()
        .map(|view| second.iter().map(|&cell| view[cell]));
    let common = |image: &Vec<usize>| image.iter().filter(|cell| first.contains(cell)).count();
    let siblings = |image: &Vec<usize>| first.len() > 1 && common(image) + 1 == first.len();
    (first.len() == second.len())
        .then(|| images.map(Iterator::collect).find(siblings))
        .flatten()
}

/// The positions of the halves of a pattern whose table is interleaved with another's.
fn interleaved(cells: &[usize], common: &[usize]) -> Vec<[u32; 2]> {
    let place = |cell| match common.iter().position(|&known| known == cell) {
        Some(nth) => [5 + 4 * nth as u32, 7 + 4 * nth as u32],
        None => [0, 3],
    };
    cells.iter().map(|&cell| place(cell)).collect()
}

impl Table {
    /// A table that is interleaved with no other.
    fn alone(start: u32, cells: &[usize]) -> Table {
        let place = |nth: u32| match (nth, cells.len()) {
            (_, 1) => [0, 2],
            (0 | 1, _) => [2 * nth, 4 + 2 * nth],
            _ => [4 * nth, 4 * nth + 2],
        };
        Table {
            start,
            cells: cells.to_vec(),
            positions: (0..cells.len() as u32).map(place).collect(),
        }
    }

    /// The bits of the storage index that a bit of the natural index sets, less the table's start.
    fn spread_bit(&self, bit: u32) -> u32 {
        let positions = self.positions.get(bit as usize / 4);
        let place = |positions: &[u32; 2]| positions[bit as usize / 2 % 2] + bit % 2;
        positions.map_or(0, |positions| spread(1 << place(positions)))
    }

    /// The pattern under a symmetry.
    fn under(&self, view: &[usize]) -> Feature {
        let placed = self.cells.iter().zip(&self.positions);
        let halves = placed.flat_map(|(&cell, positions)| {
            let cell = view[cell];
            [(false, positions[0]), (true, positions[1])].map(|(high, position)| Half {
                cell,
                high,
                position,
            })
        });
        let mut halves: Vec<Half> = halves.collect();
        halves.sort_unstable_by_key(|half| half.position);
        Feature {
            start: self.start,
            halves,
        }
    }
}
