//! The speed of agents on fixed positions.

use crate::{AgentMaker, AgentSpec, SearchReport, Work};
use engine::{BoardError, Game};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Boards of 4x4 games by players of several strengths, from their first moves to their last.
const POSITIONS: &str = include_str!("positions.txt");

/// Positions are decided again and again until so much time has passed.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// How an agent does on some positions, one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchReport {
    /// The agent's spec.
    pub agent: String,
    /// Positions decided.
    pub positions: usize,
    /// Positions visited in all of them: the agent's signature. A change without functional effect leaves it alone.
    pub nodes: u64,
    /// Means of what a decision took.
    pub search: SearchReport,
    /// Seconds for all positions once, from as many times as a second holds.
    pub seconds: f64,
    /// Decisions a second.
    pub moves_per_second: f64,
    /// Afterstates valued a second.
    pub leaves_per_second: f64,
}

/// The boards in a text, a line each, without those that have no legal move; empty lines and what follows a `#` are left
/// out. Without a text, the usual 4x4 positions.
///
/// # Errors
/// When a line is no board of the game: the line's number, and what is wrong with it.
pub fn positions<G: Game>(
    game: &G,
    text: Option<&str>,
) -> Result<Vec<G::Board>, (usize, BoardError)> {
    let lines = text.unwrap_or(POSITIONS).lines().zip(1..);
    let lines = lines.map(|(line, number)| (line.split('#').next().unwrap_or(""), number));
    let lines = lines.filter(|(line, _)| !line.trim().is_empty());
    let board = |(line, number)| game.parse_board(line).map_err(|error| (number, error));
    let mut boards: Vec<G::Board> = lines.map(board).collect::<Result<_, _>>()?;
    boards.retain(|&board| game.slides(board).iter().any(Option::is_some));
    Ok(boards)
}

/// Lets an agent decide on each of some positions. `None` if it was interrupted.
pub fn bench<G: Game>(
    spec: &AgentSpec,
    agent: &AgentMaker<G>,
    positions: &[G::Board],
    interrupted: &AtomicBool,
) -> Option<BenchReport> {
    let mut agent = agent();
    let mut work = Work::default();
    let mut rounds = 0;
    let begun = Instant::now();
    while rounds == 0 || begun.elapsed() < LEAST_TIME {
        agent.begin_game(0);
        for &board in positions {
            let decision = agent.decide(board);
            // A decision that was broken off says nothing.
            if interrupted.load(Relaxed) {
                return None;
            }
            if let Some(decision) = decision.filter(|_| rounds == 0) {
                work.add(decision.effort);
            }
        }
        rounds += 1;
    }
    let seconds = begun.elapsed().as_secs_f64() / f64::from(rounds);
    Some(BenchReport {
        agent: spec.to_string(),
        positions: positions.len(),
        nodes: work.effort.nodes,
        search: SearchReport::new(&work),
        seconds,
        moves_per_second: positions.len() as f64 / seconds,
        leaves_per_second: work.effort.leaves as f64 / seconds,
    })
}
