//! Hand-made value functions, a file each.

mod after_spawns;
mod features;
mod heuristic;
mod lines;
mod rowtable;
mod zero;

pub use features::{Weights, WeightsError};
pub use heuristic::Heuristic;
pub use rowtable::RowTable;
pub use zero::Zero;
