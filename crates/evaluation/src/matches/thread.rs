//! What each thread of a match does.

use super::{GameResult, Match, MatchError, Observer, Played, Work, match_game};
use crate::Record;
use engine::{Agent, Decision, Episode, Game, tile};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The largest rank that rules let spawn.
const LARGEST_SPAWN: u8 = 6;

/// What the threads of a match share.
pub(super) struct Table<'a, G: Game> {
    pub(super) settings: Match,
    pub(super) game: &'a G,
    pub(super) interrupted: &'a AtomicBool,
    /// Whether a thread has failed, so that no game counts any more.
    pub(super) failed: AtomicBool,
    pub(super) observer: &'a dyn Observer<G>,
    /// Games begun.
    pub(super) started: AtomicU64,
    pub(super) finished: Mutex<Vec<GameResult>>,
}

/// A game that is being played.
struct Lane<G: Game> {
    number: u64,
    episode: Episode<G>,
    moves_to_target: Option<u64>,
    record: Option<Record<G>>,
    begun: Instant,
}

impl<G: Game> Table<'_, G> {
    /// Plays games with an agent until none is left, or the match is broken off.
    pub(super) fn play(&self, agent: &mut dyn Agent<G>) -> Result<Work, MatchError> {
        let hears_decisions = self.observer.hears_decisions();
        let side_by_side = if hears_decisions {
            1
        } else {
            agent.lanes() as u64
        };
        // Not more than leaves some to the other threads.
        let Match { games, threads, .. } = self.settings;
        let side_by_side = side_by_side.min(games.div_ceil(threads.max(1) as u64));
        let mut lanes: Vec<Lane<G>> = (0..side_by_side).map_while(|_| self.begin(agent)).collect();
        let mut work = Work::default();
        let (mut boards, mut decisions) = (Vec::new(), Vec::new());
        while !lanes.is_empty() {
            boards.clear();
            boards.extend(lanes.iter().map(|lane| lane.episode.board));
            let asked = hears_decisions.then(Instant::now);
            agent.decide_batch(&boards, &mut decisions);
            // Looked at after every decision: a game of a strong or slow agent can take long, and the decision may
            // have been broken off.
            if self.interrupted.load(Relaxed) || self.failed.load(Relaxed) {
                break;
            }
            let seconds = asked.map_or(0.0, |asked| asked.elapsed().as_secs_f64());
            // Backwards, so that a lane that closes does not move those still to come.
            for index in (0..lanes.len()).rev() {
                let lane = &mut lanes[index];
                if let Some(decision) = &decisions[index] {
                    work.add(decision.effort);
                    if hears_decisions {
                        self.observer.decided(&Played {
                            game: lane.number,
                            moves: lane.episode.moves,
                            board: lane.episode.board,
                            decision,
                            seconds,
                        });
                    }
                    self.advance(lane, decision)?;
                    continue;
                }
                self.finish(lane);
                match self.begin(agent) {
                    Some(new) => lanes[index] = new,
                    None => drop(lanes.swap_remove(index)),
                }
            }
        }
        Ok(work)
    }

    /// The next game, if one is left.
    fn begin(&self, agent: &mut dyn Agent<G>) -> Option<Lane<G>> {
        let nth = self.started.fetch_add(1, Relaxed);
        if nth >= self.settings.games {
            return None;
        }
        let number = self.settings.first + nth;
        let (episode, agent_seed) = match_game(self.game, self.settings.seed, number);
        agent.begin_game(agent_seed);
        let record = self.observer.wants_records();
        let mut lane = Lane {
            number,
            record: record.then(|| Record::new(episode.board)),
            episode,
            moves_to_target: None,
            begun: Instant::now(),
        };
        self.look_for_target(&mut lane);
        Some(lane)
    }

    fn advance(&self, lane: &mut Lane<G>, decision: &Decision) -> Result<(), MatchError> {
        let direction = decision.direction;
        let Some((afterstate, reward)) = self.game.slide(lane.episode.board, direction) else {
            return Err(MatchError::IllegalMove { direction });
        };
        lane.episode.advance(self.game, afterstate, reward);
        if let Some(record) = &mut lane.record {
            record.push(self.game, direction, afterstate, lane.episode.board);
        }
        // Only such merges make it, or spawns.
        let target_rank = self.settings.target_rank;
        if u64::from(reward) >= tile(target_rank) || target_rank <= LARGEST_SPAWN {
            self.look_for_target(lane);
        }
        Ok(())
    }

    /// Notes the moves so far if the target is on the board for the first time.
    fn look_for_target(&self, lane: &mut Lane<G>) {
        let largest = || self.game.largest_rank(&lane.episode.board);
        if lane.moves_to_target.is_none() && largest() >= self.settings.target_rank {
            lane.moves_to_target = Some(lane.episode.moves);
        }
    }

    fn finish(&self, lane: &mut Lane<G>) {
        let result = GameResult {
            number: lane.number,
            outcome: lane.episode.outcome(self.game),
            moves_to_target: lane.moves_to_target,
            seconds: lane.begun.elapsed().as_secs_f64(),
        };
        self.observer.finished(&result, lane.record.take());
        let finished = self.finished.lock();
        finished
            .unwrap_or_else(PoisonError::into_inner)
            .push(result);
    }
}
