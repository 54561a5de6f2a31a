use engine::{Game, Objective, ValueFunction};

/// Values every afterstate 0, for any objective: play by it sees rewards only.
#[derive(Clone, Copy, Debug)]
pub struct Zero(pub Objective);

impl<G: Game> ValueFunction<G> for Zero {
    fn objective(&self) -> Objective {
        self.0
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn values(&self, _afterstates: &[G::Afterstate], values: &mut [f32]) {
        values.fill(0.0);
    }

    fn upper_bound(&self, _afterstate: G::Afterstate, _moves: u32) -> f32 {
        0.0
    }
}
