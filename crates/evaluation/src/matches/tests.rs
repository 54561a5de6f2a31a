use super::*;
use crate::RandomAgent;
use engine::{Agent, Classic, Outcome};

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
        fn finished(&self, _result: &GameResult, _record: Option<Record<Classic>>) {
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
    let result = settings(10, 1, 2).play(&Classic, &agent, &AtomicBool::new(false), &Unobserved);
    assert!(matches!(
        result,
        Err(MatchError::IllegalMove {
            direction: Direction::Up
        })
    ));
}

/// Falls over in the middle of a game.
struct Panicking(u32);

impl Agent<Classic> for Panicking {
    fn begin_game(&mut self, _seed: u64) {}

    fn decide(&mut self, board: engine::ClassicBoard) -> Option<Decision> {
        self.0 += 1;
        assert!(self.0 < 1_000, "on purpose");
        RandomAgent::new(Classic).decide(board)
    }
}

#[test]
fn a_panic_leaves_no_result() {
    let agent: AgentMaker<Classic> = Box::new(|| Box::new(Panicking(0)));
    // So many games that the other threads must be stopped.
    let result =
        settings(u64::MAX >> 12, 1, 3).play(&Classic, &agent, &AtomicBool::new(false), &Unobserved);
    assert!(matches!(result, Err(MatchError::Panicked)));
}
