use crate::coherence::CoherenceSums;
use crate::kernel::{BLOCK, Indexed, Kernel, table_starts};
use crate::memory::Table;
use crate::structure::MAX_PATTERNS;
use crate::{Structure, StructureError};
use bytemuck::{Pod, Zeroable};
use engine::{Objective, ValueFunction};
use std::sync::atomic::Ordering::Relaxed;

/// Ranks that tables of 4x4 boards distinguish; see [`NTuple::radix_for`].
const MAX_RADIX: u32 = 16;

/// Look-ups in flight at a time when a batch is valued: room for one value of any network.
const BATCH: usize = 8 * MAX_PATTERNS;

/// Why there is no such network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The patterns are for another board, or none at all.
    #[error(transparent)]
    Structure(#[from] StructureError),
    /// The patterns are for a board of another size.
    #[error(
        "the network is for {network} boards, the game is on {game}: choose a network for the game's board"
    )]
    OtherBoard {
        /// The network's board.
        network: String,
        /// The game's board.
        game: String,
    },
    /// Tables of a shape that this game's boards cannot index.
    #[error(
        "its tables have radix {radix}, which does not fit the game's boards: use another network"
    )]
    Radix {
        /// The radix.
        radix: u32,
    },
    /// Tables beyond 32-bit indices.
    #[error(
        "the patterns '{structure}' need {entries} weights, at most {limit} fit: use patterns of fewer cells",
        limit = u32::MAX
    )]
    TooLarge {
        /// The patterns.
        structure: String,
        /// Weights needed.
        entries: u64,
    },
    /// The system has not enough memory.
    #[error(
        "no memory for tables of {bytes} bytes ({source}): close other programs or use fewer or smaller patterns"
    )]
    Memory {
        /// Bytes asked for.
        bytes: u64,
        /// What the system said.
        source: std::io::Error,
    },
}

/// An n-tuple network. Threads may read and update it at any time without locks: a look-up sees some recent
/// weight, and of two updates of one weight at the same instant one may be lost.
pub struct NTuple<G: Indexed> {
    game: G,
    structure: Structure,
    radix: u32,
    kernel: G::Kernel,
    weights: Table,
    /// Entries of each table.
    tables: Vec<u32>,
    features: usize,
}

/// Where the weights of one afterstate are. Opaque: only meaningful to the network that filled it and to its
/// [`CoherenceSums`].
#[derive(Clone, Debug)]
pub struct Trace {
    lines: Vec<Line>,
    features: usize,
}

/// A cache line of indices. They are written by whole lines and read one by one at once, which is only fast if no write
/// crosses a line's end.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u32; 16]);

impl Trace {
    fn new(features: usize) -> Trace {
        let lines = vec![Line([0; 16]); features.div_ceil(16)];
        Trace { lines, features }
    }

    #[inline]
    pub(crate) fn indices(&self) -> &[u32] {
        &bytemuck::cast_slice(&self.lines)[..self.features]
    }

    #[inline]
    fn indices_mut(&mut self) -> &mut [u32] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.features]
    }
}

impl<G: Indexed> NTuple<G> {
    /// A network with all weights 0.
    ///
    /// # Errors
    /// When the patterns are for another board, or their tables too large.
    pub fn new(game: &G, structure: Structure) -> Result<Self, NetworkError> {
        let radix = Self::radix_for(game);
        Self::with_radix(game, structure, radix)
    }

    /// The number of ranks that a table distinguishes for each cell: all that can occur, or 16, and then the
    /// last stands for all ranks from 15 up.
    fn radix_for(game: &G) -> u32 {
        MAX_RADIX.min(u32::from(game.rules().largest_rank()) + 1)
    }

    pub(crate) fn with_radix(
        game: &G,
        structure: Structure,
        radix: u32,
    ) -> Result<Self, NetworkError> {
        let geometry = game.rules().geometry();
        if structure.geometry() != geometry {
            return Err(NetworkError::OtherBoard {
                network: structure.geometry().to_string(),
                game: geometry.to_string(),
            });
        }
        if !(2..=MAX_RADIX).contains(&radix)
            || G::Kernel::RADIX.is_some_and(|needed| needed != radix)
        {
            return Err(NetworkError::Radix { radix });
        }
        let starts = table_starts(&structure, radix);
        let entries = starts[starts.len() - 1];
        if entries > u64::from(u32::MAX) {
            return Err(NetworkError::TooLarge {
                structure: structure.to_string(),
                entries,
            });
        }
        Ok(NTuple {
            game: game.clone(),
            kernel: G::Kernel::new(&structure, radix),
            weights: table(entries)?,
            tables: starts
                .windows(2)
                .map(|pair| (pair[1] - pair[0]) as u32)
                .collect(),
            features: structure.features(),
            structure,
            radix,
        })
    }

