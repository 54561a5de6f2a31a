//! Expectimax: the best move by looking several moves ahead.
//!
//! A board's value is the greatest, over its legal moves, of step reward + value of the afterstate; an afterstate's is
//! the mean over its spawns; at the leaves it comes from a value function. Depth is the number of the player's moves
//! looked at, so depth 1 is greedy play. With whole games searched and rewards alone this is exact.

mod depth;
mod goal;
mod leaves;
mod node;
mod table;
#[cfg(test)]
mod tests;

pub use depth::DepthRule;
pub use goal::Goal;

use engine::{Decision, Direction, Effort, Game, Objective, ValueFunction};
use goal::{REACHED, Scale};
use node::{NO_FLOOR, RootBoard, Search, Worker, cost_of};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchSettings {
    /// How deep; with `time`, at most so deep.
    pub depth: DepthRule,
    /// Deepen step by step until so much time has passed. The last depth that was finished counts.
    pub time: Option<Duration>,
    /// What to maximise, if not what the value function values.
    pub goal: Option<Goal>,
    /// Look at no more than so many empty cells below a chance node, drawn at random for each position.
    pub samples: Option<u32>,
    /// Positions that spawns lead to with a smaller probability are leaves.
    pub cutoff: Option<f64>,
    /// Entries of each thread's transposition table, 0 for none.
    pub table: usize,
    /// Whether to stop early where the value function states bounds.
    pub prune: bool,
    /// Threads that search one board together.
    pub threads: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            depth: DepthRule::Fixed(2),
            time: None,
            goal: None,
            samples: None,
            cutoff: None,
            table: 1 << 14,
            prune: true,
            threads: 1,
        }
    }
}

/// Why a search cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The value function means something else than the goal.
    #[error(
        "values of '{value}' do not serve the goal '{goal}': use the value zero or, to reach a tile, a rating"
    )]
    Goal {
        /// What the values mean.
        value: Objective,
        /// What is to be maximised.
        goal: Objective,
    },
    /// A rating that states no bound cannot be made a probability.
    #[error(
        "this rating has no bound on this board, so it cannot serve the goal '{0}': use the value zero or rowtable"
    )]
    Unbounded(Objective),
}

/// Searches boards of a game; see the settings.
pub struct Expectimax<G: Game> {
    task: Arc<Task<G>>,
    sample_seed: u64,
    /// One for each thread.
    workers: Vec<Mutex<Worker<G>>>,
    /// `None` for one thread, or where the system refuses more: one finds the same.
    pool: Option<rayon::ThreadPool>,
}

/// What all searches of an agent share.
struct Task<G: Game> {
    game: G,
    value: Arc<dyn ValueFunction<G>>,
    settings: SearchSettings,
    goal: Objective,
    /// Spawning ranks with their probabilities, likely ones first.
    spawn: Vec<(u8, f64)>,
    /// If symmetric positions share table entries, the symmetries.
    symmetries: Vec<Vec<usize>>,
}

/// Cells up to which symmetric positions are met often enough for what finding them costs.
const SMALL_BOARD: usize = 9;

/// The share of a time budget after which no further depth is begun: it would hardly be finished.
const LAST_START: f64 = 0.5;

impl<G: Game> Expectimax<G> {
    /// A search of a game by a value function.
    ///
    /// # Errors
    /// When the value function does not serve the goal.
    pub fn new(
        game: &G,
        value: Arc<dyn ValueFunction<G>>,
        settings: SearchSettings,
    ) -> Result<Self, SearchError> {
        let own = value.objective();
        let goal = match settings.goal {
            Some(Goal(goal)) => goal,
            // Of a game that ends with its target, a rating knows nothing.
            None if own == Objective::Rating && game.rules().stop_at_target => {
                Objective::Reach(game.rules().target_rank())
            }
            None => own,
        };
        if goal != own {
            if !(own == Objective::Rating && matches!(goal, Objective::Reach(_))) {
                return Err(SearchError::Goal { value: own, goal });
            }
            let empty = game.awaiting_spawn(game.empty_board());
            if !value.upper_bound(empty, 1).is_finite() {
                return Err(SearchError::Unbounded(goal));
            }
        }
        let spawn = game.rules().spawn.iter();
        let mut spawn: Vec<_> = spawn.map(|odds| (odds.rank(), odds.probability)).collect();
        spawn.sort_by(|a, b| b.1.total_cmp(&a.1));
        let geometry = game.rules().geometry();
        let shares = value.symmetric() && geometry.cells() <= SMALL_BOARD && settings.table > 0;
        Ok(Expectimax::of(Arc::new(Task {
            game: game.clone(),
            value,
            goal,
            spawn,
            symmetries: match shares {
                true => geometry.symmetries(),
                false => Vec::new(),
            },
            settings,
        })))
    }

