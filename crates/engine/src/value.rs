use crate::{Direction, Game};
use serde::{Deserialize, Serialize};

/// What a value means: which reward a step adds on the way to it, and what a dead board is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// The expected sum of the merges still to come. A dead board is worth 0.
    Score,
}

impl Objective {
    /// The reward of a step whose merges made tiles of the given sum.
    #[inline]
    pub fn step_reward(self, merged: u32) -> f32 {
        match self {
            Objective::Score => merged as f32,
        }
    }
}

/// A function that values afterstates.
pub trait ValueFunction<G: Game>: Send + Sync {
    /// What the values mean.
    fn objective(&self) -> Objective;

    /// Whether all rotations and reflections of a position have one value.
    fn symmetric(&self) -> bool;

    /// The value of each afterstate, into `values` of the same length. A batch, because values from tables
    /// wait for memory, and waits overlap.
    fn values(&self, afterstates: &[G::Afterstate], values: &mut [f32]);

    /// The value of one afterstate.
    fn value(&self, afterstate: G::Afterstate) -> f32 {
        let mut value = [0.0];
        self.values(&[afterstate], &mut value);
        value[0]
    }
}

/// The depth-1 choice: for each legal move (by `direction as usize`) step reward + value of its afterstate,
/// and the best of them, the first in the order of [`Direction::ALL`] among equals. `None` exactly when no
/// move is legal.
#[inline]
pub fn best_move<G: Game>(
    game: &G,
    board: G::Board,
    value: &(impl ValueFunction<G> + ?Sized),
) -> Option<(Direction, [Option<f32>; 4])> {
    let slides = game.slides(board);
    let placeholder = slides.iter().flatten().next()?.0;
    let mut afterstates = [placeholder; 4];
    let mut legal = 0;
    for (afterstate, _) in slides.iter().flatten() {
        afterstates[legal] = *afterstate;
        legal += 1;
    }
    let mut values = [0.0; 4];
    value.values(&afterstates[..legal], &mut values[..legal]);

    let mut results = [None; 4];
    let mut best = (Direction::Up, f32::NEG_INFINITY);
    let mut next = values.iter();
    for direction in Direction::ALL {
        if let (Some((_, merged)), result) =
            (slides[direction as usize], &mut results[direction as usize])
        {
            let total = value.objective().step_reward(merged) + next.next().unwrap_or(&0.0);
            *result = Some(total);
            if total > best.1 {
                best = (direction, total);
            }
        }
    }
    Some((best.0, results))
}

impl<G: Game, V: ValueFunction<G> + ?Sized> ValueFunction<G> for std::sync::Arc<V> {
    fn objective(&self) -> Objective {
        (**self).objective()
    }

    fn symmetric(&self) -> bool {
        (**self).symmetric()
    }

    fn values(&self, afterstates: &[G::Afterstate], values: &mut [f32]) {
        (**self).values(afterstates, values);
    }
}
