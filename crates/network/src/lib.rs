//! Value functions with weights: n-tuple networks, and the files they are kept in.
//!
//! An n-tuple network (Szubert and Jaskowski 2014) is a sum of table look-ups: each [`Structure`] lists
//! patterns of cells, each pattern owns a table with one weight for every content of its cells, and the value
//! of an afterstate adds up the weights of all patterns under all symmetries of the board. The symmetric
//! images of a pattern share its table.
//!
//! The order of the weights in memory is a matter of this crate alone (its private module `kernel`); learners
//! work through [`Traces`], files hold the natural order.
//!
//! ```
//! use engine::{Classic, Game, Direction, ValueFunction};
//! use network::{NTuple, Structure};
//!
//! let structure = Structure::parse("5x4", Classic.rules().geometry())?;
//! let network = NTuple::new(&Classic, structure)?;
//! let board = Classic.parse_board("2 2 4 0/0 0 0 0/0 0 8 0/0 0 0 0").expect("a board");
//! let (afterstate, _) = Classic.slide(board, Direction::Left).expect("a legal move");
//!
//! let mut traces = network.traces(1);
//! assert_eq!(network.evaluate(afterstate, &mut traces), 0.0);
//! network.update(traces.row(0), 10.0);
//! assert!(network.value(afterstate) > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod average;
mod coherence;
mod compact;
mod copies;
mod file;
mod kernel;
mod memory;
mod model;
mod ntuple;
mod stages;
mod structure;
mod traces;

pub use coherence::CoherenceSums;
pub use file::FileError;
pub use kernel::Indexed;
pub use model::{Encoding, ModelFile, ModelHeader, Provenance, save, save_compact};
pub use ntuple::{NTuple, NetworkError};
pub use stages::Stages;
pub use structure::{Structure, StructureError};
pub use traces::{Trace, Traces};
