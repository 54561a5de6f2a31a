//! Copies of small tables, one for every thread that learns.
//!
//! A table of four cells has so few entries that threads write to the same lines of memory all the time, and wait for each
//! other: two trained 8x6 with five such tables hardly faster than one. So each has the small tables for itself, beside
//! large ones that all share. Now and then they are set to their mean, which is the mean of the threads' value functions,
//! since values are sums.

use crate::memory::Table;
use crate::{CoherenceSums, Indexed, NTuple, Structure, Traces};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Threads with small tables of their own, at most; others share them.
const THREADS: usize = 16;

/// Entries of the largest table that is copied.
const SMALL: u64 = 1 << 16;

/// Where the copies are. The first thread uses the tables themselves.
#[derive(Default)]
pub(crate) struct Copies {
    /// The look-ups that small tables answer.
    features: Vec<usize>,
    /// The entries of these tables.
    small: Range<u32>,
    /// Where the second thread's begin.
    start: u32,
}

impl Copies {
    /// For a network of one stage, whose tables begin at these entries. The small ones that come last are copied, if there
    /// are large ones before them: threads have to learn something together.
    pub(crate) fn new(structure: &Structure, starts: &[u64]) -> Copies {
        let tables = starts.len() - 1;
        let large = (0..tables).rfind(|&table| starts[table + 1] - starts[table] > SMALL);
        let first = large.map_or(tables, |table| table + 1);
        let lookups = structure.lookups().into_iter().enumerate();
        Copies {
            features: lookups
                .filter(|(_, (pattern, _))| *pattern >= first)
                .map(|(feature, _)| feature)
                .collect(),
            small: starts[first] as u32..starts[tables] as u32,
            start: starts[tables] as u32,
        }
    }

    /// Entries that all copies need. Memory that is never used is never taken up.
    pub(crate) fn entries(&self) -> u64 {
        (THREADS as u64 - 1) * self.small.len() as u64
    }

    /// How far a thread's entries are from the first one's.
    fn shift(&self, thread: usize) -> u32 {
        match (thread % THREADS) as u32 {
            0 => 0,
            thread => self.start + (thread - 1) * self.small.len() as u32 - self.small.start,
        }
    }

    /// Moves the indices of an afterstate to a copy that is so far away.
    #[inline]
    pub(crate) fn move_to(&self, shift: u32, row: &mut [u32]) {
        for &feature in &self.features {
            row[feature] = row[feature].wrapping_add(shift);
        }
    }

    /// Sets all numbers of small tables, `width` an entry, for so many threads: to what `value` makes of those of each.
    fn set(&self, table: &Table, width: usize, threads: usize, value: impl Fn(&[f32]) -> f32) {
        let shifts: Vec<usize> = { 0..threads.min(THREADS) }
            .map(|thread| self.shift(thread) as usize * width)
            .collect();
        let cells = table.cells();
        let mut numbers = Vec::new();
        for index in self.small.start as usize * width..self.small.end as usize * width {
            let places = || shifts.iter().map(|shift| &cells[index + shift]);
            numbers.clear();
            numbers.extend(places().map(|cell| f32::from_bits(cell.load(Relaxed))));
            let bits = value(&numbers).to_bits();
            places().for_each(|cell| cell.store(bits, Relaxed));
        }
    }
}

impl<G: Indexed> NTuple<G> {
    /// Has the afterstates that are found from now on learned by a thread, counted from 0, in its copies of small tables.
    pub fn assign(&self, traces: &mut Traces, thread: usize) {
        traces.shift = self.copies().shift(thread);
    }

    /// Gives each of some threads its copies of small tables, and of their sums.
    pub fn spread(&self, sums: Option<&CoherenceSums>, threads: usize) {
        self.set_copies(sums, threads, |numbers| numbers[0]);
    }

    /// Sets the small tables, and their sums, to the mean of what threads made of their copies.
    pub fn gather(&self, sums: Option<&CoherenceSums>, threads: usize) {
        self.set_copies(sums, threads, |numbers| {
            numbers.iter().sum::<f32>() / numbers.len() as f32
        });
    }

    fn set_copies(
        &self,
        sums: Option<&CoherenceSums>,
        threads: usize,
        value: impl Fn(&[f32]) -> f32,
    ) {
        if threads > 1 {
            self.copies().set(self.weights(), 1, threads, &value);
            if let Some(sums) = sums {
                self.copies().set(sums.table(), 2, threads, &value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Classic, Game, ValueFunction, game_rng};

    fn network(patterns: &str) -> NTuple<Classic> {
        let structure = Structure::parse(patterns, Classic.rules().geometry()).expect(patterns);
        NTuple::new(&Classic, structure).expect("memory")
    }

    #[test]
    fn threads_learn_small_tables_apart_and_large_ones_together() {
        let network = network("01234 0123 4567");
        let sums = network.coherence_sums().expect("memory");
        let afterstate = Classic.awaiting_spawn(Classic.start(&mut game_rng(1, 0)));
        let mut traces = [0, 1, 2].map(|thread| {
            let mut traces = network.traces(1);
            network.assign(&mut traces, thread);
            network.locate_row(afterstate, &mut traces, 0);
            traces
        });
        network.spread(Some(&sums), 3);
        network.update_coherently(traces[1].row(0), &sums, 1.0, 240.0);
        let [own, other] = [1, 2].map(|thread: usize| network.read(traces[thread].row(0)));
        // What is large, one of three tables, all have learned.
        assert!(own > other && other > 0.0, "{own} {other}");
        assert_eq!(network.read(traces[0].row(0)), other);

        network.gather(Some(&sums), 3);
        let mean = (own + 2.0 * other) / 3.0;
        let mut played = [0.0];
        network.values(&[afterstate], &mut played);
        let values = { traces.iter() }.map(|traces| network.read(traces.row(0)));
        for value in values.chain(played) {
            assert!((value - mean).abs() < 1e-3, "{value} {mean}");
        }
        // So are the sums.
        let [first, second] = [0, 1].map(|thread: usize| {
            let pairs = traces[thread].row(0).indices.iter();
            let pairs =
                pairs.map(|&index| sums.pair(index).each_ref().map(|sum| sum.load(Relaxed)));
            pairs.collect::<Vec<_>>()
        });
        assert_eq!(first, second);
        assert!(first.iter().flatten().all(|&sum| sum != 0), "{first:?}");
        // All errors agreed so far, so the first contrary one is learned whole.
        network.update_coherently(traces[2].row(0), &sums, 1.0, -120.0);
        let moved = network.evaluate(afterstate, &mut traces[2]);
        assert!(moved < mean - 100.0, "{moved} {mean}");
    }

    #[test]
    fn only_small_tables_that_come_last_are_copied() {
        for (patterns, entries, features) in [
            ("01234", 0, vec![]),
            ("0123 4567", 0, vec![]),
            ("0123 01234", 0, vec![]),
            (
                "01234 0123",
                1 << 16,
                (0..16).filter(|n| n % 2 == 1).collect(),
            ),
            (
                "01234 012345 012 0145",
                (1 << 12) + (1 << 16),
                (16..32).collect(),
            ),
            ("01234 0123 asymmetric", 1 << 16, vec![1]),
        ] {
            let network = network(patterns);
            assert_eq!(network.copies().small.len(), entries, "{patterns}");
            assert_eq!(network.copies().features, features, "{patterns}");
        }
    }
}
