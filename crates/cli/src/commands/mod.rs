//! One file a command.

pub(crate) mod eval;
pub(crate) mod info;
pub(crate) mod play;
pub(crate) mod train;
