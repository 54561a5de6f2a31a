use super::{Kernel, row_length, table_starts};
use crate::Structure;
use engine::Cells;

/// Looks at one cell after the other. Works for every board, in natural order; the reference for the others.
pub struct PlainKernel {
    radix: u32,
    starts: Vec<u32>,
    /// For each pattern and symmetry the table it reads, and the cells under that symmetry.
    features: Vec<(usize, Vec<usize>)>,
}

impl<A: Cells> Kernel<A> for PlainKernel {
    const RADIX: Option<u32> = None;

    fn all(structure: &Structure, radix: u32) -> Vec<Self> {
        let views = structure.views();
        let features = structure.lookups().into_iter().map(|(table, view)| {
            let cells = structure.patterns()[table].iter();
            let image = cells.map(|&cell| views[view][usize::from(cell)]);
            (table, image.collect())
        });
        vec![PlainKernel {
            radix,
            starts: table_starts(structure, radix)
                .iter()
                .map(|&s| s as u32)
                .collect(),
            features: features.collect(),
        }]
    }

    fn name(&self) -> &'static str {
        "plain"
    }

    fn locate(&self, afterstates: &[A], indices: &mut [u32]) {
        let rows = indices.chunks_exact_mut(row_length(self.features.len()));
        for (afterstate, indices) in afterstates.iter().zip(rows) {
            for ((table, cells), index) in self.features.iter().zip(indices) {
                let natural = cells.iter().rev().fold(0, |index, &cell| {
                    index * self.radix + u32::from(afterstate.rank(cell)).min(self.radix - 1)
                });
                *index = self.starts[*table] + natural;
            }
        }
    }

    fn storage_indices(&self, table: usize, first: u32, indices: &mut [u32]) {
        for (index, natural) in indices.iter_mut().zip(first..) {
            *index = self.starts[table] + natural;
        }
    }
}
