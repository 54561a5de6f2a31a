//! The order of 4x4 tables in memory.
//!
//! Each rank is two *halves* of two bits: low (rank mod 4) and high (rank / 4). A look-up's index puts every half of
//! the pattern's cells somewhere. Successive boards differ mostly in low halves, so those lie in the low bits of the
//! index: what is looked up next lies near what was looked up last.
//!
//! Two patterns that have all cells but one in common, maybe under a symmetry, are looked up together with the same
//! contents of the common cells. Their tables are interleaved, so that both look-ups often find one cache line:
//!
//! | bits | what |
//! |---|---|
//! | 0, 1 | low half of the cell of its own |
//! | 2 | which of the two |
//! | 3 ... | low halves of the common cells |
//! | then | high half of its own, high halves of the common ones |

use crate::Structure;

/// A half of a rank, and where in an index it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Half {
    /// The cell.
    pub(super) cell: usize,
    /// Whether it is the high half.
    pub(super) high: bool,
    /// The lower of its two bits in the index.
    pub(super) position: u32,
}

/// One of the look-ups whose weights add up to a value: a pattern under a symmetry.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// Where the pattern's table begins.
    pub(super) start: u32,
    /// The halves of the cells, by position.
    pub(super) halves: Vec<Half>,
}

/// How tables lie in memory.
pub(super) struct Layout {
    tables: Vec<Table>,
    views: Vec<Vec<usize>>,
}

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
                tables[second] = Some(table(start + 4, &patterns[second], &image));
                start += 2 * entries;
            } else {
                tables[first] = Some(Table::alone(start, cells));
                start += entries;
            }
        }
        Layout {
            tables: tables.into_iter().flatten().collect(),
            views,
        }
    }

    /// The symmetries under which patterns are looked up.
    pub(super) fn views(&self) -> &[Vec<usize>] {
        &self.views
    }

    /// All features: those of the first pattern under all views, and so on.
    pub(super) fn features(&self) -> Vec<Feature> {
        let pairs = self.tables.iter();
        let pairs = pairs.flat_map(|table| self.views.iter().map(move |view| (table, view)));
        pairs.map(|(table, view)| table.under(view)).collect()
    }

    /// Where the weight of a natural index lies.
    pub(super) fn storage_index(&self, table: usize, natural: u32) -> u32 {
        let table = &self.tables[table];
        let ranks = (0..).map(|nth| natural >> (4 * nth));
        let placed = table.positions.iter().zip(ranks);
        let placed = placed.map(|(&[low, high], rank)| (rank & 3) << low | (rank >> 2 & 3) << high);
        table.start + placed.sum::<u32>()
    }
}

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
    let size = cells.len() as u32;
    let place = |cell| match common.iter().position(|&known| known == cell) {
        Some(nth) => [3 + 2 * nth as u32, 3 + 2 * (size + nth as u32)],
        None => [0, 1 + 2 * size],
    };
    cells.iter().map(|&cell| place(cell)).collect()
}

impl Table {
    /// A table that is interleaved with no other.
    fn alone(start: u32, cells: &[usize]) -> Table {
        let size = cells.len() as u32;
        let positions = (0..size).map(|nth| [2 * nth, 2 * (size + nth)]);
        Table {
            start,
            cells: cells.to_vec(),
            positions: positions.collect(),
        }
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
