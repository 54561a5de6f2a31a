//! Eight indices at once by the shuffles of AVX2.

use super::batch::{self, Batch, GROUPS, ranks};
use super::layout::Feature;
use bytemuck::cast;
use std::arch::x86_64::*;

/// Features that are worked out together.
const WIDTH: usize = 8;

/// How all indices are put together.
pub(super) struct Shuffles {
    blocks: Vec<Block>,
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
    factors: __m256i,
    shifts: __m256i,
}

/// What makes a shuffle give a zero.
const ZERO: u8 = 0x80;

impl Shuffles {
    /// For these features, if this processor can do it.
    pub(super) fn new(features: &[Feature]) -> Option<Shuffles> {
        let able = is_x86_feature_detected!("avx2");
        let blocks = features.chunks(WIDTH).map(Batch::new).map(Block::new);
        able.then(|| Shuffles {
            blocks: blocks.collect(),
        })
    }

    /// The indices of all features of an afterstate of four bits a cell.
    #[target_feature(enable = "avx2")]
    pub(super) fn locate(&self, nibbles: u64, indices: &mut [u32]) {
        let (low, high) = halves(nibbles);
        let (whole, rest) = indices.as_chunks_mut::<WIDTH>();
        for (indices, block) in whole.iter_mut().zip(&self.blocks) {
            *indices = cast(block.locate(low, high));
        }
        if let Some(block) = self.blocks.get(whole.len()) {
            let indices: [u32; WIDTH] = cast(block.locate(low, high));
            rest.copy_from_slice(&indices[..rest.len()]);
        }
    }
}

impl Group {
    fn new(group: &batch::Group<WIDTH>) -> Group {
        let controls = |high| {
            group.controls(|half| {
                let half = half.filter(|half| half.high == high);
                half.map_or(ZERO, |half| half.cell as u8)
            })
        };
        Group {
            low: cast(controls(false)),
            high: cast(controls(true)),
            factors: cast(group.factors),
            shifts: cast(group.shifts),
        }
    }
}

impl Block {
    fn new(batch: Batch<WIDTH>) -> Block {
        Block {
            starts: cast(batch.starts),
            groups: batch.groups.each_ref().map(Group::new),
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn locate(&self, low: __m256i, high: __m256i) -> __m256i {
        let mut sum = self.starts;
        for group in &self.groups {
            let fetched = _mm256_or_si256(
                _mm256_shuffle_epi8(low, group.low),
                _mm256_shuffle_epi8(high, group.high),
            );
            let pairs = _mm256_maddubs_epi16(fetched, group.factors);
            let joined = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            sum = _mm256_add_epi32(sum, _mm256_sllv_epi32(joined, group.shifts));
        }
        sum
    }
}

/// A byte for each half, the low ones of all cells and the high ones, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(nibbles: u64) -> (__m256i, __m256i) {
    let ranks = _mm256_broadcastsi128_si256(ranks(nibbles));
    let two = _mm256_set1_epi8(3);
    let high = _mm256_and_si256(_mm256_srli_epi64::<2>(ranks), two);
    (_mm256_and_si256(ranks, two), high)
}
