use crate::kernel::Indexed;
use crate::ntuple::NTuple;
use std::sync::atomic::Ordering::Relaxed;

impl<G: Indexed> NTuple<G> {
    /// Moves every weight towards that of another network by a share (0 to 1) of their difference: 1/2 gives the mean of
    /// two networks, 1/3 then adds a third to it. A weight that only one of two has learned is halved by their mean, so both
    /// should have seen much. Weights that both inherit from the stage before stay so.
    ///
    /// Returns whether the two have the same tables; if not, nothing changes.
    pub fn blend(&mut self, other: &NTuple<G>, share: f32) -> bool {
        let same = self.structure() == other.structure()
            && self.stages() == other.stages()
            && self.radix() == other.radix()
            && self.initial_value() == other.initial_value();
        if !same {
            return false;
        }
        // Later stages first: they may inherit what is to change.
        for index in (0..self.entries() as u32).rev() {
            let [ours, theirs] =
                [&*self, other].map(|network| &network.weights().cells()[index as usize]);
            if ours.load(Relaxed) == theirs.load(Relaxed) {
                continue;
            }
            let (a, b) = (self.promoted(index), other.promoted(index));
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            ours.store((a + share * (b - a)).to_bits(), Relaxed);
        }
        true
    }
}
