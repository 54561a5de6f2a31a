//! Players, a file each.

mod downgraded;
mod expectimax;
mod greedy;
mod priority;
mod random;

pub use downgraded::Downgraded;
pub use expectimax::ExpectimaxAgent;
pub use greedy::GreedyAgent;
pub use priority::{Order, PriorityAgent};
pub use random::RandomAgent;
