//! The transposition table.

use engine::{GameRng, game_rng};

/// A value found once, for the positions that a search comes to by several ways.
///
/// An entry holds for one position at exactly one depth (and one rest of the probability cut-off), so a hit gives
/// what searching again would give, and no result depends on what was searched before. Entries live for one
/// decision: that keeps the count of visited nodes a function of the position, too.
pub(super) struct Table {
    /// As many as a power of two, or none. A key, and below it the value's bits and the mark: plain numbers, of which
    /// the system hands out zeros for the asking.
    entries: Vec<[u64; 2]>,
    /// Entries asked for. They are had with the first decision.
    size: usize,
    /// Marks the entries of the present decision.
    generation: u32,
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

    /// A generator of the position's own.
    pub(super) fn rng(self, seed: u64) -> GameRng {
        game_rng(seed, self.0)
    }
}

impl Table {
    /// An empty table of at least so many entries; 0 for none.
    pub(super) fn new(entries: usize) -> Table {
        Table {
            entries: Vec::new(),
            size: if entries == 0 {
                0
            } else {
                entries.next_power_of_two()
            },
            generation: 0,
        }
    }

    /// Forgets all entries.
    pub(super) fn begin_decision(&mut self) {
        self.generation = (self.generation + 1) % (1 << 31);
        if self.generation == 0 || self.entries.len() != self.size {
            self.entries = vec![[0; 2]; self.size];
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
        let &[of, content] = self.entries.get(self.slot(key))?;
        let (value, mark) = (f32::from_bits(content as u32), (content >> 32) as u32);
        if of != key.0 || mark >> 1 != self.generation {
            return None;
        }
        Some(match mark & 1 {
            0 => Found::Exact(value),
            _ => Found::AtMost(value),
        })
    }

    /// Files what was found, in place of whatever was there.
    #[inline]
    pub(super) fn put(&mut self, key: Key, found: Found) {
        let (value, bound) = match found {
            Found::Exact(value) => (value, 0),
            Found::AtMost(value) => (value, 1),
        };
        let mark = self.generation << 1 | bound;
        let slot = self.slot(key);
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = [key.0, u64::from(mark) << 32 | u64::from(value.to_bits())];
        }
    }
}
