//! One file a command.

pub(crate) mod bench;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod info;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod train;
