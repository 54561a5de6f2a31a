use crate::Trace;
use crate::memory::Table;
use std::sync::atomic::Ordering::Relaxed;

/// The sums of temporal coherence learning (Beal and Smith 1999; for 2048 Jaskowski 2016): for each weight
/// the sum of the errors it was updated with, E, and of their absolute values, A. A weight's step size is
/// |E| / A: 1 while all errors agree (or there was none), near 0 once they cancel.
///
/// They lie apart from the weights, since playing reads weights only.
pub struct CoherenceSums {
    sums: Table,
}

impl CoherenceSums {
    pub(crate) fn new(sums: Table) -> Self {
        CoherenceSums { sums }
    }

    /// Asks the processor to fetch the sums that a trace names.
    #[inline]
    pub fn prefetch(&self, trace: Trace<'_>) {
        for &index in trace.indices {
            self.sums.prefetch(2 * index as usize);
        }
    }

    /// The step size of a weight before this error, which is then added to its sums.
    #[inline]
    pub(crate) fn rate_then_add(&self, index: u32, error: f32) -> f32 {
        let [sum, absolute] = self.pair(index);
        let (e, a) = (
            f32::from_bits(sum.load(Relaxed)),
            f32::from_bits(absolute.load(Relaxed)),
        );
        sum.store((e + error).to_bits(), Relaxed);
        absolute.store((a + error.abs()).to_bits(), Relaxed);
        // 1 as well where nothing is known, 0 / 0; and where threads that update one weight at once lost a part of A.
        let rate = e.abs() / a;
        if rate < 1.0 { rate } else { 1.0 }
    }

    /// E and A of each weight side by side, in storage order.
    pub(crate) fn table(&self) -> &Table {
        &self.sums
    }

    #[inline]
    pub(crate) fn pair(&self, index: u32) -> &[std::sync::atomic::AtomicU32; 2] {
        &self.sums.cells().as_chunks::<2>().0[index as usize]
    }
}
