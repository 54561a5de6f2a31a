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
    use crate::kernel::{PlainKernel, row_length, table_starts};
    use engine::{Classic, Game};
    use proptest::prelude::*;

    /// Patterns of one to seven cells in any order, as text; often the first with another last cell among them.
    fn any_structure() -> impl Strategy<Value = String> {
        let cells: Vec<char> = "0123456789abcdef".chars().collect();
        let pattern = (1..=7_usize).prop_flat_map(move |size| {
            Just(cells.clone())
                .prop_shuffle()
                .prop_map(move |cells| (cells[..size].to_vec(), cells[size]))
        });
        let patterns = proptest::collection::vec(pattern, 1..5);
        (patterns, any::<bool>(), any::<bool>()).prop_map(|(patterns, sibling, symmetric)| {
            let text = |cells: &[char]| cells.iter().collect::<String>();
            let mut words: Vec<String> = patterns.iter().map(|(cells, _)| text(cells)).collect();
            if sibling {
                let (cells, other) = &patterns[0];
                words.push(text(&cells[1..]) + &other.to_string());
            }
            if !symmetric {
                words.push("asymmetric".to_owned());
            }
            words.join(" ")
        })
    }

    /// Kernels have no tables, so networks too large for a test are none for this.
    fn check_against_plain(text: &str, boards: &[Vec<u8>]) {
        let structure = Structure::parse(text, Classic.rules().geometry()).expect("patterns");
        let board = |ranks: &Vec<u8>| Classic.awaiting_spawn(Classic.board_of_ranks(ranks));
        let afterstates: Vec<_> = boards.iter().map(board).collect();
        let plain: PlainKernel = Kernel::<ClassicAfterstate>::all(&structure, 16).remove(0);
        let row = row_length(structure.features());
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
            let features = found
                .chunks(row)
                .flat_map(|row| &row[..structure.features()]);
            let features: Vec<u32> = features.copied().collect();
            assert_eq!(features, expected, "{text}: {}", kernel.name());
        }
    }

    proptest! {
        #[test]
        fn all_ways_find_the_weights_that_the_plain_kernel_finds(
            text in any_structure(),
            boards in proptest::collection::vec(proptest::collection::vec(0u8..=17, 16), 1..4)
        ) {
            check_against_plain(&text, &boards);
        }
    }

    /// Those that people use, and the largest and the most numerous that there are.
    #[test]
    fn all_ways_find_the_weights_of_known_structures() {
        let boards: Vec<Vec<u8>> = (0..50_u64)
            .map(|n| {
                (0..16)
                    .map(|cell| (n * 7 + cell * (n + 3)) as u8 % 18)
                    .collect()
            })
            .collect();
        let sevens: Vec<String> = (0..8).map(|n| format!("{n:x}9abcdf")).collect();
        for text in [
            "4x6",
            "5x6",
            "6x6",
            "7x6",
            "8x6",
            "5x4",
            "4x5",
            "17x4",
            "0123456 0123457",
            &sevens.join(" "),
            &"0123 4567 0124 b ".repeat(16),
            &("0123 4567 0124 b ".repeat(16) + "asymmetric"),
        ] {
            check_against_plain(text, &boards);
        }
    }

    /// Tables that lie alone, and pairs that are interleaved as they are and under a symmetry.
    #[test]
    fn storage_is_a_permutation_of_all_tables() {
        for text in [
            "cd1 0 5a72",
            "012 456 126 ab",
            "01234 01245",
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
