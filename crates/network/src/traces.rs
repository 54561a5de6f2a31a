use crate::kernel::{LINE, row_length};
use bytemuck::{Pod, Zeroable};

/// Where the weights of some afterstates are, a row for each.
#[derive(Clone, Debug)]
pub struct Traces {
    lines: Vec<Line>,
    features: usize,
    /// How far the small tables are that these indices are of; see the module `copies`.
    pub(crate) shift: u32,
}

/// Where the weights of one afterstate are. Opaque: only meaningful to the network that found them and to its
/// [`CoherenceSums`].
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    pub(crate) indices: &'a [u32],
}

/// A cache line of indices. They are written by whole lines and read one by one at once, which is only fast if no write
/// crosses a line's end.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u32; LINE]);

impl Traces {
    /// Room for so many rows.
    pub(crate) fn new(rows: usize, features: usize) -> Self {
        Traces {
            lines: vec![Line([0; LINE]); rows * row_length(features) / LINE],
            features,
            shift: 0,
        }
    }

    /// All rows, one after the other.
    #[inline]
    pub(crate) fn indices_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }

    /// The nth row.
    #[inline]
    pub fn row(&self, nth: usize) -> Trace<'_> {
        let rows: &[u32] = bytemuck::cast_slice(&self.lines);
        let start = nth * row_length(self.features);
        let indices = &rows[start..start + self.features];
        Trace { indices }
    }

    /// Copies a row of other traces of the same network to the nth row.
    #[inline]
    pub fn copy_row(&mut self, nth: usize, other: &Traces, from: usize) {
        let lines = row_length(self.features) / LINE;
        let from = &other.lines[from * lines..][..lines];
        self.lines[nth * lines..][..lines].copy_from_slice(from);
    }
}
