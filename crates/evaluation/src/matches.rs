use crate::AgentMaker;
use crate::search::STACK;
use engine::{
    Agent, Decision, Direction, Effort, Episode, Game, Outcome, derive_seed, game_rng, tile,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

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
    /// A game has ended.
    fn finished(&self, _outcome: &Outcome) {}

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
    /// When the system refuses the threads, or the agent chooses an illegal move.
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
        let next = AtomicU64::new(0);
        let finished = Mutex::new(Vec::new());
        let begun = Instant::now();
        let hears_decisions = observer.hears_decisions();
        let played = pool.broadcast(|_| {
            let mut agent = agent();
            let mut work = Work::default();
            let begin = |agent: &mut dyn Agent<G>| {
                let nth = next.fetch_add(1, Relaxed);
                (nth < self.games).then(|| {
                    let number = self.first + nth;
                    let (episode, agent_seed) = match_game(game, self.seed, number);
                    agent.begin_game(agent_seed);
                    let mut lane = Lane {
                        number,
                        episode,
                        moves_to_target: None,
                        begun: Instant::now(),
                    };
                    lane.look_for(game, self.target_rank);
                    lane
                })
            };
            let side_by_side = if hears_decisions { 1 } else { agent.lanes() };
            let mut lanes: Vec<Lane<G>> = (0..side_by_side)
                .map_while(|_| begin(&mut *agent))
                .collect();
            let target = tile(self.target_rank);
            let (mut boards, mut decisions) = (Vec::new(), Vec::new());
            while !lanes.is_empty() {
                boards.clear();
                boards.extend(lanes.iter().map(|lane| lane.episode.board));
                let asked = hears_decisions.then(Instant::now);
                agent.decide_batch(&boards, &mut decisions);
                // Looked at after every decision: a game of a strong or slow agent can take long, and the decision may
                // have been broken off.
                if interrupted.load(Relaxed) {
                    break;
                }
                let seconds = asked.map_or(0.0, |asked| asked.elapsed().as_secs_f64());
                // Backwards, so that a lane that closes does not move those still to come.
                for index in (0..lanes.len()).rev() {
                    let lane = &mut lanes[index];
                    if let Some(decision) = &decisions[index] {
                        work.add(decision.effort);
                        if hears_decisions {
                            observer.decided(&Played {
                                game: lane.number,
                                moves: lane.episode.moves,
                                board: lane.episode.board,
                                decision,
                                seconds,
                            });
                        }
                        let direction = decision.direction;
                        let Some((afterstate, reward)) = game.slide(lane.episode.board, direction)
                        else {
                            return Err(MatchError::IllegalMove { direction });
                        };
                        lane.episode.advance(game, afterstate, reward);
                        // Only such merges make it, or spawns.
                        if u64::from(reward) >= target || self.target_rank <= LARGEST_SPAWN {
                            lane.look_for(game, self.target_rank);
                        }
                        continue;
                    }
                    let result = GameResult {
                        number: lane.number,
                        outcome: lane.episode.outcome(game),
                        moves_to_target: lane.moves_to_target,
                        seconds: lane.begun.elapsed().as_secs_f64(),
                    };
                    observer.finished(&result.outcome);
                    finished
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push(result);
                    match begin(&mut *agent) {
                        Some(new) => lanes[index] = new,
                        None => drop(lanes.swap_remove(index)),
                    }
                }
            }
            Ok(work)
        });
        let mut work = Work::default();
        for played in played {
            work.merge(played?);
        }
        let seconds = begun.elapsed().as_secs_f64();
        let mut finished = finished
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
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

/// A game that is being played.
struct Lane<G: Game> {
    number: u64,
    episode: Episode<G>,
    moves_to_target: Option<u64>,
    begun: Instant,
}

impl<G: Game> Lane<G> {
    /// Notes the moves so far if the target is on the board for the first time.
    fn look_for(&mut self, game: &G, target_rank: u8) {
        if self.moves_to_target.is_none() && game.largest_rank(&self.episode.board) >= target_rank {
            self.moves_to_target = Some(self.episode.moves);
        }
    }
}

/// The largest rank that rules let spawn.
const LARGEST_SPAWN: u8 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RandomAgent;
    use engine::Classic;

    fn random() -> AgentMaker<Classic> {
        Box::new(|| Box::new(RandomAgent::new(Classic)))
    }

    fn play(games: u64, seed: u64, threads: usize) -> Vec<Outcome> {
        played(settings(games, seed, threads))
    }

    fn settings(games: u64, seed: u64, threads: usize) -> Match {
        Match {
            games,
            first: 0,
            seed,
            threads,
            target_rank: 7,
        }
    }

    fn played(settings: Match) -> Vec<Outcome> {
        let result = settings.play(&Classic, &random(), &AtomicBool::new(false), &Unobserved);
        let games = result.expect("threads").games.into_iter();
        games.map(|game| game.outcome).collect()
    }

    #[test]
    fn a_match_can_be_played_in_parts() {
        let first = play(30, 5, 2);
        let second = played(Match {
            first: 30,
            ..settings(70, 5, 3)
        });
        assert_eq!([first, second].concat(), play(100, 5, 1));
    }

    #[test]
    fn the_moves_to_the_target_are_those_of_the_first_board_that_has_it() {
        let result =
            settings(200, 9, 2).play(&Classic, &random(), &AtomicBool::new(false), &Unobserved);
        for game in result.expect("threads").games {
            assert_eq!(
                game.moves_to_target.is_some(),
                game.outcome.largest_rank >= 7
            );
            // Played again, as far as that.
            let (mut episode, agent_seed) = match_game(&Classic, 9, game.number);
            let mut agent = RandomAgent::new(Classic);
            agent.begin_game(agent_seed);
            let until = game.moves_to_target.unwrap_or(game.outcome.moves);
            while episode.moves < until {
                assert!(Classic.largest_rank(&episode.board) < 7);
                let direction = agent.decide(episode.board).expect("a move").direction;
                let (afterstate, reward) = Classic.slide(episode.board, direction).expect("legal");
                episode.advance(&Classic, afterstate, reward);
            }
            assert_eq!(
                Classic.largest_rank(&episode.board) >= 7,
                game.moves_to_target.is_some()
            );
        }
        let low = Match {
            target_rank: 1,
            ..settings(20, 9, 1)
        };
        let result = low.play(&Classic, &random(), &AtomicBool::new(false), &Unobserved);
        assert!(
            result
                .expect("threads")
                .games
                .iter()
                .all(|game| game.moves_to_target == Some(0))
        );
    }

    #[test]
    fn the_result_does_not_depend_on_threads() {
        let outcomes = play(100, 5, 1);
        assert_eq!(outcomes.len(), 100);
        assert_eq!(play(100, 5, 2), outcomes);
        assert_eq!(play(100, 5, 3), outcomes);
        assert_eq!(play(40, 5, 2), outcomes[..40]);
        assert_ne!(play(100, 6, 1), outcomes);
    }

    #[test]
    fn random_play_scores_what_it_is_known_to() {
        let outcomes = play(20_000, 1, 2);
        let mean = |number: fn(&Outcome) -> u64| {
            outcomes.iter().map(number).sum::<u64>() as f64 / outcomes.len() as f64
        };
        assert!(
            (mean(|o| o.score) - 1_095.0).abs() < 20.0,
            "{}",
            mean(|o| o.score)
        );
        assert!(
            (mean(|o| o.moves) - 118.4).abs() < 1.5,
            "{}",
            mean(|o| o.moves)
        );
        let reached = mean(|o| u64::from(o.largest_rank >= 8));
        assert!((reached - 0.079).abs() < 0.01, "{reached}");
    }

    #[test]
    fn an_interrupted_match_keeps_the_games_up_to_the_first_unfinished_one() {
        /// Interrupts after some games.
        struct Stop(AtomicBool, AtomicU64);

        impl Observer<Classic> for Stop {
            fn finished(&self, _outcome: &Outcome) {
                if self.1.fetch_add(1, Relaxed) == 50 {
                    self.0.store(true, Relaxed);
                }
            }
        }

        let stop = Stop(AtomicBool::new(false), AtomicU64::new(0));
        let result = settings(100_000, 5, 2).play(&Classic, &random(), &stop.0, &stop);
        let games = result.expect("threads").games.into_iter();
        let outcomes: Vec<Outcome> = games.map(|game| game.outcome).collect();
        assert!(outcomes.len() <= 52, "{}", outcomes.len());
        assert_eq!(play(outcomes.len() as u64, 5, 1), outcomes);
    }

    /// Plays up whatever happens.
    struct Stubborn;

    impl Agent<Classic> for Stubborn {
        fn begin_game(&mut self, _seed: u64) {}

        fn decide(&mut self, _board: engine::ClassicBoard) -> Option<Decision> {
            Some(Decision::unvalued(Direction::Up))
        }
    }

    #[test]
    fn an_illegal_move_is_no_end_of_a_game() {
        let agent: AgentMaker<Classic> = Box::new(|| Box::new(Stubborn));
        let result =
            settings(10, 1, 2).play(&Classic, &agent, &AtomicBool::new(false), &Unobserved);
        assert!(matches!(
            result,
            Err(MatchError::IllegalMove {
                direction: Direction::Up
            })
        ));
    }
}
