//! Players, a file each.

mod greedy;
mod random;

pub use greedy::GreedyAgent;
pub use random::RandomAgent;
