//! The recursion: chance nodes and max nodes.

use super::goal::{REACHED, Scale};
use super::leaves::Leaves;
use super::table::{Found, Key, Table};
use engine::{Cells, Effort, Game, MAX_CELLS, ValueFunction, tile};
use rand::RngExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Units of the cut-off's logarithm to base 2.
const UNIT: f64 = 256.0;

/// The cost that stands for a probability: whole numbers, so that the same spawns cost the same in every order.
pub(super) fn cost_of(probability: f64) -> u32 {
    (-probability.log2() * UNIT).round() as u32
}

/// What does not change while one board is searched.
pub(super) struct Search<'a, G: Game> {
    pub(super) game: &'a G,
    pub(super) value: &'a dyn ValueFunction<G>,
    pub(super) scale: Scale,
    /// Spawning ranks with their probabilities, likely ones first.
    pub(super) spawn: &'a [(u8, f64)],
    /// Empty cells looked at below a chance node.
    pub(super) samples: u32,
    /// Sets the sampled cells of different games apart.
    pub(super) sample_seed: u64,
    /// Whether improbable positions are leaves; see `allowance` below.
    pub(super) cuts: bool,
    pub(super) prunes: bool,
    /// All symmetries, if positions that they map onto each other share a table entry.
    pub(super) symmetries: &'a [Vec<usize>],
    /// Whether the depth is one that can only be meant to reach the ends of games.
    pub(super) whole_games: bool,
    pub(super) deadline: Option<Instant>,
    /// Breaks the search off as the deadline does.
    pub(super) stop: &'a AtomicBool,
    /// Set when the deadline has passed: what is returned from then on means nothing.
    pub(super) late: AtomicBool,
}

/// What a thread needs to search.
pub(super) struct Worker<G: Game> {
    table: Table,
    pub(super) effort: Effort,
    leaves: Leaves<G>,
    /// Chance nodes until the next look at the clock.
    until_clock: u32,
}

/// A board that the first spawn can give.
pub(super) struct RootBoard<G: Game> {
    board: G::Board,
    pub(super) probability: f64,
    /// Whether the spawn itself reaches the goal.
    reached: bool,
    /// See [`Search::chance`].
    depth: u32,
    allowance: u32,
}

impl<G: Game> Worker<G> {
    /// Forgets earlier decisions.
    pub(super) fn begin(&mut self) {
        self.effort = Effort::default();
        self.table.begin_decision();
        self.leaves.forget();
    }

    pub(super) fn new(table_entries: usize) -> Self {
        Worker {
            table: Table::new(table_entries),
            effort: Effort::default(),
            leaves: Leaves::new(),
            until_clock: CLOCK_INTERVAL,
        }
    }
}

/// The least depth at which ordering a board's moves spares more than it costs.
const ORDERED_DEPTH: u32 = 3;

/// A floor that spares nothing.
pub(super) const NO_FLOOR: f32 = f32::NEG_INFINITY;

/// Chance nodes between two looks at the clock.
const CLOCK_INTERVAL: u32 = 16;

/// How far a bound must lie below what it is compared with, so that rounding never decides.
const MARGIN: f64 = 1e-5;

