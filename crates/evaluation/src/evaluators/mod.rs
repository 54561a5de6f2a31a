//! Hand-made value functions, a file each.

mod after_spawns;
mod features;
mod heuristic;
mod lines;
mod rowtable;
mod zero;

/// The least rating of a living board; a dead one is worth 0.
const LEAST: f32 = 1.0;

pub use features::{Weights, WeightsError};
pub use heuristic::Heuristic;
pub use rowtable::RowTable;
pub use zero::Zero;