    fn of(task: Arc<Task<G>>) -> Self {
        let SearchSettings { threads, table, .. } = task.settings;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        Expectimax {
            task,
            sample_seed: 0,
            workers: (0..threads.max(1))
                .map(|_| Mutex::new(Worker::new(table)))
                .collect(),
            pool: (threads > 1).then(|| pool.build().ok()).flatten(),
        }
    }

    /// A search of the same kind, for another thread.
    pub fn another(&self) -> Self {
        Expectimax::of(self.task.clone())
    }

    /// Sets where sampled spawns are drawn from.
    pub fn reseed(&mut self, seed: u64) {
        self.sample_seed = seed;
    }

    /// The best move of a board, or `None` exactly if it has none.
    pub fn decide(&mut self, board: G::Board) -> Option<Decision> {
        let begun = Instant::now();
        for worker in &mut self.workers {
            worker
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .begin();
        }
        let greatest = self.task.settings.depth.depth(&self.task.game, board);
        let Some(time) = self.task.settings.time else {
            return self.decide_at(board, greatest, None);
        };
        let mut decision = self.decide_at(board, 1, None)?;
        let only = decision.values.iter().flatten().count() == 1;
        for depth in 2..=greatest {
            let leaves = decision.effort.leaves;
            if only || begun.elapsed() > time.mul_f64(LAST_START) {
                break;
            }
            match self.decide_at(board, depth, Some(begun + time)) {
                Some(deeper) => decision = deeper,
                None => break,
            }
            // A search without leaves has seen every game to its end.
            if decision.effort.leaves == leaves {
                break;
            }
        }
        Some(decision)
    }

    /// Searches to a depth; `None` if there is no legal move, or time ran out.
    fn decide_at(
        &mut self,
        board: G::Board,
        depth: u32,
        deadline: Option<Instant>,
    ) -> Option<Decision> {
        let search = Search {
            game: &self.task.game,
            value: &*self.task.value,
            scale: Scale::new(&self.task.game, board, self.task.goal, &*self.task.value),
            spawn: &self.task.spawn,
            samples: self.task.settings.samples.unwrap_or(u32::MAX),
            sample_seed: self.sample_seed,
            cuts: self.task.settings.cutoff.is_some(),
            prunes: self.task.settings.prune,
            symmetries: &self.task.symmetries,
            deadline,
            late: AtomicBool::new(false),
        };
        let allowance = self.task.settings.cutoff.map_or(0, cost_of);
        let mut values = [None; 4];
        for (value, slide) in values.iter_mut().zip(self.task.game.slides(board)) {
            let Some((afterstate, merged)) = slide else {
                continue;
            };
            *value = Some(
                match search.scale.reward(&self.task.game, &afterstate, merged) {
                    None => REACHED,
                    Some(reward) => {
                        reward + self.root_value(&search, afterstate, depth - 1, allowance)
                    }
                },
            );
        }
        if search.late.into_inner() {
            return None;
        }
        let mut best: Option<(Direction, f32)> = None;
        for direction in Direction::ALL {
            if let Some(value) = values[direction as usize]
                && best.is_none_or(|(_, highest)| value > highest)
            {
                best = Some((direction, value));
            }
        }
        let (direction, _) = best?;
        let mut effort = Effort::default();
        for worker in &mut self.workers {
            effort += worker
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .effort;
        }
        effort.nodes += 1;
        effort.depth = depth;
        Some(Decision {
            direction,
            values,
            effort,
        })
    }

    /// The value of a root move's afterstate. All of them are searched in full, so that each has its value.
    fn root_value(
        &self,
        search: &Search<'_, G>,
        afterstate: G::Afterstate,
        depth: u32,
        allowance: u32,
    ) -> f32 {
        match &self.pool {
            Some(pool) if depth > 1 => {
                let boards = search.boards(afterstate, depth, allowance);
                let value = |board: &RootBoard<G>| {
                    let worker = rayon::current_thread_index().unwrap_or(0);
                    let mut worker = self.workers[worker]
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner);
                    search.below_root(&mut worker, board, depth)
                };
                let values: Vec<f32> =
                    pool.install(|| boards.par_iter().with_max_len(1).map(value).collect());
                // Summed in the order of the boards, as one thread does.
                let means = boards
                    .iter()
                    .zip(values)
                    .map(|(board, value)| board.probability * f64::from(value));
                means.sum::<f64>() as f32
            }
            _ => {
                let mut worker = self.workers[0]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                match depth {
                    0 => search.leaf(&mut worker, afterstate),
                    _ => {
                        let value =
                            search.chance(&mut worker, afterstate, depth, allowance, NO_FLOOR);
                        value.unwrap_or(0.0)
                    }
                }
            }
        }
    }
}
