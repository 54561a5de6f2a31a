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

use engine::{Decision, Effort, Game, Objective, ValueFunction, best_of, tile};
use goal::{REACHED, Scale};
use node::{NO_FLOOR, RootBoard, Search, Worker, cost_of};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
    /// No board holds such a tile.
    #[error("the goal '{goal}' cannot be reached: the largest tile on this board is {largest}")]
    Impossible {
        /// What is to be maximised.
        goal: Objective,
        /// The largest tile that play can make.
        largest: u64,
    },
    /// The value function means something else than the goal.
    #[error(
        "a {value} does not serve the goal '{goal}': the value zero serves every goal, and a rating also reach:TILE"
    )]
    Goal {
        /// What the values mean.
        value: Objective,
        /// What is to be maximised.
        goal: Objective,
    },
    /// A rating that states no bound cannot be made a probability.
    #[error("this rating states no bound, so it cannot serve the goal '{0}'")]
    Unbounded(Objective),
}

/// Searches boards of a game; see the settings.
pub struct Expectimax<G: Game> {
    task: Arc<Task<G>>,
    sample_seed: u64,
    /// One for each thread.
    workers: Vec<Mutex<Worker<G>>>,
    /// Had with the first decision; `None` for one thread, or where the system refuses more: one finds the same.
    pool: OnceLock<Option<rayon::ThreadPool>>,
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
    /// Searches end, whatever they have found, once this is set.
    stop: Arc<AtomicBool>,
}

/// Cells up to which symmetric positions are met often enough for what finding them costs.
const SMALL_BOARD: usize = 9;

/// Bytes of a thread's stack: searches of whole games go deep.
pub(crate) const STACK: usize = 16 << 20;

/// A depth that no search comes to but by the ends of games.
const WHOLE_GAMES: u32 = 24;

/// The share of a time budget after which no further depth is begun: it would hardly be finished.
const LAST_START: f64 = 0.5;

