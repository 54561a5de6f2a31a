//! Eight indices at once by the shuffles of AVX2.

use super::layout::{Feature, GROUPS, Half, groups};
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
        let blocks = features.chunks(WIDTH).map(Block::new);
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
    fn new<'a>(of_features: impl Iterator<Item = &'a [Half]>) -> Group {
        let (mut low, mut high) = ([[ZERO; 4]; WIDTH], [[ZERO; 4]; WIDTH]);
        let (mut factors, mut shifts) = ([[0_u8; 4]; WIDTH], [0; WIDTH]);
        for (feature, halves) in of_features.enumerate() {
            let base = halves.first().map_or(0, |half| half.position);
            shifts[feature] = base;
            for (byte, half) in halves.iter().enumerate() {
                let controls = if half.high { &mut high } else { &mut low };
                controls[feature][byte] = half.cell as u8;
                factors[feature][byte] = 1 << (half.position - base);
            }
        }
        Group {
            low: cast(low),
            high: cast(high),
            factors: cast(factors),
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
        let grouped: Vec<[&[Half]; GROUPS]> = features.iter().map(groups).collect();
        Block {
            starts: cast(starts),
            groups: std::array::from_fn(|nth| Group::new(grouped.iter().map(|of| of[nth]))),
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
    let pairs = _mm_cvtsi64_si128(nibbles as i64);
    let four = _mm_set1_epi8(15);
    let even = _mm_and_si128(pairs, four);
    let odd = _mm_and_si128(_mm_srli_epi64::<4>(pairs), four);
    let ranks = _mm256_broadcastsi128_si256(_mm_unpacklo_epi8(even, odd));
    let two = _mm256_set1_epi8(3);
    let high = _mm256_and_si256(_mm256_srli_epi64::<2>(ranks), two);
    (_mm256_and_si256(ranks, two), high)
}
