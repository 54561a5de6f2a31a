//! Indices by shifts and masks, for every processor, and the plain twin of the others.

use super::layout::{Feature, Layout, spread};
use crate::kernel::row_length;
use engine::ClassicAfterstate;

/// How all indices are put together: a pattern is cut out of all eight images of a board in the same way.
pub(super) struct Cuts {
    tables: Vec<Cut>,
    /// For each view of the structure the image that shows it.
    images: Vec<usize>,
    row_length: usize,
}

/// How a pattern's index is cut out of a board.
struct Cut {
    start: u32,
    /// Halves that move by the same distance are moved together: rotate right, then mask.
    moves: Vec<(u32, u32)>,
    /// Where in a row its index under the first view is, and how far apart the next ones are.
    first: usize,
    step: usize,
}

/// Cell c has rank c.
const ALL_DIFFERENT: u64 = 0xfedc_ba98_7654_3210;

impl Cuts {
    pub(super) fn new(layout: &Layout) -> Cuts {
        let ranks = |nibbles: u64| (0..16).map(move |cell| (nibbles >> (4 * cell)) as usize & 15);
        let images = symmetric_images(ALL_DIFFERENT);
        let image = |view: &Vec<usize>| {
            let shows = |&image: &u64| ranks(image).eq(view.iter().copied());
            images.iter().position(shows).unwrap_or(0)
        };
        let place = |lookup| layout.lookups().iter().position(|&known| known == lookup);
        let cut = |(table, feature): (usize, &Feature)| {
            let first = place((table, 0)).unwrap_or(0);
            let second = place((table, 1)).unwrap_or(first + 1);
            Cut::new(feature, first, second - first)
        };
        Cuts {
            tables: layout.upright().iter().enumerate().map(cut).collect(),
            images: layout.views().iter().map(image).collect(),
            row_length: row_length(layout.lookups().len()),
        }
    }

    /// A row of indices for each afterstate.
    pub(super) fn locate(&self, afterstates: &[ClassicAfterstate], indices: &mut [u32]) {
        let rows = indices.chunks_exact_mut(self.row_length);
        for (afterstate, row) in afterstates.iter().zip(rows) {
            let images = symmetric_images(afterstate.nibbles());
            for cut in &self.tables {
                let cut_out = cut.out_of(&images);
                let places = row[cut.first..].iter_mut().step_by(cut.step);
                for (index, &image) in places.zip(&self.images) {
                    *index = cut_out[image];
                }
            }
        }
    }
}

impl Cut {
    fn new(feature: &Feature, first: usize, step: usize) -> Cut {
        let mut moves: Vec<(u32, u32)> = Vec::new();
        for half in &feature.halves {
            let from = 4 * half.cell as u32 + 2 * u32::from(half.high);
            let distance = (from + 64 - half.position) % 64;
            let bits = 3 << half.position;
            match moves.iter_mut().find(|(known, _)| *known == distance) {
                Some((_, mask)) => *mask |= bits,
                None => moves.push((distance, bits)),
            }
        }
        Cut {
            start: feature.start,
            moves,
            first,
            step,
        }
    }

    #[inline]
    fn out_of(&self, images: &[u64; 8]) -> [u32; 8] {
        let mut indices = [0; 8];
        for &(distance, mask) in &self.moves {
            for (index, image) in indices.iter_mut().zip(images) {
                *index |= image.rotate_right(distance) as u32 & mask;
            }
        }
        indices.map(|index| self.start + spread(index))
    }
}

/// Exchanges the bits under `mask` with those `shift` above them.
#[inline]
fn delta_swap(x: u64, mask: u64, shift: u32) -> u64 {
    let difference = (x ^ x >> shift) & mask;
    x ^ difference ^ difference << shift
}

/// The board under all eight symmetries.
#[inline]
fn symmetric_images(board: u64) -> [u64; 8] {
    let exchange = |x: u64, low: u64, shift: u32| (x & low) << shift | (x >> shift & low);
    let swap_in_rows = |x| exchange(x, 0x00ff_00ff_00ff_00ff, 8);
    let mirror = |x| exchange(swap_in_rows(x), 0x0f0f_0f0f_0f0f_0f0f, 4);
    let flip = |x: u64| swap_in_rows(x.swap_bytes());
    // Cells in blocks of 2x2, then the blocks (Warren, Hacker's Delight, 7-3).
    let transposed = delta_swap(board, 0x0000_f0f0_0000_f0f0, 12);
    let transposed = delta_swap(transposed, 0x0000_0000_ff00_ff00, 24);
    let (mirrored, transposed_mirrored) = (mirror(board), mirror(transposed));
    [
        board,
        mirrored,
        flip(board),
        flip(mirrored),
        transposed,
        transposed_mirrored,
        flip(transposed),
        flip(transposed_mirrored),
    ]
}
