//! Sixteen indices at once: AVX-512 with shifts of many bytes (VBMI), as Intel's Ice Lake and AMD's Zen 4 have them.

use super::layout::{ABOVE_LINE, Feature, Layout, SPREAD};
use crate::kernel::LINE;
use bytemuck::cast;
use engine::ClassicAfterstate;
use std::arch::x86_64::*;

/// Images of a board that a register holds, and look-ups in each of them.
const IMAGES: usize = 8;
const TABLES: usize = LINE / IMAGES;

/// How all indices are put together.
///
/// Symmetries of a board's 64 bits are put side by side. A shift moves eight bits of such an image to each byte of two
/// indices; masked, that is a part of what a pattern sees, and few of these terms are all.
pub(super) struct Shifts {
    /// The bits that become the even and the odd cells of each image.
    images: [__m512i; 2],
    blocks: Vec<Block>,
}

/// Features that share a cache line of indices: two in each image, or one.
struct Block {
    terms: Vec<Term>,
    /// Where the tables of the features begin.
    starts: __m512i,
    /// Whether there is one in each image.
    single: bool,
}

/// Some bits of each index.
struct Term {
    /// For every byte, the first of the eight bits of the image that are moved there.
    shifts: __m512i,
    mask: __m512i,
}

impl Shifts {
    /// For these tables, if this processor can do it.
    pub(super) fn new(layout: &Layout) -> Option<Shifts> {
        let able = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vbmi");
        if !able {
            return None;
        }
        let views = layout.views();
        // Without symmetries all images are the same.
        let view = |image: usize| &views[image % views.len()];
        let cells = |odd: usize| {
            let shift = |byte: usize| view(byte / 8)[byte % 8 * 2 + odd] * 4 + 64 - 4 * odd;
            cast(std::array::from_fn::<_, 64, _>(|byte| shift(byte) as u8))
        };
        let tables = layout.upright();
        let mut blocks = Vec::new();
        if views.len() == IMAGES {
            blocks.extend(tables.chunks(TABLES).map(|pair| {
                let single = pair.len() < TABLES;
                Block::new(|_, nth| pair.get(nth), single)
            }));
        } else {
            let block = |tables: &[Feature]| {
                Block::new(|image, nth| tables.get(image * TABLES + nth), false)
            };
            blocks.extend(tables.chunks(LINE).map(block));
        }
        Some(Shifts {
            images: [cells(0), cells(1)],
            blocks,
        })
    }

    /// A row of indices for each afterstate.
    #[target_feature(enable = "avx512f,avx512vbmi")]
    pub(super) fn locate(&self, afterstates: &[ClassicAfterstate], indices: &mut [u32]) {
        let mut lines = indices.as_chunks_mut::<LINE>().0.iter_mut();
        for afterstate in afterstates {
            let images = self.images(afterstate.nibbles());
            for (block, line) in self.blocks.iter().zip(&mut lines) {
                *line = cast(block.locate(images));
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn images(&self, nibbles: u64) -> __m512i {
        let board = _mm512_set1_epi64(nibbles as i64);
        let even = _mm512_multishift_epi64_epi8(self.images[0], board);
        let odd = _mm512_multishift_epi64_epi8(self.images[1], board);
        // The second where the first is 1, the third elsewhere.
        _mm512_ternarylogic_epi32::<0xca>(_mm512_set1_epi8(0x0f), even, odd)
    }
}

impl Block {
    /// Of the features for the nth index in an image, if there is one.
    fn new<'a>(feature: impl Fn(usize, usize) -> Option<&'a Feature>, single: bool) -> Block {
        let mut starts = [0; LINE];
        // For every byte of the indices, shifts and masks.
        let mut bytes = vec![Vec::<(u8, u8)>::new(); 4 * LINE];
        for (index, start) in starts.iter_mut().enumerate() {
            let Some(feature) = feature(index / TABLES, index % TABLES) else {
                continue;
            };
            *start = feature.start;
            for half in &feature.halves {
                for bit in 0..2 {
                    let from = 4 * half.cell as u32 + 2 * u32::from(half.high) + bit;
                    let to = half.position + bit;
                    let shift = (from + 64 - to % 8) as u8 % 64;
                    let terms = &mut bytes[4 * index + to as usize / 8];
                    match terms.iter_mut().find(|(known, _)| *known == shift) {
                        Some((_, mask)) => *mask |= 1 << (to % 8),
                        None => terms.push((shift, 1 << (to % 8))),
                    }
                }
            }
        }
        let most = bytes.iter().map(Vec::len).max().unwrap_or(0);
        let term = |nth: usize| {
            let of_byte = |byte: usize| bytes[byte].get(nth).copied().unwrap_or_default();
            Term {
                shifts: cast(std::array::from_fn::<_, 64, _>(|byte| of_byte(byte).0)),
                mask: cast(std::array::from_fn::<_, 64, _>(|byte| of_byte(byte).1)),
            }
        };
        Block {
            terms: (0..most).map(term).collect(),
            starts: cast(starts),
            single,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn locate(&self, images: __m512i) -> __m512i {
        let mut sum = _mm512_setzero_si512();
        for term in &self.terms {
            let moved = _mm512_multishift_epi64_epi8(term.shifts, images);
            // Or, of the first with those bits of the second that are in the third.
            sum = _mm512_ternarylogic_epi32::<0xf8>(sum, moved, term.mask);
        }
        let lines = _mm512_set1_epi32(ABOVE_LINE as i32);
        let higher = _mm512_srli_epi32::<SPREAD>(sum);
        // Exclusive or, of the first with those bits of the second that are in the third.
        let spread = _mm512_ternarylogic_epi32::<0x78>(sum, higher, lines);
        let indices = _mm512_add_epi32(spread, self.starts);
        match self.single {
            true => _mm512_zextsi256_si512(_mm512_cvtepi64_epi32(indices)),
            false => indices,
        }
    }
}
