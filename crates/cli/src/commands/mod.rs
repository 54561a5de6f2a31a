//! One file a command.

pub(crate) mod eval;
pub(crate) mod info;
pub(crate) mod play;
pub(crate) mod train;

use std::num::NonZero;
use std::thread::available_parallelism;

/// As many threads as the machine has processors, unless told otherwise.
pub(crate) fn threads_or_all(threads: Option<NonZero<usize>>) -> usize {
    let threads = threads.or_else(|| available_parallelism().ok());
    threads.map_or(1, NonZero::get)
}
