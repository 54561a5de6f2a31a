use crate::{Direction, Game, tile};
use serde::{Deserialize, Serialize};

/// What a value means, and so which reward a step adds on the way to it. A dead board is worth 0 whatever the
/// objective; only a rating calls for care with that, and is above 0 for every living board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    /// The expected sum of the merges still to come: a step's reward is the sum of the tiles that it makes.
    Score,
    /// The expected number of moves still to come: every step's reward is 1.
    Moves,
    /// The probability of making a tile of this rank: steps have no reward, a board with the tile is worth 1.
    Reach(u8),
    /// A hand-made number without unit, above 0 for every living board: steps have no reward.
    Rating,
}

impl Objective {
    /// The reward of a step whose merges made tiles of the given sum.
    #[inline]
    pub fn step_reward(self, merged: u32) -> f32 {
        match self {
            Objective::Score => merged as f32,
            Objective::Moves => 1.0,
            Objective::Reach(_) | Objective::Rating => 0.0,
        }
    }
}

impl std::fmt::Display for Objective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Objective::Score => f.write_str("score"),
            Objective::Moves => f.write_str("moves"),
            Objective::Reach(rank) => write!(f, "reach:{}", tile(*rank)),
            Objective::Rating => f.write_str("rating"),
        }
    }
}

/// What the best moves of some boards are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BestSum {
    /// The weighted sum of the boards' greatest afterstate values, 0 for a dead board.
    pub sum: f64,
    /// Boards.
    pub boards: u32,
    /// Legal moves of all of them.
    pub moves: u32,
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

    /// A number, 0 or more, that no afterstate's value exceeds which play can come to within `moves` moves from this
    /// one; infinite if there is none to state. What it costs is repaid where search can then stop early.
    fn upper_bound(&self, _afterstate: G::Afterstate, _moves: u32) -> f32 {
        f32::INFINITY
    }

    /// What the best moves are worth on the boards after each spawn of one of some ranks in one of the empty cells of
    /// an afterstate whose bits are set in `cells`, counted in cell order; each rank has a weight. For ratings only,
    /// whose steps have no reward, and only if that is faster than valuing the leaves; `None` otherwise.
    fn best_after_spawns(
        &self,
        _afterstate: G::Afterstate,
        _ranks: &[(u8, f64)],
        _cells: u32,
    ) -> Option<BestSum> {
        None
    }

    /// The value of one afterstate.
    fn value(&self, afterstate: G::Afterstate) -> f32 {
        let mut value = [0.0];
        self.values(&[afterstate], &mut value);
        value[0]
    }
}

/// A depth-1 choice: the best move, and by `direction as usize` what each legal move is worth.
pub type Choice = (Direction, [Option<f32>; 4]);

/// Boards that [`best_moves`] takes together: enough to hide the waits for the values of one behind the work for the others,
/// and no more than the values of which fit the nearest cache.
pub const BOARDS: usize = 4;

/// The depth-1 choice on each of some boards: for every legal move step reward + value of its afterstate, and
/// the best of them, the first in the order of [`Direction::ALL`] among equals. `None` exactly where no move is
/// legal.
#[inline]
pub fn best_moves<G: Game>(
    game: &G,
    boards: &[G::Board],
    value: &(impl ValueFunction<G> + ?Sized),
    choices: &mut Vec<Option<Choice>>,
) {
    choices.clear();
    for boards in boards.chunks(BOARDS) {
        let mut slides = [[None; 4]; BOARDS];
        for (slides, &board) in slides.iter_mut().zip(boards) {
            *slides = game.slides(board);
        }
        let legal = || slides.as_flattened().iter().flatten();
        let Some(&(placeholder, _)) = legal().next() else {
            choices.extend(boards.iter().map(|_| None));
            continue;
        };
        let mut afterstates = [placeholder; 4 * BOARDS];
        let mut count = 0;
        for (afterstate, _) in legal() {
            afterstates[count] = *afterstate;
            count += 1;
        }
        let mut values = [0.0; 4 * BOARDS];
        value.values(&afterstates[..count], &mut values[..count]);

        let mut values = values.into_iter();
        for slides in &slides[..boards.len()] {
            let mut totals = [None; 4];
            for (total, slide) in totals.iter_mut().zip(slides) {
                if let Some((_, merged)) = slide {
                    let value_of = values.next().unwrap_or(0.0);
                    *total = Some(value.objective().step_reward(*merged) + value_of);
                }
            }
            choices.push(best_of(&totals).map(|direction| (direction, totals)));
        }
    }
}

/// The direction of the greatest value, the first in the order of [`Direction::ALL`] among equals.
#[inline]
pub fn best_of(values: &[Option<f32>; 4]) -> Option<Direction> {
    let mut best: Option<(Direction, f32)> = None;
    for direction in Direction::ALL {
        if let Some(value) = values[direction as usize]
            && best.is_none_or(|(_, highest)| value > highest)
        {
            best = Some((direction, value));
        }
    }
    best.map(|(direction, _)| direction)
}

/// The depth-1 choice on one board; see [`best_moves`].
pub fn best_move<G: Game>(
    game: &G,
    board: G::Board,
    value: &(impl ValueFunction<G> + ?Sized),
) -> Option<Choice> {
    let mut choices = Vec::with_capacity(1);
    best_moves(game, &[board], value, &mut choices);
    choices.pop().flatten()
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

    fn upper_bound(&self, afterstate: G::Afterstate, moves: u32) -> f32 {
        (**self).upper_bound(afterstate, moves)
    }

    fn best_after_spawns(
        &self,
        afterstate: G::Afterstate,
        ranks: &[(u8, f64)],
        cells: u32,
    ) -> Option<BestSum> {
        (**self).best_after_spawns(afterstate, ranks, cells)
    }
}
