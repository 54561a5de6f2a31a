//! The game of 2048 and its variants, and the traits that everything else speaks.
//!
//! Two games implement [`Game`]: [`Classic`] is 4x4 in packed words with row tables, fast and exact up to a
//! 131072 tile; [`Variant`] plays any [`Rules`] on boards from 2x2 to 5x5, slowly and plainly, and is the
//! reference that `Classic` is tested against.
//!
//! Values are *afterstate* values: what a position is worth after the player's slide and before the random
//! spawn. States and afterstates are different types, so one can never be valued as the other.
//!
//! ```
//! use engine::{Classic, Direction, Game};
//!
//! let board = Classic.parse_board("2 2 4 0 / 0 0 0 0 / 0 0 0 0 / 0 0 0 0")?;
//! let (afterstate, reward) = Classic.slide(board, Direction::Left).expect("2 and 2 merge");
//! assert_eq!(reward, 4);
//! assert_eq!(Classic.write_cells(&afterstate), "4 4 0 0/0 0 0 0/0 0 0 0/0 0 0 0");
//! # Ok::<(), engine::BoardError>(())
//! ```

mod agent;
mod classic;
mod direction;
mod episode;
mod game;
mod geometry;
mod perft;
mod random;
mod rules;
mod text;
mod value;
mod variant;

pub use agent::{Agent, Decision, Effort};
pub use classic::{Classic, ClassicAfterstate, ClassicBoard};
pub use direction::Direction;
pub use episode::{Episode, Outcome};
pub use game::{Cells, Game, MAX_CELLS, MAX_LINES, Slide};
pub use geometry::Geometry;
pub use perft::{Perft, perft};
pub use random::{GameRng, derive_seed, game_rng};
pub use rules::{MergeRule, Rules, RulesError, SpawnOdds, from_toml};
pub use text::BoardError;
pub use value::{
    BOARDS, BestSum, Choice, Objective, ValueFunction, best_move, best_moves, best_of,
};
pub use variant::{Variant, VariantAfterstate, VariantBoard, slide_line};

/// The tile of a rank: 0 for an empty cell, else 2 to the power of the rank.
///
/// ```
/// assert_eq!((engine::tile(0), engine::tile(1), engine::tile(11)), (0, 2, 2048));
/// ```
pub const fn tile(rank: u8) -> u64 {
    if rank == 0 { 0 } else { 1 << rank }
}

/// The rank of a tile, or `None` if no tile has that value (0 is the empty cell's).
///
/// ```
/// assert_eq!((engine::rank(0), engine::rank(2048), engine::rank(6)), (Some(0), Some(11), None));
/// ```
pub const fn rank(tile: u64) -> Option<u8> {
    match tile {
        0 => Some(0),
        1 => None,
        t if t.is_power_of_two() => Some(t.trailing_zeros() as u8),
        _ => None,
    }
}
