use super::{Kernel, table_starts};
use crate::Structure;
use engine::ClassicAfterstate;

/// The kernel of 4x4 boards of radix 16.
///
/// It keeps a board *split*: the low two bits of all 16 ranks in the low 32 bits, the high two in the high 32.
/// A symmetry then moves bytes and bit pairs of both halves at once, and a pattern is cut out of both at once.
/// The storage index is the cut low half below the cut high half, which also is the better order: successive
/// boards differ mostly in the low bits of ranks, so what is looked up next lies near what was looked up last.
pub struct SplitKernel {
    symmetric: bool,
    patterns: Vec<Cut>,
}

/// How a pattern's index is cut out of a split board.
struct Cut {
    /// Where the pattern's table begins.
    start: u32,
    /// Bits by which the high half's part must move to lie above the low half's.
    closing_shift: u32,
    /// Cells that move by the same distance are moved together: rotate right, then mask.
    moves: Vec<(u32, u64)>,
}

impl Kernel<ClassicAfterstate> for SplitKernel {
    const RADIX: Option<u32> = Some(16);

    fn new(structure: &Structure, radix: u32) -> Self {
        let starts = table_starts(structure, radix);
        let patterns = structure.patterns().iter().zip(starts);
        SplitKernel {
            symmetric: structure.symmetric(),
            patterns: patterns
                .map(|(cells, start)| Cut::new(cells, start as u32))
                .collect(),
        }
    }

    #[inline]
    fn locate(&self, afterstate: ClassicAfterstate, indices: &mut [u32]) {
        if self.symmetric {
            cut_symmetric(&self.patterns, afterstate.nibbles(), indices);
        } else {
            cut_out(&self.patterns, &[split(afterstate.nibbles())], indices);
        }
    }

    fn storage_index(&self, table: usize, natural: u32) -> u32 {
        let cut = &self.patterns[table];
        cut.start + cut.close(split(u64::from(natural)))
    }
}

/// The indices of all patterns under all symmetries. Compiled for several instruction sets, of which the best
/// that the processor has is taken: eight 64-bit words are one AVX-512 register.
#[multiversion::multiversion(targets(
    "x86_64+avx+avx2+bmi1+bmi2+avx512f+avx512bw+avx512dq+avx512vl",
    "x86_64+avx+avx2+bmi1+bmi2"
))]
fn cut_symmetric(patterns: &[Cut], nibbles: u64, indices: &mut [u32]) {
    cut_out(patterns, &symmetric_images(split(nibbles)), indices);
}

/// The indices of all patterns in each of some split boards.
#[inline(always)]
fn cut_out<const N: usize>(patterns: &[Cut], boards: &[u64; N], indices: &mut [u32]) {
    for (cut, indices) in patterns.iter().zip(indices.as_chunks_mut::<N>().0) {
        let mut parts = [0; N];
        for &(distance, mask) in &cut.moves {
            for (part, board) in parts.iter_mut().zip(boards) {
                *part |= board.rotate_right(distance) & mask;
            }
        }
        for (index, part) in indices.iter_mut().zip(parts) {
            *index = cut.start + cut.close(part);
        }
    }
}

impl Cut {
    fn new(cells: &[u8], start: u32) -> Cut {
        let mut moves: Vec<(u32, u64)> = Vec::new();
        for (position, &cell) in cells.iter().enumerate() {
            let distance = (2 * i32::from(cell) - 2 * position as i32).rem_euclid(64) as u32;
            let bits = 0x0000_0003_0000_0003 << (2 * position);
            match moves.iter_mut().find(|(known, _)| *known == distance) {
                Some((_, mask)) => *mask |= bits,
                None => moves.push((distance, bits)),
            }
        }
        Cut {
            start,
            closing_shift: 32 - 2 * cells.len() as u32,
            moves,
        }
    }

    /// Joins the two halves of a cut-out pattern.
    #[inline(always)]
    fn close(&self, part: u64) -> u32 {
        part as u32 | (part >> self.closing_shift) as u32
    }
}

/// Exchanges the bits under `mask` with those `shift` above them.
#[inline(always)]
fn delta_swap(x: u64, mask: u64, shift: u32) -> u64 {
    let difference = (x ^ x >> shift) & mask;
    x ^ difference ^ difference << shift
}

/// Gathers the low two bits of each nibble in the low half and the high two in the high half: an outer
/// unshuffle of bit pairs (Warren, Hacker's Delight, 7-2).
#[inline(always)]
fn split(nibbles: u64) -> u64 {
    let x = delta_swap(nibbles, 0x0c0c_0c0c_0c0c_0c0c, 2);
    let x = delta_swap(x, 0x00f0_00f0_00f0_00f0, 4);
    let x = delta_swap(x, 0x0000_ff00_0000_ff00, 8);
    delta_swap(x, 0x0000_0000_ffff_0000, 16)
}

/// The board under all eight symmetries; each half of a split board is four rows of a byte each.
#[inline(always)]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::PlainKernel;
    use engine::{Classic, Game};
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Patterns of one to six cells in any order, as text.
    fn any_structure() -> impl Strategy<Value = String> {
        let cells: Vec<char> = "0123456789abcdef".chars().collect();
        let pattern = (1..=6_usize).prop_flat_map(move |size| {
            Just(cells.clone())
                .prop_shuffle()
                .prop_map(move |cells| cells[..size].iter().collect::<String>())
        });
        let patterns = proptest::collection::vec(pattern, 1..5);
        (patterns, any::<bool>()).prop_map(|(patterns, symmetric)| {
            patterns.join(" ") + if symmetric { "" } else { " asymmetric" }
        })
    }

    proptest! {
        #[test]
        fn it_finds_the_weights_that_the_plain_kernel_finds(
            text in any_structure(),
            ranks in proptest::collection::vec(0u8..=17, 16)
        ) {
            let structure = Structure::parse(&text, Classic.rules().geometry()).expect("patterns");
            let afterstate = Classic.awaiting_spawn(Classic.board_of_ranks(&ranks));
            let plain: PlainKernel = Kernel::<ClassicAfterstate>::new(&structure, 16);
            let split = SplitKernel::new(&structure, 16);
            let mut expected = vec![0; structure.features()];
            plain.locate(afterstate, &mut expected);
            let mut found = vec![0; structure.features()];
            split.locate(afterstate, &mut found);

            let views = structure.views().len();
            let starts = table_starts(&structure, 16);
            for (table, start) in starts.iter().enumerate().take(structure.patterns().len()) {
                let of_table = table * views..(table + 1) * views;
                // The order of views is each kernel's own: compare as multisets.
                let mut expected: Vec<u32> = expected[of_table.clone()]
                    .iter()
                    .map(|index| split.storage_index(table, index - *start as u32))
                    .collect();
                let mut found = found[of_table].to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn storage_is_a_permutation_of_each_table() {
        let structure =
            Structure::parse("cd1 0 5a72", Classic.rules().geometry()).expect("patterns");
        let kernel = SplitKernel::new(&structure, 16);
        let mut seen = HashMap::new();
        for (table, size) in [(0, 4096), (1, 16), (2, 65536)] {
            for natural in 0..size {
                assert_eq!(
                    seen.insert(kernel.storage_index(table, natural), table),
                    None
                );
            }
        }
        assert_eq!(seen.len() as u32, 4096 + 16 + 65536);
        assert_eq!(seen.keys().max(), Some(&(4096 + 16 + 65536 - 1)));
    }
}