    /// How the places of weights are worked out on this processor, for people.
    pub fn kernel_name(&self) -> &'static str {
        self.kernel.name()
    }

    /// The game whose afterstates are valued.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The patterns.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The number of ranks that a table distinguishes.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// The number of weights.
    pub fn entries(&self) -> u64 {
        self.weights.cells().len() as u64
    }

    /// The number of weights that are not 0, the smallest and the largest. A weight that is not a number, as
    /// after learning that diverged, makes both ends so.
    pub fn weight_range(&self) -> (u64, f32, f32) {
        let cells = self.weights.cells().iter();
        let weights = cells.map(|cell| f32::from_bits(cell.load(Relaxed)));
        weights.fold(
            (0, 0.0, 0.0),
            |(count, low, high): (u64, f32, f32), weight| {
                let (low, high) = match weight.is_nan() {
                    true => (weight, weight),
                    false if low.is_nan() => (low, high),
                    false => (low.min(weight), high.max(weight)),
                };
                (count + u64::from(weight != 0.0), low, high)
            },
        )
    }

    /// A trace to be filled.
    pub fn trace(&self) -> Trace {
        Trace::new(self.features)
    }

    /// Finds the weights of an afterstate.
    #[inline]
    pub fn locate(&self, afterstate: G::Afterstate, trace: &mut Trace) {
        self.kernel.locate(afterstate, trace.indices_mut());
    }

    /// Asks the processor to fetch the weights that a trace names.
    #[inline]
    pub fn prefetch(&self, trace: &Trace) {
        self.prefetch_all(trace.indices());
    }

    /// The present value of the afterstate that a trace was filled for.
    #[inline]
    pub fn read(&self, trace: &Trace) -> f32 {
        self.sum(trace.indices())
    }

    /// The value of an afterstate; fills its trace.
    #[inline]
    pub fn evaluate(&self, afterstate: G::Afterstate, trace: &mut Trace) -> f32 {
        self.locate(afterstate, trace);
        self.read(trace)
    }

    /// Moves the value of a trace's afterstate by `change`, shared equally among its features (alpha divided
    /// by the number of features, as in Szubert and Jaskowski 2014). A weight that k features share gets k
    /// shares, and the value then moves by `change` x the sum of k squared / features.
    #[inline]
    pub fn update(&self, trace: &Trace, change: f32) {
        let share = change / trace.features as f32;
        let weights = self.weights.cells();
        for &index in trace.indices() {
            let weight = &weights[index as usize];
            let moved = f32::from_bits(weight.load(Relaxed)) + share;
            weight.store(moved.to_bits(), Relaxed);
        }
    }

    /// Moves the weights by their own step sizes, temporal coherence learning: a weight's share of
    /// `alpha` x `error` is scaled by how consistently past errors had one sign. See [`CoherenceSums`].
    #[inline]
    pub fn update_coherently(&self, trace: &Trace, sums: &CoherenceSums, alpha: f32, error: f32) {
        let share = alpha * error / trace.features as f32;
        let weights = self.weights.cells();
        for &index in trace.indices() {
            let rate = sums.rate_then_add(index, error);
            let weight = &weights[index as usize];
            let moved = f32::from_bits(weight.load(Relaxed)) + rate * share;
            weight.store(moved.to_bits(), Relaxed);
        }
    }

    /// Sums for temporal coherence learning of this network, all 0.
    ///
    /// # Errors
    /// When the system has not enough memory.
    pub fn coherence_sums(&self) -> Result<CoherenceSums, NetworkError> {
        Ok(CoherenceSums::new(table(2 * self.entries())?))
    }

    #[inline]
    fn prefetch_all(&self, indices: &[u32]) {
        for &index in indices {
            self.weights.prefetch(index as usize);
        }
    }

    #[inline]
    fn sum(&self, indices: &[u32]) -> f32 {
        let weights = self.weights.cells();
        let weight = |index: u32| f32::from_bits(weights[index as usize].load(Relaxed));
        // Four sums side by side, because each addition waits for the one before.
        let (fours, rest) = indices.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            for (sum, &index) in sums.iter_mut().zip(four) {
                *sum += weight(index);
            }
        }
        let rest: f32 = rest.iter().map(|&index| weight(index)).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }

    /// Visits every weight's storage index, in the order of files.
    pub(crate) fn visit_in_natural_order<E>(
        &self,
        mut visit: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        for (table, &entries) in self.tables.iter().enumerate() {
            // Storage indices add up block by block; see `Kernel::storage_index`.
            let index = |natural| self.kernel.storage_index(table, natural);
            let start = index(0);
            let within: Vec<u32> = (0..entries.min(BLOCK)).map(|n| index(n) - start).collect();
            for first in (0..entries).step_by(BLOCK as usize) {
                let base = index(first);
                for &offset in &within[..(entries - first).min(BLOCK) as usize] {
                    visit(base + offset)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn weights(&self) -> &Table {
        &self.weights
    }
}

fn table(entries: u64) -> Result<Table, NetworkError> {
    Table::zeroed(entries).map_err(|source| NetworkError::Memory {
        bytes: 4 * entries,
        source,
    })
}

impl<G: Indexed> ValueFunction<G> for NTuple<G> {
    fn objective(&self) -> Objective {
        Objective::Score
    }

    fn symmetric(&self) -> bool {
        self.structure.symmetric()
    }

    #[inline]
    fn values(&self, afterstates: &[G::Afterstate], values: &mut [f32]) {
        let mut lines = [Line([0; 16]); BATCH / 16];
        let indices: &mut [u32] = bytemuck::cast_slice_mut(&mut lines);
        let features = self.features;
        let batch = BATCH / features;
        for (afterstates, values) in afterstates.chunks(batch).zip(values.chunks_mut(batch)) {
            let rows = indices.chunks_exact_mut(features);
            for (&afterstate, row) in afterstates.iter().zip(rows) {
                self.kernel.locate(afterstate, row);
                self.prefetch_all(row);
            }
            for (value, row) in values.iter_mut().zip(indices.chunks_exact(features)) {
                *value = self.sum(row);
            }
        }
    }
}
