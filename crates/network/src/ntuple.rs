use crate::coherence::CoherenceSums;
use crate::kernel::{Indexed, Kernel, LINE, row_length, table_starts};
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

/// Weights whose places are worked out together when files are read or written.
const BLOCK: u32 = 1 << 12;

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

/// Where the weights of some afterstates are, a row for each.
#[derive(Clone, Debug)]
pub struct Traces {
    lines: Vec<Line>,
    features: usize,
}

/// Where the weights of one afterstate are. Opaque: only meaningful to the network that found them and to its
/// [`CoherenceSums`].
#[derive(Clone, Copy, Debug)]
pub struct Trace<'a> {
    pub(crate) indices: &'a [u32],
}

/// A cache line of indices. They are written by whole lines and read one by one at once, which is only fast if no write
/// crosses a line's end.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u32; LINE]);

impl Traces {
    /// The nth row.
    #[inline]
    pub fn row(&self, nth: usize) -> Trace<'_> {
        let rows: &[u32] = bytemuck::cast_slice(&self.lines);
        let start = nth * row_length(self.features);
        let indices = &rows[start..start + self.features];
        Trace { indices }
    }

    /// Copies a row of other traces of the same network to the nth row.
    #[inline]
    pub fn copy_row(&mut self, nth: usize, other: &Traces, from: usize) {
        let lines = row_length(self.features) / LINE;
        let from = &other.lines[from * lines..][..lines];
        self.lines[nth * lines..][..lines].copy_from_slice(from);
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
            // There is always one.
            kernel: G::Kernel::all(&structure, radix).swap_remove(0),
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

    /// Gives all afterstates one value, each weight an equal share of it. A large one is *optimistic*: what is unknown
    /// looks better than it is, so that greedy play tries it (Guei, Chen and Wu 2021 for 2048).
    pub fn fill(&self, value: f32) {
        let weight = (value / self.features as f32).to_bits();
        for cell in self.weights.cells() {
            cell.store(weight, Relaxed);
        }
    }

    /// How the places of weights are worked out on this processor, for people.
    pub fn kernel_name(&self) -> &'static str {
        self.kernel.name()
    }

    /// What [`NTuple::kernel_name`] may be on this processor, the fastest first, and what is taken unless another is
    /// chosen.
    pub fn kernel_names(&self) -> Vec<&'static str> {
        let kernels = G::Kernel::all(&self.structure, self.radix);
        kernels.iter().map(Kernel::name).collect()
    }

    /// Works out the places of weights in another way, to test or measure it. Returns whether there is one of that name;
    /// if not, nothing changes.
    pub fn choose_kernel(&mut self, name: &str) -> bool {
        let mut kernels = G::Kernel::all(&self.structure, self.radix).into_iter();
        let kernel = kernels.find(|kernel| kernel.name() == name);
        kernel.map(|kernel| self.kernel = kernel).is_some()
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

    /// Room for the traces of some afterstates.
    pub fn traces(&self, rows: usize) -> Traces {
        Traces {
            lines: vec![Line([0; LINE]); rows * row_length(self.features) / LINE],
            features: self.features,
        }
    }

    /// Finds the weights of some afterstates, at most as many as there are rows.
    #[inline]
    pub fn locate(&self, afterstates: &[G::Afterstate], traces: &mut Traces) {
        let indices: &mut [u32] = bytemuck::cast_slice_mut(&mut traces.lines);
        debug_assert!(afterstates.len() * row_length(self.features) <= indices.len());
        self.kernel.locate(afterstates, indices);
    }

    /// The value of an afterstate, whose weights are then named in the first row of some traces.
    pub fn evaluate(&self, afterstate: G::Afterstate, traces: &mut Traces) -> f32 {
        self.locate(&[afterstate], traces);
        self.read(traces.row(0))
    }

    /// Asks the processor to fetch the weights that a trace names.
    #[inline]
    pub fn prefetch(&self, trace: Trace<'_>) {
        for &index in trace.indices {
            self.weights.prefetch(index as usize);
        }
    }

    /// The present value of the afterstate that a trace was found for.
    #[inline]
    pub fn read(&self, trace: Trace<'_>) -> f32 {
        let weights = self.weights.cells();
        let weight = |index: u32| f32::from_bits(weights[index as usize].load(Relaxed));
        // Four sums side by side, because each addition waits for the one before.
        let (fours, rest) = trace.indices.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            for (sum, &index) in sums.iter_mut().zip(four) {
                *sum += weight(index);
            }
        }
        let rest: f32 = rest.iter().map(|&index| weight(index)).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }

    /// Moves the value of a trace's afterstate by `change`, shared equally among its features (alpha divided
    /// by the number of features, as in Szubert and Jaskowski 2014). A weight that k features share gets k
    /// shares, and the value then moves by `change` x the sum of k squared / features.
    #[inline]
    pub fn update(&self, trace: Trace<'_>, change: f32) {
        let share = change / trace.indices.len() as f32;
        let weights = self.weights.cells();
        for &index in trace.indices {
            let weight = &weights[index as usize];
            let moved = f32::from_bits(weight.load(Relaxed)) + share;
            weight.store(moved.to_bits(), Relaxed);
        }
    }

    /// Moves the weights by their own step sizes, temporal coherence learning: a weight's share of
    /// `alpha` x `error` is scaled by how consistently past errors had one sign. See [`CoherenceSums`].
    #[inline]
    pub fn update_coherently(
        &self,
        trace: Trace<'_>,
        sums: &CoherenceSums,
        alpha: f32,
        error: f32,
    ) {
        let share = alpha * error / trace.indices.len() as f32;
        let weights = self.weights.cells();
        for &index in trace.indices {
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

    /// Visits every weight's storage index, in the order of files.
    pub(crate) fn visit_in_natural_order<E>(
        &self,
        mut visit: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = [0; BLOCK as usize];
        for (table, &entries) in self.tables.iter().enumerate() {
            for first in (0..entries).step_by(BLOCK as usize) {
                let indices = &mut block[..(entries - first).min(BLOCK) as usize];
                self.kernel.storage_indices(table, first, indices);
                for &mut index in indices {
                    visit(index)?;
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
        let mut lines = [Line([0; LINE]); BATCH / LINE];
        let indices: &mut [u32] = bytemuck::cast_slice_mut(&mut lines);
        let row = row_length(self.features);
        let batch = BATCH / row;
        for (afterstates, values) in afterstates.chunks(batch).zip(values.chunks_mut(batch)) {
            self.kernel.locate(afterstates, indices);
            let traces = || {
                indices.chunks_exact(row).map(|row| Trace {
                    indices: &row[..self.features],
                })
            };
            for trace in traces().take(afterstates.len()) {
                self.prefetch(trace);
            }
            for (value, trace) in values.iter_mut().zip(traces()) {
                *value = self.read(trace);
            }
        }
    }
}
