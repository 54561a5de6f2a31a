//! Sixteen indices at once: AVX-512 with byte permutation (VBMI) and sums of byte products (VNNI), as Intel's Ice Lake
//! and AMD's Zen 4 have them.

use super::batch::{self, Batch, GROUPS, ranks};
use super::layout::Feature;
use bytemuck::cast;
use std::arch::x86_64::*;

/// Features that are worked out together.
const WIDTH: usize = 16;

/// How all indices are put together.
pub(super) struct Shuffles {
    blocks: Vec<Block>,
}

struct Block {
    /// Where the tables of the features begin.
    starts: __m512i,
    groups: [Group; GROUPS],
}

/// For every feature up to four halves, which one permutation fetches, one sum of products brings together, and one
/// shift puts in place.
struct Group {
    controls: __m512i,
    factors: __m512i,
    shifts: __m512i,
}

/// Where [`halves`] has a zero.
const ZERO: u8 = 32;

impl Shuffles {
    /// For these features, if this processor can do it.
    pub(super) fn new(features: &[Feature]) -> Option<Shuffles> {
        let able = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vnni");
        let blocks = features.chunks(WIDTH).map(Batch::new).map(Block::new);
        able.then(|| Shuffles {
            blocks: blocks.collect(),
        })
    }

    /// The indices of all features of an afterstate of four bits a cell.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")]
    pub(super) fn locate(&self, nibbles: u64, indices: &mut [u32]) {
        let halves = halves(nibbles);
        let (whole, rest) = indices.as_chunks_mut::<WIDTH>();
        for (indices, block) in whole.iter_mut().zip(&self.blocks) {
            *indices = cast(block.locate(halves));
        }
        if let Some(block) = self.blocks.get(whole.len()) {
            let indices: [u32; WIDTH] = cast(block.locate(halves));
            rest.copy_from_slice(&indices[..rest.len()]);
        }
    }
}

impl Group {
    fn new(group: &batch::Group<WIDTH>) -> Group {
        let controls = group
            .controls(|half| half.map_or(ZERO, |half| half.cell as u8 + 16 * u8::from(half.high)));
        Group {
            controls: cast(controls),
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")]
    fn locate(&self, halves: __m512i) -> __m512i {
        let mut sum = self.starts;
        for group in &self.groups {
            let fetched = _mm512_permutexvar_epi8(group.controls, halves);
            let joined = _mm512_dpbusd_epi32(_mm512_setzero_si512(), fetched, group.factors);
            sum = _mm512_add_epi32(sum, _mm512_sllv_epi32(joined, group.shifts));
        }
        sum
    }
}

/// A byte for each half: the low ones of all cells, the high ones, and zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")]
fn halves(nibbles: u64) -> __m512i {
    let ranks = ranks(nibbles);
    let two = _mm_set1_epi8(3);
    let low = _mm_and_si128(ranks, two);
    let high = _mm_and_si128(_mm_srli_epi64::<2>(ranks), two);
    _mm512_zextsi256_si512(_mm256_set_m128i(high, low))
}
