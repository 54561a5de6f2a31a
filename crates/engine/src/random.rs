use rand::SeedableRng;

/// The generator of one game: small, fast, and the same on every machine.
pub type GameRng = rand_xoshiro::Xoshiro256PlusPlus;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every input bit moves every output bit.
const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A seed for one purpose out of the user's seed, so that training and measuring with the same seed do not
/// play on the same spawns.
pub fn derive_seed(seed: u64, purpose: &str) -> u64 {
    purpose
        .bytes()
        .fold(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)), |s, byte| {
            mix(s ^ u64::from(byte))
        })
}

/// The generator of game number `game` under `seed`. A game's spawns depend on these two numbers only, so
/// results do not depend on how games are shared among threads.
pub fn game_rng(seed: u64, game: u64) -> GameRng {
    let mixed = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    GameRng::seed_from_u64(mix(
        mixed.wrapping_add(game.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::collections::HashSet;

    #[test]
    fn games_and_seeds_have_streams_of_their_own() {
        let mut first = HashSet::new();
        for seed in 0..100 {
            for game in 0..100 {
                assert!(first.insert(game_rng(seed, game).next_u64()));
            }
        }
        assert_ne!(derive_seed(1, "training"), derive_seed(1, "evaluation"));
        assert_ne!(derive_seed(1, "training"), derive_seed(2, "training"));
    }
}
