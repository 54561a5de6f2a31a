/// Sixteen ranks in 64 bits. Four bits hold ranks up to 15 (32768). The two ranks above it, which few games
/// see, do not fit (18^16 boards need 67 bits): their cells hold 15, and `excess` what exceeds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Packed {
    /// Four bits a cell, cell 0 lowest: the rank, at most 15.
    pub(crate) nibbles: u64,
    /// Two bits a cell, cell 0 lowest: the rank less 15 where that is positive. 0 for almost all boards.
    pub(crate) excess: u32,
}

impl Packed {
    pub(crate) fn of_ranks(ranks: &[u8]) -> Packed {
        let mut packed = Packed {
            nibbles: 0,
            excess: 0,
        };
        for (cell, &rank) in ranks.iter().enumerate() {
            packed.nibbles |= u64::from(rank.min(15)) << (4 * cell);
            packed.excess |= u32::from(rank.saturating_sub(15)) << (2 * cell);
        }
        packed
    }

    #[inline]
    pub(crate) fn rank(self, cell: usize) -> u8 {
        (self.nibbles >> (4 * cell) & 15) as u8 + (self.excess >> (2 * cell) & 3) as u8
    }

    /// The lowest bit of every empty cell's four.
    #[inline]
    fn empty_mask(self) -> u64 {
        let pairs = self.nibbles | self.nibbles >> 1;
        !(pairs | pairs >> 2) & 0x1111_1111_1111_1111
    }

    /// Whether a cell's rank is at least `least`: all cells are compared at once, for ranks that four bits hold.
    #[inline]
    pub(crate) fn has_rank_from(self, least: u8) -> bool {
        if least > 15 {
            return (0..16).any(|cell| self.rank(cell) >= least);
        }
        // With the highest bit apart, 8 is reached by adding what `least` lacks to it, without a carry to the next cell.
        let highs = 0x8888_8888_8888_8888_u64;
        let ones = 0x1111_1111_1111_1111_u64;
        let sums = (self.nibbles & !highs) + u64::from(8 - least % 8) * ones;
        let reached = if least < 8 {
            sums | self.nibbles
        } else {
            // For 8 itself, 8 is added, which every cell reaches.
            sums & self.nibbles
        };
        reached & highs != 0
    }

    #[inline]
    pub(crate) fn empty_cells(self) -> u32 {
        self.empty_mask().count_ones()
    }

    /// The nibbles, which say all but on boards with an excess; it is mixed in by a multiplication.
    #[inline]
    pub(crate) fn fingerprint(self) -> u64 {
        self.nibbles ^ u64::from(self.excess).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// With a tile of a rank up to 15 in each of the empty cells.
    #[inline]
    pub(crate) fn with_tile_each(self, rank: u8) -> impl Iterator<Item = Packed> {
        let mut empty = self.empty_mask();
        std::iter::from_fn(move || {
            let lowest = empty & empty.wrapping_neg();
            empty ^= lowest;
            (lowest != 0).then(|| Packed {
                nibbles: self.nibbles | lowest.wrapping_mul(u64::from(rank)),
                ..self
            })
        })
    }

    /// With a tile of a rank up to 15 in the `nth` empty cell.
    #[inline]
    pub(crate) fn with_tile(self, nth: u32, rank: u8) -> Packed {
        debug_assert!(nth < self.empty_cells());
        // Without a loop, whose end the processor could not foresee. Each cell's four bits count the empty cells up to
        // it, and the first cell with one more than `nth` is it: there the difference is 0, and the lowest such four bits
        // are those that borrow first. 16, the count of a whole empty board, is 0 in four bits on both sides.
        let ones = 0x1111_1111_1111_1111_u64;
        let counts = self.empty_mask().wrapping_mul(ones);
        let difference = counts ^ (u64::from((nth + 1) & 15) * ones);
        let zeros = difference.wrapping_sub(ones) & !difference & ones << 3;
        let lowest = (zeros & zeros.wrapping_neg()) >> 3;
        Packed {
            nibbles: self.nibbles | lowest.wrapping_mul(u64::from(rank)),
            ..self
        }
    }
}

/// Exchanges rows and columns: two delta swaps, of 1x1 blocks in 2x2 blocks and of 2x2 blocks in the whole
/// (Warren, Hacker's Delight, 7-3).
#[inline]
pub(crate) fn transpose(nibbles: u64) -> u64 {
    let swap = |x: u64, mask: u64, shift: u32| {
        let difference = (x ^ x >> shift) & mask;
        x ^ difference ^ difference << shift
    };
    swap(
        swap(nibbles, 0x0000_f0f0_0000_f0f0, 12),
        0x0000_0000_ff00_ff00,
        24,
    )
}
