//! What the vector kernels have in common: features taken together, and the halves of each in groups that few instructions
//! put in place.

use super::layout::{Feature, Half};
use std::arch::x86_64::*;

/// Groups of halves in an index. No table has more than seven cells, or its indices would not fit 32 bits.
pub(super) const GROUPS: usize = 4;

/// Features whose indices are worked out together. Where there are fewer than that, the rest is zero.
pub(super) struct Batch<const WIDTH: usize> {
    /// Where the tables of the features begin.
    pub(super) starts: [u32; WIDTH],
    pub(super) groups: [Group<WIDTH>; GROUPS],
}

/// For every feature up to four halves, which one sum of products brings together, and one shift puts in place.
pub(super) struct Group<const WIDTH: usize> {
    pub(super) halves: [[Option<Half>; 4]; WIDTH],
    pub(super) factors: [[u8; 4]; WIDTH],
    pub(super) shifts: [u32; WIDTH],
}

impl<const WIDTH: usize> Batch<WIDTH> {
    /// Of these features, at most `WIDTH`.
    pub(super) fn new(features: &[Feature]) -> Self {
        let mut starts = [0; WIDTH];
        for (start, feature) in starts.iter_mut().zip(features) {
            *start = feature.start;
        }
        let grouped: Vec<[&[Half]; GROUPS]> = features.iter().map(groups).collect();
        Batch {
            starts,
            groups: std::array::from_fn(|nth| Group::new(grouped.iter().map(|of| of[nth]))),
        }
    }
}

impl<const WIDTH: usize> Group<WIDTH> {
    fn new<'a>(of_features: impl Iterator<Item = &'a [Half]>) -> Self {
        let mut group = Group {
            halves: [[None; 4]; WIDTH],
            factors: [[0; 4]; WIDTH],
            shifts: [0; WIDTH],
        };
        for (feature, halves) in of_features.enumerate() {
            let base = halves.first().map_or(0, |half| half.position);
            group.shifts[feature] = base;
            for (byte, &half) in halves.iter().enumerate() {
                group.halves[feature][byte] = Some(half);
                group.factors[feature][byte] = 1 << (half.position - base);
            }
        }
        group
    }

    /// What fetches the halves, a byte for each.
    pub(super) fn controls(&self, control: impl Fn(Option<Half>) -> u8) -> [[u8; 4]; WIDTH] {
        self.halves.map(|halves| halves.map(&control))
    }
}

/// Halves that can be put together by one sum of products: at most four, whose places differ so little that their
/// factors fit seven bits. Some groups may be empty.
fn groups(feature: &Feature) -> [&[Half]; GROUPS] {
    let fits = |group: &[Half]| match (group.first(), group.last()) {
        (Some(first), Some(last)) => group.len() <= 4 && last.position - first.position <= 6,
        _ => true,
    };
    let mut rest = feature.halves.as_slice();
    let groups = [(); GROUPS].map(|()| {
        let most = (0..=rest.len()).rev().find(|&most| fits(&rest[..most]));
        let (group, others) = rest.split_at(most.unwrap_or(0));
        rest = others;
        group
    });
    debug_assert!(rest.is_empty(), "{feature:?}");
    groups
}

/// The ranks of all cells, a byte each, of four bits each.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn ranks(nibbles: u64) -> __m128i {
    let low = 0x0f0f_0f0f_0f0f_0f0f;
    let even = _mm_cvtsi64_si128((nibbles & low) as i64);
    let odd = _mm_cvtsi64_si128((nibbles >> 4 & low) as i64);
    _mm_unpacklo_epi8(even, odd)
}
