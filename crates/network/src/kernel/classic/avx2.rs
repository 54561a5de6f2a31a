//! Eight indices at once by the shuffles of AVX2.

use super::layout::{ABOVE_LINE, Feature, Half, Layout, SPREAD};
use crate::kernel::row_length;
use bytemuck::cast;
use engine::ClassicAfterstate;
use std::arch::x86_64::*;

/// Features that are worked out together.
const WIDTH: usize = 8;

/// Groups of halves in an index. No table has more than seven cells, or its indices would not fit 32 bits.
const GROUPS: usize = 4;

/// How all indices are put together.
pub(super) struct Shuffles {
    blocks: Vec<Block>,
    /// Blocks in a row of indices; the last ones may have no features.
    blocks_in_row: usize,
}

struct Block {
    /// Where the tables of the features begin.
    starts: __m256i,
    groups: [Group; GROUPS],
}

/// For every feature up to four halves, which two shuffles fetch, two sums of products bring together, and one shift
/// puts in place.
struct Group {
    low: __m256i,
    high: __m256i,
    /// By half, relative to the first of its two.
    factors: __m256i,
    /// By two halves, relative to the group.
    pair_factors: __m256i,
    shifts: __m256i,
}

/// What makes a shuffle give a zero.
const ZERO: u8 = 0x80;

impl Shuffles {
    /// For these tables, if this processor can do it.
    pub(super) fn new(layout: &Layout) -> Option<Shuffles> {
        if !is_x86_feature_detected!("avx2") {
            return None;
        }
        let features = layout.features();
        let blocks = features.chunks(WIDTH).map(Block::new);
        Some(Shuffles {
            blocks: blocks.collect(),
            blocks_in_row: row_length(features.len()) / WIDTH,
        })
    }

    /// A row of indices for each afterstate.
    #[target_feature(enable = "avx2")]
    pub(super) fn locate(&self, afterstates: &[ClassicAfterstate], indices: &mut [u32]) {
        let (indices, _) = indices.as_chunks_mut::<WIDTH>();
        for (afterstate, row) in afterstates
            .iter()
            .zip(indices.chunks_exact_mut(self.blocks_in_row))
        {
            let (low, high) = halves(afterstate.nibbles());
            for (indices, block) in row.iter_mut().zip(&self.blocks) {
                *indices = cast(block.locate(low, high));
            }
        }
    }
}

impl Group {
    /// Of the same four halves of each feature, or fewer.
    fn new<'a>(of_features: impl Iterator<Item = &'a [Half]>) -> Group {
        let mut controls = [[[ZERO; 4]; WIDTH]; 2];
        let mut factors = [[0_u8; 4]; WIDTH];
        let mut pair_factors = [[0_u16; 2]; WIDTH];
        let mut shifts = [0_u32; WIDTH];
        for (feature, halves) in of_features.enumerate() {
            let base = halves.first().map_or(0, |half| half.position);
            shifts[feature] = base;
            for (nth, pair) in halves.chunks(2).enumerate() {
                pair_factors[feature][nth] = 1 << (pair[0].position - base);
                for (half, byte) in pair.iter().zip(2 * nth..) {
                    controls[usize::from(half.high)][feature][byte] = half.cell as u8;
                    factors[feature][byte] = 1 << (half.position - pair[0].position);
                }
            }
        }
        Group {
            low: cast(controls[0]),
            high: cast(controls[1]),
            factors: cast(factors),
            pair_factors: cast(pair_factors),
            shifts: cast(shifts),
        }
    }
}

impl Block {
    fn new(features: &[Feature]) -> Block {
        let mut starts = [0; WIDTH];
        for (start, feature) in starts.iter_mut().zip(features) {
            *start = feature.start;
        }
        let group = |nth: usize| {
            let of_features = features.iter().map(|feature| feature.halves.as_slice());
            Group::new(of_features.map(|halves| halves.chunks(4).nth(nth).unwrap_or_default()))
        };
        Block {
            starts: cast(starts),
            groups: std::array::from_fn(group),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn locate(&self, low: __m256i, high: __m256i) -> __m256i {
        let mut sum = _mm256_setzero_si256();
        for group in &self.groups {
            let fetched = _mm256_or_si256(
                _mm256_shuffle_epi8(low, group.low),
                _mm256_shuffle_epi8(high, group.high),
            );
            let pairs = _mm256_maddubs_epi16(fetched, group.factors);
            let joined = _mm256_madd_epi16(pairs, group.pair_factors);
            sum = _mm256_or_si256(sum, _mm256_sllv_epi32(joined, group.shifts));
        }
        let higher = _mm256_srli_epi32::<{ SPREAD as i32 }>(sum);
        let added = _mm256_and_si256(higher, _mm256_set1_epi32(ABOVE_LINE as i32));
        _mm256_add_epi32(_mm256_xor_si256(sum, added), self.starts)
    }
}

/// A byte for each half, the low ones of all cells and the high ones, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(nibbles: u64) -> (__m256i, __m256i) {
    let mask = 0x0f0f_0f0f_0f0f_0f0f;
    let even = _mm_cvtsi64_si128((nibbles & mask) as i64);
    let odd = _mm_cvtsi64_si128((nibbles >> 4 & mask) as i64);
    let ranks = _mm256_broadcastsi128_si256(_mm_unpacklo_epi8(even, odd));
    let two_bits = _mm256_set1_epi8(3);
    let high = _mm256_and_si256(_mm256_srli_epi64::<2>(ranks), two_bits);
    (_mm256_and_si256(ranks, two_bits), high)
}