impl<G: Game> Expectimax<G> {
    /// A search of a game by a value function. Once `stop` is set, no time is spent on decisions, which are then poor.
    ///
    /// # Errors
    /// When the value function does not serve the goal.
    pub fn new(
        game: &G,
        value: Arc<dyn ValueFunction<G>>,
        settings: SearchSettings,
        stop: Arc<AtomicBool>,
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
        let largest = game.rules().largest_rank();
        if matches!(goal, Objective::Reach(rank) if rank > largest) {
            let largest = tile(largest);
            return Err(SearchError::Impossible { goal, largest });
        }
        let spawn = game.rules().spawn.iter();
        let mut spawn: Vec<_> = spawn.map(|odds| (odds.rank(), odds.probability)).collect();
        spawn.sort_by(|a, b| b.1.total_cmp(&a.1));
        let geometry = game.rules().geometry();
        let shares = value.symmetric() && geometry.cells() <= SMALL_BOARD;
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
            stop,
        })))
    }

    fn of(task: Arc<Task<G>>) -> Self {
        let SearchSettings { threads, table, .. } = task.settings;
        Expectimax {
            task,
            sample_seed: 0,
            workers: (0..threads.max(1))
                .map(|_| Mutex::new(Worker::new(table)))
                .collect(),
            pool: OnceLock::new(),
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
        self.workers_mut().for_each(Worker::begin);
        let Task { settings, game, .. } = &*self.task;
        let (time, greatest) = (settings.time, settings.depth.depth(game, board));
        let Some(time) = time else {
            let decision = self.decide_at(board, greatest, None);
            return decision.or_else(|| self.decide_at(board, 1, None));
        };
        let mut decision = self.decide_at(board, 1, None)?;
        let only = decision.values.iter().flatten().count() == 1;
        for depth in 2..=greatest {
            if only || begun.elapsed() > time.mul_f64(LAST_START) {
                break;
            }
            let leaves = decision.effort.leaves;
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

    fn workers_mut(&mut self) -> impl Iterator<Item = &mut Worker<G>> {
        let workers = self.workers.iter_mut();
        workers.map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// Searches to a depth; `None` if there is no legal move, or the search was broken off.
    fn decide_at(
        &mut self,
        board: G::Board,
        depth: u32,
        deadline: Option<Instant>,
    ) -> Option<Decision> {
        let task = self.task.clone();
        let (game, value) = (&task.game, &*task.value);
        let scale = Scale::new(game, board, task.goal, value);
        // What has no bound cannot be pruned.
        let bound = scale.upper_bound(game, value, game.awaiting_spawn(board), depth);
        let search = Search {
            game,
            value,
            scale,
            spawn: &task.spawn,
            samples: task.settings.samples.unwrap_or(u32::MAX),
            sample_seed: self.sample_seed,
            cuts: task.settings.cutoff.is_some(),
            prunes: task.settings.prune && bound.is_finite(),
            symmetries: &task.symmetries,
            whole_games: depth >= WHOLE_GAMES,
            deadline,
            stop: &task.stop,
            late: AtomicBool::new(false),
        };
        let slides = game.slides(board);
        let legal: Vec<_> = slides.iter().flatten().map(|(after, _)| *after).collect();
        let allowance = task.settings.cutoff.map_or(0, cost_of);
        let mut found = self
            .values_of(&search, &legal, depth - 1, allowance)
            .into_iter();
        if search.late.load(Relaxed) {
            return None;
        }
        let values = slides.map(|slide| {
            let ((afterstate, merged), value) = (slide?, found.next()?);
            let reward = scale.reward(game, &afterstate, merged);
            Some(reward.map_or(REACHED, |reward| reward + value))
        });
        let direction = best_of(&values)?;
        let mut effort = Effort::default();
        for worker in self.workers_mut() {
            effort += worker.effort;
        }
        effort.nodes += 1;
        effort.depth = depth;
        Some(Decision {
            direction,
            values,
            effort,
        })
    }

    fn pool(&self) -> Option<&rayon::ThreadPool> {
        let pool = self.pool.get_or_init(|| {
            let threads = self.workers.len();
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .stack_size(STACK);
            (threads > 1).then(|| pool.build().ok()).flatten()
        });
        pool.as_ref()
    }

    /// The values of the root moves' afterstates. All are searched in full, so that each has its value.
    fn values_of(
        &self,
        search: &Search<'_, G>,
        afterstates: &[G::Afterstate],
        depth: u32,
        allowance: u32,
    ) -> Vec<f32> {
        let lock = |worker: usize| {
            self.workers[worker]
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(pool) = self.pool()
            && depth > 1
        {
            let boards = afterstates
                .iter()
                .map(|&afterstate| search.boards(afterstate, depth, allowance));
            let boards: Option<Vec<_>> = boards.collect();
            if let Some(boards) = boards {
                let all: Vec<_> = boards.iter().flatten().collect();
                let worth = |board: &&RootBoard<G>| {
                    let mut worker = lock(rayon::current_thread_index().unwrap_or(0));
                    search.below_root(&mut worker, board)
                };
                let worth: Vec<f32> =
                    pool.install(|| all.par_iter().with_max_len(1).map(worth).collect());
                // Summed in the order of the boards, as one thread does.
                let mut worth = worth.into_iter();
                let mean = |boards: &Vec<RootBoard<G>>| {
                    let shares = boards.iter().zip(&mut worth);
                    shares
                        .map(|(board, worth)| board.probability * f64::from(worth))
                        .sum::<f64>() as f32
                };
                return boards.iter().map(mean).collect();
            }
        }
        let worker = &mut *lock(0);
        let value = |&afterstate| match depth {
            0 => search.leaf(worker, afterstate),
            _ => search
                .chance(worker, afterstate, depth, allowance, NO_FLOOR)
                .unwrap_or(0.0),
        };
        afterstates.iter().map(value).collect()
    }
}
