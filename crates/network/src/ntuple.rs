use crate::coherence::CoherenceSums;
use crate::copies::Copies;
use crate::kernel::{Indexed, Kernel, LINE, row_length, table_starts};
use crate::memory::Table;
use crate::structure::MAX_PATTERNS;
use crate::traces::{Line, Trace, Traces};
use crate::{Stages, Structure, StructureError};
use engine::{Objective, ValueFunction, tile};
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
    /// Stages that this game's boards never come to.
    #[error(
        "the stages '{stages}' ask for larger tiles than the tables tell apart, {largest}: leave those out"
    )]
    Stages {
        /// The stages.
        stages: String,
        /// The largest tile.
        largest: u64,
    },
    /// Tables beyond 32-bit indices.
    #[error(
        "the patterns '{structure}' need {entries} weights in all stages, at most {limit} fit: use patterns of fewer cells, or fewer stages",
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

/// What the weight of a later stage holds until it is first updated: a NaN that no computation with other numbers gives (the
/// processor's own is another). The sum of a value shows whether one was among the weights.
const UNTOUCHED: u32 = 0x7fc0_a57e;

/// An n-tuple network. With several [`Stages`] it has as many sets of tables, and a weight that has not been updated in
/// its stage is that of the stage before (weight promotion, Jaskowski 2016).
///
/// Threads may read and update it at any time without locks: a look-up sees some recent
/// weight, and of two updates of one weight at the same instant one may be lost.
pub struct NTuple<G: Indexed> {
    game: G,
    structure: Structure,
    radix: u32,
    kernel: G::Kernel,
    stages: Stages,
    /// What every afterstate was worth before anything was learned.
    initial_value: f32,
    /// The tables of the first stage, of the second, ..., and copies of small ones.
    weights: Table,
    copies: Copies,
    /// Weights of one stage.
    stage_entries: u32,
    /// Entries of each table of a stage.
    tables: Vec<u32>,
    features: usize,
}

impl<G: Indexed> NTuple<G> {
    /// A network of one stage with all weights 0.
    ///
    /// # Errors
    /// When the patterns are for another board, or their tables too large.
    pub fn new(game: &G, structure: Structure) -> Result<Self, NetworkError> {
        Self::staged(game, structure, Stages::default())
    }

    /// A network with all weights 0.
    ///
    /// # Errors
    /// As for [`NTuple::new`], or when a stage asks for a tile that the tables do not tell apart.
    pub fn staged(game: &G, structure: Structure, stages: Stages) -> Result<Self, NetworkError> {
        let radix = Self::radix_for(game);
        Self::with_radix(game, structure, stages, radix)
    }

    /// The number of ranks that a table distinguishes for each cell: all that can occur, or 16, and then the
    /// last stands for all ranks from 15 up.
    fn radix_for(game: &G) -> u32 {
        MAX_RADIX.min(u32::from(game.rules().largest_rank()) + 1)
    }

