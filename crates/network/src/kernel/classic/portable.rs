//! Indices by shifts and masks, for every processor, and the plain twin of the others.

use super::layout::{Feature, Layout};

/// How all indices are put together.
///
/// It keeps a board *split*: the low halves of all ranks in the low 32 bits, the high ones in the high 32. A symmetry then
/// moves bytes and bit pairs of both at once, and a pattern is cut out of all eight images of a board in the same way.
pub(super) struct Cuts {
    tables: Vec<Cut>,
    /// For each view of the structure the image that shows it.
    images: Vec<usize>,
}

/// How a pattern's index is cut out of a split board.
struct Cut {
    start: u32,
    /// Halves that move by the same distance are moved together: rotate right, then mask.
    moves: Vec<(u32, u32)>,
}

/// Cell c has rank c.
const ALL_DIFFERENT: u64 = 0xfedc_ba98_7654_3210;

impl Cuts {
    pub(super) fn new(layout: &Layout) -> Cuts {
        let split = symmetric_images(split(ALL_DIFFERENT)).map(rank_of_cell_in_split);
        let views = layout.views();
        let image = |view: &Vec<usize>| {
            let shows = |ranks: &[usize; 16]| ranks.iter().eq(view);
            split.iter().position(shows).unwrap_or(0)
        };
        let features = layout.features();
        let upright = features.iter().step_by(views.len());
        Cuts {
            tables: upright.map(Cut::new).collect(),
            images: views.iter().map(image).collect(),
        }
    }

    pub(super) fn locate(&self, nibbles: u64, indices: &mut [u32]) {
        let images = symmetric_images(split(nibbles));
        for (cut, indices) in self
            .tables
            .iter()
            .zip(indices.chunks_mut(self.images.len()))
        {
            let cut_out = cut.out_of(&images);
            for (index, &image) in indices.iter_mut().zip(&self.images) {
                *index = cut_out[image];
            }
        }
    }
}

impl Cut {
    fn new(feature: &Feature) -> Cut {
        let mut moves: Vec<(u32, u32)> = Vec::new();
        for half in &feature.halves {
            let from = 2 * half.cell as i32 + 32 * i32::from(half.high);
            let distance = (from - half.position as i32).rem_euclid(64) as u32;
            let bits = 3 << half.position;
            match moves.iter_mut().find(|(known, _)| *known == distance) {
                Some((_, mask)) => *mask |= bits,
                None => moves.push((distance, bits)),
            }
        }
        Cut {
            start: feature.start,
            moves,
        }
    }

    #[inline]
    fn out_of(&self, images: &[u64; 8]) -> [u32; 8] {
        let mut indices = [self.start; 8];
        for &(distance, mask) in &self.moves {
            for (index, image) in indices.iter_mut().zip(images) {
                *index += image.rotate_right(distance) as u32 & mask;
            }
        }
        indices
    }
}

/// The ranks of all cells of a split board.
fn rank_of_cell_in_split(split: u64) -> [usize; 16] {
    std::array::from_fn(|cell| {
        let half = |start: usize| (split >> (start + 2 * cell)) as usize & 3;
        half(0) + 4 * half(32)
    })
}

/// Exchanges the bits under `mask` with those `shift` above them.
#[inline]
fn delta_swap(x: u64, mask: u64, shift: u32) -> u64 {
    let difference = (x ^ x >> shift) & mask;
    x ^ difference ^ difference << shift
}

/// Gathers the low two bits of each nibble in the low half and the high two in the high half: an outer
/// unshuffle of bit pairs (Warren, Hacker's Delight, 7-2).
#[inline]
fn split(nibbles: u64) -> u64 {
    let x = delta_swap(nibbles, 0x0c0c_0c0c_0c0c_0c0c, 2);
    let x = delta_swap(x, 0x00f0_00f0_00f0_00f0, 4);
    let x = delta_swap(x, 0x0000_ff00_0000_ff00, 8);
    delta_swap(x, 0x0000_0000_ffff_0000, 16)
}

/// The board under all eight symmetries; each half of a split board is four rows of a byte each.
#[inline]
fn symmetric_images(board: u64) -> [u64; 8] {
    let flip = |x: u64| x.swap_bytes().rotate_left(32);
    let mirror = |x: u64| {
        let x = (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x >> 4 & 0x0f0f_0f0f_0f0f_0f0f);
        (x & 0x3333_3333_3333_3333) << 2 | (x >> 2 & 0x3333_3333_3333_3333)
    };
    let transposed = {
        let x = delta_swap(board, 0x00cc_00cc_00cc_00cc, 6);
        delta_swap(x, 0x0000_f0f0_0000_f0f0, 12)
    };
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
