use super::{Kernel, table_starts};
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

    fn new(structure: &Structure, radix: u32) -> Self {
        let views = structure.views();
        let patterns = structure.patterns().iter().enumerate();
        let features = patterns.flat_map(|(table, cells)| {
            views.iter().map(move |view| {
                let image = cells.iter().map(|&cell| view[usize::from(cell)]);
                (table, image.collect())
            })
        });
        PlainKernel {
            radix,
            starts: table_starts(structure, radix)
                .iter()
                .map(|&s| s as u32)
                .collect(),
            features: features.collect(),
        }
    }

    fn name(&self) -> &'static str {
        "plain"
    }

    fn locate(&self, afterstate: A, indices: &mut [u32]) {
        for ((table, cells), index) in self.features.iter().zip(indices) {
            let natural = cells.iter().rev().fold(0, |index, &cell| {
                index * self.radix + u32::from(afterstate.rank(cell)).min(self.radix - 1)
            });
            *index = self.starts[*table] + natural;
        }
    }

    fn storage_index(&self, table: usize, natural: u32) -> u32 {
        self.starts[table] + natural
    }
}
