//! The kernel of 4x4 boards of radix 16: one order in memory, and several ways to work out the indices, of which the
//! best that the processor can do is taken. All give the same indices in the same order.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod layout;
mod portable;

use super::Kernel;
use crate::Structure;
use engine::ClassicAfterstate;
use layout::Layout;
use portable::Cuts;

/// See the module.
pub struct ClassicKernel {
    layout: Layout,
    path: Path,
}

/// How indices are worked out.
enum Path {
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Shifts),
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Shuffles),
    Portable(Cuts),
}

impl Kernel<ClassicAfterstate> for ClassicKernel {
    const RADIX: Option<u32> = Some(16);

    fn all(structure: &Structure, _radix: u32) -> Vec<Self> {
        let layout = Layout::new(structure);
        let mut kernels = Vec::new();
        let mut add = |path| {
            let layout = layout.clone();
            kernels.push(ClassicKernel { layout, path });
        };
        #[cfg(target_arch = "x86_64")]
        {
            avx512::Shifts::new(&layout).map(Path::Avx512).map(&mut add);
            avx2::Shuffles::new(&layout).map(Path::Avx2).map(&mut add);
        }
        add(Path::Portable(Cuts::new(&layout)));
        kernels
    }

    fn name(&self) -> &'static str {
        match self.path {
            #[cfg(target_arch = "x86_64")]
            Path::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2(_) => "AVX2",
            Path::Portable(_) => "portable",
        }
    }

    #[inline]
    fn locate(&self, afterstates: &[ClassicAfterstate], indices: &mut [u32]) {
        match &self.path {
            // SAFETY: there are such shifts only where the processor was found to have what they are compiled for.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Path::Avx512(shifts) => unsafe { shifts.locate(afterstates, indices) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Path::Avx2(shuffles) => unsafe { shuffles.locate(afterstates, indices) },
            Path::Portable(cuts) => cuts.locate(afterstates, indices),
        }
    }

    fn storage_indices(&self, table: usize, first: u32, indices: &mut [u32]) {
        self.layout.storage_indices(table, first, indices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{PlainKernel, row, table_starts};
    use engine::{Classic, Game};
    use proptest::prelude::*;

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
        fn all_ways_find_the_weights_that_the_plain_kernel_finds(
            text in any_structure(),
            boards in proptest::collection::vec(proptest::collection::vec(0u8..=17, 16), 1..4)
        ) {
            let structure = Structure::parse(&text, Classic.rules().geometry()).expect("patterns");
            let board = |ranks: &Vec<u8>| Classic.awaiting_spawn(Classic.board_of_ranks(ranks));
            let afterstates: Vec<_> = boards.iter().map(board).collect();
            let plain: PlainKernel = Kernel::<ClassicAfterstate>::all(&structure, 16).remove(0);
            let row = row(structure.features());
            let mut natural = vec![0; row * afterstates.len()];
            plain.locate(&afterstates, &mut natural);
            let starts = table_starts(&structure, 16);
            let kernels = ClassicKernel::all(&structure, 16);
            let mut expected = Vec::new();
            for row in natural.chunks(row) {
                for (&(table, _), index) in structure.lookups().iter().zip(row) {
                    let mut stored = [0];
                    kernels[0].storage_indices(table, index - starts[table] as u32, &mut stored);
                    expected.push(stored[0]);
                }
            }
            for kernel in kernels {
                let mut found = vec![0; row * afterstates.len()];
                kernel.locate(&afterstates, &mut found);
                let features = found.chunks(row).flat_map(|row| &row[..structure.features()]);
                prop_assert_eq!(features.copied().collect::<Vec<_>>(), expected.clone(), "{}", kernel.name());
            }
        }
    }

    /// Tables that lie alone, and pairs that are interleaved as they are and under a symmetry.
    #[test]
    fn storage_is_a_permutation_of_all_tables() {
        for text in [
            "cd1 0 5a72",
            "012 456 126 ab",
            "0123 4567 0124 bfae",
            "01 asymmetric",
        ] {
            let structure = Structure::parse(text, Classic.rules().geometry()).expect("patterns");
            let kernel = ClassicKernel::all(&structure, 16).remove(0);
            let mut seen = Vec::new();
            for (table, cells) in structure.patterns().iter().enumerate() {
                let mut indices = vec![0; 1 << (4 * cells.len())];
                kernel.storage_indices(table, 0, &mut indices);
                let mut block = vec![0; indices.len() / 16];
                kernel.storage_indices(table, 3 * block.len() as u32, &mut block);
                assert_eq!(block, indices[3 * block.len()..][..block.len()], "{text}");
                seen.append(&mut indices);
            }
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..seen.len() as u32), "{text}");
        }
    }

    #[test]
    fn patterns_that_share_cells_share_lines() {
        let structure = Structure::parse("4x6", Classic.rules().geometry()).expect("patterns");
        let kernel = ClassicKernel::all(&structure, 16).remove(0);
        let board = "2 4 2 8/4 8 0 0/2 0 0 0/0 0 0 0";
        let board = Classic.parse_board(board).expect("a board");
        let mut indices = vec![0; structure.features()];
        kernel.locate(&[Classic.awaiting_spawn(board)], &mut indices);
        let mut lines: Vec<u32> = indices.iter().map(|index| index / 16).collect();
        lines.sort_unstable();
        lines.dedup();
        assert!(lines.len() <= 16, "{lines:?}");
    }
}
