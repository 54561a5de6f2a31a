//! Matches: many seeded games of an agent, played on several threads.

mod thread;

#[cfg(test)]
mod tests;

use crate::search::STACK;
use crate::{AgentMaker, Record};
use engine::{Decision, Direction, Effort, Episode, Game, Outcome, derive_seed, game_rng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use thread::Table;

/// Many seeded games of one agent.
///
/// Game g is drawn from (seed, g) alone, so the result is the same for any number of threads.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// Number of games.
    pub games: u64,
    /// The number of the first game, so that a match can be played in parts.
    pub first: u64,
    /// What all spawns and the agents' randomness are drawn from.
    pub seed: u64,
    /// Games played at the same time.
    pub threads: usize,
    /// The rank of the tile whose making is timed.
    pub target_rank: u8,
}

/// How one game of a match went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameResult {
    /// The game's number.
    pub number: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Moves until the target tile was on the board, if it ever was.
    pub moves_to_target: Option<u64>,
    /// Seconds from its start to its end, in which the thread may have played another game as well.
    pub seconds: f64,
}

/// How the games of a match ended.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// All games in order. If the match was interrupted, those before the first unfinished one: keeping all that had
    /// finished would favour short games.
    pub games: Vec<GameResult>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// Moves of all games that were played to their end.
    pub moves: u64,
    /// What all decisions took.
    pub work: Work,
}

/// What decisions took, summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Decisions made.
    pub decisions: u64,
    /// The sum of their depths.
    pub depths: u64,
    /// The sum of the rest.
    pub effort: Effort,
}

impl Work {
    /// Adds a decision.
    pub fn add(&mut self, effort: Effort) {
        self.decisions += 1;
        self.depths += u64::from(effort.depth);
        self.effort += effort;
    }

    fn merge(&mut self, other: Work) {
        self.decisions += other.decisions;
        self.depths += other.depths;
        self.effort += other.effort;
    }
}

/// A move in a game of a match.
#[derive(Clone, Copy, Debug)]
pub struct Played<'a, G: Game> {
    /// The game's number.
    pub game: u64,
    /// Moves of the game before this one.
    pub moves: u64,
    /// The board that it was decided for.
    pub board: G::Board,
    /// The decision.
    pub decision: &'a Decision,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Hears of a match while it is played, from any of its threads.
pub trait Observer<G: Game>: Sync {
    /// A game has ended; with its record, if those are wanted. Games end in any order.
    fn finished(&self, _result: &GameResult, _record: Option<Record<G>>) {}

    /// Whether games are to be recorded.
    fn wants_records(&self) -> bool {
        false
    }

    /// Whether to be told of every decision. Each is then made by itself, so that its time is its own.
    fn hears_decisions(&self) -> bool {
        false
    }

    /// A move was decided on.
    fn decided(&self, _played: &Played<'_, G>) {}
}

/// Hears nothing.
pub struct Unobserved;

impl<G: Game> Observer<G> for Unobserved {}

/// Why a match has no result.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The system refused the threads.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The agent is wrong.
    #[error("it chose {direction}, which was no legal move")]
    IllegalMove {
        /// The move.
        direction: Direction,
    },
    /// The agent is wrong, and its thread fell over it; where and why has been printed.
    #[error("it panicked in the middle of a game; there is no result")]
    Panicked,
}

/// Game `number` of all matches with this seed, at its start, and the seed for the agent's own randomness.
pub fn match_game<G: Game>(game: &G, seed: u64, number: u64) -> (Episode<G>, u64) {
    let rng = game_rng(derive_seed(seed, "match"), number);
    let agent_seed = derive_seed(seed, "agent").wrapping_add(number);
    (Episode::start(game, rng), agent_seed)
}

impl Match {
    /// Plays.
    ///
    /// # Errors
    /// When the system refuses the threads, or the agent chooses an illegal move or panics: then no game counts.
    pub fn play<G: Game>(
        self,
        game: &G,
        agent: &AgentMaker<G>,
        interrupted: &AtomicBool,
        observer: &dyn Observer<G>,
    ) -> Result<MatchResult, MatchError> {
        let threads = self.threads.min(self.games as usize).max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK)
            .build()?;
        let table = Table {
            settings: self,
            game,
            interrupted,
            failed: AtomicBool::new(false),
            observer,
            started: AtomicU64::new(0),
            finished: Mutex::new(Vec::new()),
        };
        let begun = Instant::now();
        let played = pool.broadcast(|_| {
            // What a panic may leave half done is thrown away with the match.
            let played = catch_unwind(AssertUnwindSafe(|| table.play(&mut *agent())));
            let played = played.unwrap_or(Err(MatchError::Panicked));
            // The other threads' games would be for nothing.
            table.failed.fetch_or(played.is_err(), Relaxed);
            played
        });
        let mut work = Work::default();
        for played in played {
            work.merge(played?);
        }
        let seconds = begun.elapsed().as_secs_f64();
        let finished = table.finished.into_inner();
        let mut finished = finished.unwrap_or_else(PoisonError::into_inner);
        finished.sort_unstable_by_key(|result| result.number);
        let moves = finished.iter().map(|result| result.outcome.moves).sum();
        let complete = (self.first..)
            .zip(&finished)
            .take_while(|(expected, result)| *expected == result.number)
            .count();
        finished.truncate(complete);
        Ok(MatchResult {
            games: finished,
            seconds,
            moves,
            work,
        })
    }
}
