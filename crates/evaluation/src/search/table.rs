//! The transposition table.

use std::hash::{Hash, Hasher};

/// A value found once, for the positions that a search comes to by several ways.
///
/// An entry holds for one position at exactly one depth (and one rest of the probability cut-off), so a hit gives
/// what searching again would give, and no result depends on what was searched before. Entries live for one
/// decision: that keeps the count of visited nodes a function of the position, too.
pub(super) struct Table {
    /// As many as a power of two, or none.
    entries: Vec<Entry>,
    /// Marks the entries of the present decision.
    generation: u32,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    value: f32,
    /// The decision's mark, doubled; plus 1 if the value is only an upper bound.
    mark: u32,
}

/// What is known of a position's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    Exact(f32),
    AtMost(f32),
}

/// What a value is filed under.
#[derive(Clone, Copy)]
pub(super) struct Key(u64);

impl Key {
    /// The key of a position's value at some depth, with some rest of the cut-off.
    #[inline]
    pub(super) fn new(fingerprint: u64, depth: u32, allowance: u32) -> Key {
        let settings = u64::from(allowance) << 32 | u64::from(depth);
        // Multiplying by odd numbers is one-to-one for given settings, and gathers all bits in the high ones.
        let key = (fingerprint ^ settings.wrapping_mul(0xd6e8_feb8_6659_fd93))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Key(key)
    }

    /// A number that looks random, for the position's own draws.
    pub(super) fn seed(self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
}

impl Table {
    /// An empty table of at least so many entries; 0 for none.
    pub(super) fn new(entries: usize) -> Table {
        let entries = if entries == 0 {
            0
        } else {
            entries.next_power_of_two()
        };
        Table {
            entries: vec![Entry::default(); entries],
            generation: 0,
        }
    }

    /// Forgets all entries.
    pub(super) fn begin_decision(&mut self) {
        self.generation = (self.generation + 1) % (1 << 31);
        if self.generation == 0 {
            self.entries.fill(Entry::default());
            self.generation = 1;
        }
    }

    #[inline]
    fn slot(&self, key: Key) -> usize {
        // The high bits; without any entry, none.
        key.0
            .checked_shr(64 - self.entries.len().trailing_zeros())
            .unwrap_or(0) as usize
    }

    /// What is filed under a key.
    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Found> {
        let entry = self.entries.get(self.slot(key))?;
        if entry.key != key.0 || entry.mark >> 1 != self.generation {
            return None;
        }
        Some(match entry.mark & 1 {
            0 => Found::Exact(entry.value),
            _ => Found::AtMost(entry.value),
        })
    }

    /// Files what was found, in place of whatever was there.
    #[inline]
    pub(super) fn put(&mut self, key: Key, found: Found) {
        let (value, bound) = match found {
            Found::Exact(value) => (value, 0),
            Found::AtMost(value) => (value, 1),
        };
        let slot = self.slot(key);
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = Entry {
                key: key.0,
                value,
                mark: self.generation << 1 | bound,
            };
        }
    }
}