    pub(crate) fn with_radix(
        game: &G,
        structure: Structure,
        stages: Stages,
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
        if stages.largest_rank() >= radix {
            return Err(NetworkError::Stages {
                stages: stages.to_string(),
                largest: tile(radix as u8 - 1),
            });
        }
        let starts = table_starts(&structure, radix);
        let stage_entries = starts[starts.len() - 1];
        let entries = stage_entries.saturating_mul(stages.count() as u64);
        if entries > u64::from(u32::MAX) {
            return Err(NetworkError::TooLarge {
                structure: structure.to_string(),
                entries,
            });
        }
        let copies = match stages.count() {
            1 => Copies::new(&structure, &starts),
            _ => Copies::default(),
        };
        let weights = table(entries + copies.entries())?;
        for weight in &weights.cells()[stage_entries as usize..entries as usize] {
            weight.store(UNTOUCHED, Relaxed);
        }
        Ok(NTuple {
            game: game.clone(),
            // There is always one.
            kernel: G::Kernel::all(&structure, radix).swap_remove(0),
            stages,
            initial_value: 0.0,
            weights,
            copies,
            stage_entries: stage_entries as u32,
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
    pub fn fill(&mut self, value: f32) {
        self.initial_value = value;
        let weight = self.initial_weight().to_bits();
        for cell in &self.weights.cells()[..self.stage_entries as usize] {
            cell.store(weight, Relaxed);
        }
    }

    /// What every afterstate was worth before anything was learned.
    pub(crate) fn initial_value(&self) -> f32 {
        self.initial_value
    }

    /// The share of the initial value that each weight began with.
    pub(crate) fn initial_weight(&self) -> f32 {
        self.initial_value / self.features as f32
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

    /// The stages.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// The number of ranks that a table distinguishes.
    pub fn radix(&self) -> u32 {
        self.radix
    }

    /// The number of weights.
    pub fn entries(&self) -> u64 {
        u64::from(self.stage_entries) * self.stages.count() as u64
    }

    /// The number of weights that are not 0, the smallest and the largest, where later stages have weights of their own. A
    /// weight that is not a number, as after learning that diverged, makes both ends so.
    pub fn weight_range(&self) -> (u64, f32, f32) {
        let cells = &self.weights.cells()[..self.entries() as usize];
        let cells = cells.iter().map(|cell| cell.load(Relaxed));
        let weights = cells.filter(|bits| *bits != UNTOUCHED).map(f32::from_bits);
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
        Traces::new(rows, self.features)
    }

    /// Finds the weights of some afterstates, at most as many as there are rows.
    #[inline]
    pub fn locate(&self, afterstates: &[G::Afterstate], traces: &mut Traces) {
        let shift = traces.shift;
        let indices: &mut [u32] = traces.indices_mut();
        debug_assert!(afterstates.len() * row_length(self.features) <= indices.len());
        self.find(afterstates, shift, indices);
    }

    /// Finds the weights of one afterstate, for the nth row.
    #[inline]
    pub fn locate_row(&self, afterstate: G::Afterstate, traces: &mut Traces, nth: usize) {
        let shift = traces.shift;
        let indices: &mut [u32] = traces.indices_mut();
        let row = row_length(self.features);
        self.find(&[afterstate], shift, &mut indices[nth * row..][..row]);
    }

    /// Writes a row of storage indices for each afterstate, in the copies of small tables that are so far away.
    #[inline]
    fn find(&self, afterstates: &[G::Afterstate], shift: u32, indices: &mut [u32]) {
        self.kernel.locate(afterstates, indices);
        let row = row_length(self.features);
        if shift != 0 {
            for (_, row) in afterstates.iter().zip(indices.chunks_exact_mut(row)) {
                self.copies.move_to(shift, row);
            }
        }
        if self.stages.count() > 1 {
            for (&afterstate, row) in afterstates.iter().zip(indices.chunks_exact_mut(row)) {
                let stage = self.stage_of(afterstate);
                if stage != 0 {
                    let offset = stage as u32 * self.stage_entries;
                    for index in row {
                        *index = index.wrapping_add(offset);
                    }
                }
            }
        }
    }

    /// The value of an afterstate, whose weights are then named in the first row of some traces.
    pub fn evaluate(&self, afterstate: G::Afterstate, traces: &mut Traces) -> f32 {
        self.locate(&[afterstate], traces);
        self.read(traces.row(0))
    }

    /// The stage that an afterstate is of, counted from 0.
    #[inline]
    fn stage_of(&self, afterstate: G::Afterstate) -> usize {
        self.stages.stage_of(&self.game, afterstate, self.radix)
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
        let value = sum(trace, |index| weights[index as usize].load(Relaxed));
        if value.is_nan() && self.stages.count() > 1 {
            return self.read_through_stages(trace);
        }
        value
    }

    /// As [`NTuple::read`], where a stage has no weights of its own yet.
    #[cold]
    fn read_through_stages(&self, trace: Trace<'_>) -> f32 {
        sum(trace, |index| self.promoted(index))
    }

    /// The bits of a weight: its own, or that of the last stage before that has one.
    pub(crate) fn promoted(&self, mut index: u32) -> u32 {
        let weights = self.weights.cells();
        loop {
            let bits = weights[index as usize].load(Relaxed);
            match index.checked_sub(self.stage_entries) {
                Some(before) if bits == UNTOUCHED => index = before,
                _ => return bits,
            }
        }
    }

    /// As [`NTuple::read`], for an update of the same trace, which needs it: weights that the stage does not have yet get
    /// the values that they stood for.
    #[inline]
    pub fn read_to_update(&self, trace: Trace<'_>) -> f32 {
        let weights = self.weights.cells();
        let value = sum(trace, |index| weights[index as usize].load(Relaxed));
        if value.is_nan() && self.stages.count() > 1 {
            self.promote(trace);
            return self.read(trace);
        }
        value
    }

    #[cold]
    fn promote(&self, trace: Trace<'_>) {
        for &index in trace.indices {
            let weight = &self.weights.cells()[index as usize];
            if weight.load(Relaxed) == UNTOUCHED {
                weight.store(self.promoted(index), Relaxed);
            }
        }
    }

    /// Moves the value of a trace's afterstate by `change`, shared equally among its features (alpha divided
    /// by the number of features, as in Szubert and Jaskowski 2014). A weight that k features share gets k
    /// shares, and the value then moves by `change` x the sum of k squared / features.
    ///
    /// With several stages the trace must have been read by [`NTuple::read_to_update`], here and for
    /// [`NTuple::update_coherently`]: a weight that its stage does not have yet cannot be changed.
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
        let entries = self.entries() + self.copies.entries();
        Ok(CoherenceSums::new(table(2 * entries)?))
    }

    /// Visits every weight's storage index, in the order of files.
    pub(crate) fn visit_in_natural_order<E>(
        &self,
        mut visit: impl FnMut(u32) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = [0; BLOCK as usize];
        for stage in 0..self.stages.count() as u32 {
            for (table, &entries) in self.tables.iter().enumerate() {
                for first in (0..entries).step_by(BLOCK as usize) {
                    let indices = &mut block[..(entries - first).min(BLOCK) as usize];
                    self.kernel.storage_indices(table, first, indices);
                    for &mut index in indices {
                        visit(stage * self.stage_entries + index)?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(crate) fn weights(&self) -> &Table {
        &self.weights
    }

    pub(crate) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Weights of one stage; so far apart are those of one content in two stages.
    pub(crate) fn stage_entries(&self) -> u32 {
        self.stage_entries
    }
}

/// Adds up the weights that a trace names, given their bits.
#[inline]
fn sum(trace: Trace<'_>, bits: impl Fn(u32) -> u32) -> f32 {
    let weight = |index: u32| f32::from_bits(bits(index));
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
            self.find(afterstates, 0, indices);
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
