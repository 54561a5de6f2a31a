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
pub trait Kernel<A>: Send + Sync + 'static {
    /// The only radix that the kernel can do, if it cannot do any.
    const RADIX: Option<u32>;

    /// A kernel for tables of the given radix.
    fn new(structure: &Structure, radix: u32) -> Self;

    /// What it is called, for people.
    fn name(&self) -> &'static str;

    /// Writes the storage index of every feature of an afterstate: of each pattern under each symmetry.
    /// `indices` has [`Structure::features`] entries: those
    /// of the first pattern under all views, and so on.
    fn locate(&self, afterstate: A, indices: &mut [u32]);

    /// The storage index of a natural index of one table. For the sake of files that are read fast it must add
    /// up: with the table's start s and any multiple a of 4096, index(a + b) - s is (index(a) - s) +
    /// (index(b) - s) for all b below 4096.
    fn storage_index(&self, table: usize, natural: u32) -> u32;
}

/// Natural indices that [`Kernel::storage_index`] lets be worked out together: three cells of radix 16.
pub(crate) const BLOCK: u32 = 1 << 12;

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