impl<G: Game> Search<'_, G> {
    /// The value of an afterstate of which `depth` moves are looked at, `depth` >= 1: the mean over its spawns.
    ///
    /// `allowance` is what the spawns below may cost together before the board is a leaf. `None` only if the value is
    /// known not to exceed `floor`: what is left of the spawns cannot lift the mean that far (star1 of Ballard's
    /// *-minimax, 1983). Just above the leaves that costs more than it spares.
    pub(super) fn chance(
        &self,
        worker: &mut Worker<G>,
        afterstate: G::Afterstate,
        depth: u32,
        allowance: u32,
        floor: f32,
    ) -> Option<f32> {
        worker.effort.nodes += 1;
        if self.is_late(worker) {
            return Some(0.0);
        }
        let afterstate = self.canonical(afterstate);
        let depth = self.within_game(afterstate, depth);
        let key = Key::new(afterstate.fingerprint(), depth, allowance);
        match worker.table.get(key) {
            Some(Found::Exact(value)) => {
                worker.effort.table_hits += 1;
                return Some(value);
            }
            Some(Found::AtMost(bound)) if bound <= floor => {
                worker.effort.table_hits += 1;
                return None;
            }
            _ => {}
        }
        let floor_sum = f64::from(floor);
        let bound = match self.prunes && depth > 1 && floor > NO_FLOOR {
            true => (self.scale).upper_bound(self.game, self.value, afterstate, depth),
            false => f64::INFINITY,
        };
        let prunes = bound.is_finite();
        // What is left cannot lift the mean above the floor.
        let hopeless = |sum: f64, rest: f64| {
            prunes && sum + rest * bound < floor_sum - MARGIN * floor_sum.abs()
        };
        if hopeless(0.0, 1.0) {
            return None;
        }
        let (cells, mask) = self.sampled_cells(afterstate, key);
        let (mut sum, mut rest) = (0.0, 1.0);
        // Likely spawns come first: from the first on after which boards are above leaves, all are.
        let left = |odds: f64| self.allowance_after(allowance, odds / f64::from(cells));
        let searched = self.spawn.iter();
        let searched = searched.take_while(|(_, odds)| depth > 1 && left(*odds).is_some());
        let (searched, valued) = self.spawn.split_at(searched.count());
        for &(rank, odds) in searched {
            let probability = odds / f64::from(cells);
            let allowance = left(odds).unwrap_or(0);
            let boards = self.game.placements(afterstate, rank).enumerate();
            for (_, board) in boards.filter(|(nth, _)| mask >> nth & 1 == 1) {
                rest -= probability;
                if self.scale.spawn_reaches(rank) {
                    sum += probability * f64::from(REACHED);
                    continue;
                }
                let board_floor = match prunes {
                    true => (((floor_sum - sum - rest * bound) / probability) as f32).next_down(),
                    false => NO_FLOOR,
                };
                let value = self.max(worker, board, depth, allowance, board_floor);
                sum += probability * f64::from(value.unwrap_or(f32::NEG_INFINITY));
                if hopeless(sum, rest) {
                    worker.table.put(key, Found::AtMost(floor));
                    return None;
                }
            }
        }
        sum = self.add_leaves(worker, afterstate, valued, (cells, mask), sum);
        let value = sum as f32;
        // Once late, nothing that is found or filed means anything: the decision is over.
        worker.table.put(key, Found::Exact(value));
        Some(value)
    }

    /// The value of a board with the player to move, of whom `depth` >= 2 moves are looked at; `None` only if it is
    /// known not to exceed `floor`.
    fn max(
        &self,
        worker: &mut Worker<G>,
        board: G::Board,
        depth: u32,
        allowance: u32,
        floor: f32,
    ) -> Option<f32> {
        worker.effort.nodes += 1;
        let slides = self.game.slides(board);
        let Some(&placeholder) = slides.iter().flatten().next() else {
            return Some(0.0);
        };
        let mut moves = [(placeholder.0, 0.0); 4];
        let mut count = 0;
        for (afterstate, merged) in slides.into_iter().flatten() {
            let Some(reward) = self.scale.reward(self.game, &afterstate, merged) else {
                return Some(REACHED);
            };
            moves[count] = (afterstate, reward);
            count += 1;
        }
        let moves = &mut moves[..count];
        if self.prunes && count > 1 && depth >= ORDERED_DEPTH {
            self.order(moves);
        }
        let (mut best, mut beaten): (Option<f32>, _) = (None, false);
        for &(afterstate, reward) in moves.iter() {
            let floor = best.unwrap_or(NO_FLOOR).max(floor) - reward;
            match self.chance(worker, afterstate, depth - 1, allowance, floor) {
                Some(value) => {
                    let total = reward + value;
                    best = Some(best.map_or(total, |best| total.max(best)));
                }
                None => beaten = true,
            }
        }
        // If not, some move may be worth more than the best that is known, but none more than the floor.
        best.filter(|&best| !beaten || best >= floor)
    }

    /// The value of an afterstate that is a leaf.
    pub(super) fn leaf(&self, worker: &mut Worker<G>, afterstate: G::Afterstate) -> f32 {
        worker.effort.nodes += 1;
        worker.effort.leaves += 1;
        let mut value = [0.0];
        self.value.values(&[afterstate], &mut value);
        self.scale.leaf(value[0])
    }

    /// The boards below a root move of which `depth` >= 2 moves are looked at, for threads to share. `None` if some of
    /// them are cut off.
    pub(super) fn boards(
        &self,
        afterstate: G::Afterstate,
        depth: u32,
        allowance: u32,
    ) -> Option<Vec<RootBoard<G>>> {
        let afterstate = self.canonical(afterstate);
        let depth = self.within_game(afterstate, depth);
        let key = Key::new(afterstate.fingerprint(), depth, allowance);
        let (cells, mask) = self.sampled_cells(afterstate, key);
        let mut boards = Vec::new();
        for &(rank, odds) in self.spawn {
            let probability = odds / f64::from(cells);
            let allowance = self.allowance_after(allowance, probability)?;
            for (nth, board) in self.game.placements(afterstate, rank).enumerate() {
                if mask >> nth & 1 == 1 {
                    boards.push(RootBoard {
                        board,
                        probability,
                        reached: self.scale.spawn_reaches(rank),
                        depth,
                        allowance,
                    });
                }
            }
        }
        Some(boards)
    }

    /// The value of a board below a root move, exactly as [`Search::chance`] finds it.
    pub(super) fn below_root(&self, worker: &mut Worker<G>, root: &RootBoard<G>) -> f32 {
        if root.reached {
            return REACHED;
        }
        let value = self.max(worker, root.board, root.depth, root.allowance, NO_FLOOR);
        value.unwrap_or(0.0)
    }

    /// What is left of an allowance after a spawn, `None` if nothing: then the board's afterstates are leaves.
    #[inline]
    pub(super) fn allowance_after(&self, allowance: u32, probability: f64) -> Option<u32> {
        match self.cuts {
            true => allowance.checked_sub(cost_of(probability)),
            false => Some(allowance),
        }
    }

    /// How many empty cells are looked at, and which: a bit for each, in cell order. They are drawn from the position
    /// itself, so it has the same ones wherever it is met.
    #[inline]
    pub(super) fn sampled_cells(&self, afterstate: G::Afterstate, key: Key) -> (u32, u32) {
        let empty = self.game.empty_cells(afterstate);
        if empty <= self.samples {
            return (empty, u32::MAX);
        }
        let mut rng = key.rng(self.sample_seed);
        let mut mask: u32 = 0;
        while mask.count_ones() < self.samples {
            mask |= 1 << rng.random_range(0..empty);
        }
        (self.samples, mask)
    }

    /// The one of a position's images that stands for all of them in the table.
    #[inline]
    fn canonical(&self, afterstate: G::Afterstate) -> G::Afterstate {
        if self.symmetries.is_empty() {
            return afterstate;
        }
        let mut least = [u8::MAX; MAX_CELLS];
        let cells = self.symmetries[0].len();
        for image in self.symmetries {
            let mut ranks = [0; MAX_CELLS];
            for (rank, &cell) in ranks.iter_mut().zip(image) {
                *rank = afterstate.rank(cell);
            }
            least = least.min(ranks);
        }
        self.game
            .awaiting_spawn(self.game.board_of_ranks(&least[..cells]))
    }

    /// A depth that no game is longer than: to its end is as deep as any depth beyond, so that a position has one value
    /// wherever it is met in the search of whole games.
    #[inline]
    fn within_game(&self, afterstate: G::Afterstate, depth: u32) -> u32 {
        if !self.whole_games {
            return depth;
        }
        let rules = self.game.rules();
        let cells = 0..rules.geometry().cells();
        let sum: u64 = cells.map(|cell| tile(afterstate.rank(cell))).sum();
        let least = rules.spawn.iter().map(|odds| odds.tile).min().unwrap_or(2);
        // Each move needs a spawn before it.
        let moves = (rules.largest_sum() - sum) / least;
        depth.min(u32::try_from(moves).unwrap_or(u32::MAX)).max(1)
    }

    /// Puts a board's moves in the order of their afterstates' own values, the best first: the sooner the floor is
    /// high, the more is pruned.
    fn order(&self, moves: &mut [(G::Afterstate, f32)]) {
        let mut afterstates = [moves[0].0; 4];
        for (afterstate, of) in afterstates.iter_mut().zip(moves.iter()) {
            *afterstate = of.0;
        }
        let mut values = [0.0; 4];
        let values = &mut values[..moves.len()];
        self.value.values(&afterstates[..moves.len()], values);
        let mut keyed = [(0.0, moves[0]); 4];
        for ((keyed, of), value) in keyed.iter_mut().zip(moves.iter()).zip(values) {
            *keyed = (of.1 + self.scale.leaf(*value), *of);
        }
        let keyed = &mut keyed[..moves.len()];
        keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (of, (_, sorted)) in moves.iter_mut().zip(keyed) {
            *of = *sorted;
        }
    }

    /// Adds to a sum what spawns of some ranks bring to an afterstate of whose boards one move is looked at.
    fn add_leaves(
        &self,
        worker: &mut Worker<G>,
        afterstate: G::Afterstate,
        ranks: &[(u8, f64)],
        (cells, mask): (u32, u32),
        mut sum: f64,
    ) -> f64 {
        if self.scale.is_rating()
            && let Some(best) = self.value.best_after_spawns(afterstate, ranks, mask)
        {
            worker.effort.nodes += u64::from(best.boards + best.moves);
            worker.effort.leaves += u64::from(best.moves);
            return sum + best.sum / f64::from(cells);
        }
        for &(rank, odds) in ranks {
            if self.scale.spawn_reaches(rank) {
                sum += odds * f64::from(REACHED);
                continue;
            }
            let boards = self.game.placements(afterstate, rank).enumerate();
            for (_, board) in boards.filter(|(nth, _)| mask >> nth & 1 == 1) {
                worker
                    .leaves
                    .add(self.game, self.scale, board, odds / f64::from(cells));
            }
        }
        self.value_leaves(worker, sum)
    }

    /// Adds to a sum what the boards above leaves that were collected are worth.
    #[inline]
    fn value_leaves(&self, worker: &mut Worker<G>, sum: f64) -> f64 {
        let (sum, [boards, moves, valued]) = worker.leaves.value(self.scale, self.value, sum);
        worker.effort.nodes += boards + moves;
        worker.effort.leaves += valued;
        sum
    }

    /// Whether the search is to end. Looks at the clock now and then.
    #[inline]
    fn is_late(&self, worker: &mut Worker<G>) -> bool {
        worker.until_clock = worker.until_clock.checked_sub(1).unwrap_or(CLOCK_INTERVAL);
        if worker.until_clock == 0 {
            let over = self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
            if over || self.stop.load(Relaxed) {
                self.late.store(true, Relaxed);
            }
        }
        self.late.load(Relaxed)
    }
}
