//! From afterstates to places in the tables.
//!
//! A kernel fixes the order in which a table's weights lie in memory. The *natural index* of a pattern's
//! content is the sum of rank(cell i) x radix^i, ranks clamped to radix - 1; files use it. The storage index
//! may be any permutation of it.

mod classic;
mod plain;

use crate::Structure;
pub(crate) use classic::ClassicKernel;
use engine::{Classic, Game, Variant};
pub(crate) use plain::PlainKernel;

/// Works out where in memory the weights of an afterstate lie.
///
/// All tables of a network lie in one array, one after the other; storage indices count from its start.
pub trait Kernel<A>: Sized + Send + Sync + 'static {
    /// The only radix that the kernel can do, if it cannot do any.
    const RADIX: Option<u32>;

    /// The kernels for tables of the given radix that this processor can do, the fastest first; at least one. All put
    /// weights in the same order.
    fn all(structure: &Structure, radix: u32) -> Vec<Self>;

    /// What it is called, for people.
    fn name(&self) -> &'static str;

    /// Writes the storage index of every feature of some afterstates: of each pattern under each symmetry, in the order
    /// of [`Structure::lookups`]. `indices` has a row of [`row_length`] entries for each; those beyond its features mean
    /// nothing.
    fn locate(&self, afterstates: &[A], indices: &mut [u32]);

    /// The storage indices of some natural indices of one table, those that follow the first.
    fn storage_indices(&self, table: usize, first: u32, indices: &mut [u32]);
}

/// Entries in a row of indices: the features, rounded up to whole cache lines.
pub(crate) fn row_length(features: usize) -> usize {
    features.next_multiple_of(LINE)
}

/// Indices in a cache line.
pub(crate) const LINE: usize = 16;

/// A game whose boards can index tables, and the kernel that does it.
pub trait Indexed: Game {
    /// The kernel.
    type Kernel: Kernel<Self::Afterstate>;
}

impl Indexed for Classic {
    type Kernel = ClassicKernel;
}

impl Indexed for Variant {
    type Kernel = PlainKernel;
}

/// Where each table begins, counted in entries, and after them where the last one ends.
pub(crate) fn table_starts(structure: &Structure, radix: u32) -> Vec<u64> {
    let mut starts = vec![0_u64];
    for cells in structure.patterns() {
        let entries = u64::from(radix).saturating_pow(cells.len() as u32);
        starts.push(starts[starts.len() - 1].saturating_add(entries));
    }
    starts
}
