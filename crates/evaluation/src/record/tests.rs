use super::*;
use crate::{AgentMaker, GameResult, Match, Observer, RandomAgent};
use engine::{Classic, Rules, Variant};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Keeps all games.
struct Keep<G: Game>(Mutex<Vec<(GameResult, Record<G>)>>);

impl<G: Game> Observer<G> for Keep<G> {
    fn wants_records(&self) -> bool {
        true
    }

    fn finished(&self, result: &GameResult, record: Option<Record<G>>) {
        let mut kept = self.0.lock().expect("no panic");
        kept.push((*result, record.expect("wanted")));
    }
}

/// Random games with their results, in the order in which they ended.
fn recorded<G: Game>(game: &G, games: u64) -> Vec<(GameResult, Record<G>)> {
    let settings = Match {
        games,
        first: 3,
        seed: 1,
        threads: 2,
        target_rank: 11,
    };
    let maker = game.clone();
    let agent: AgentMaker<G> = Box::new(move || Box::new(RandomAgent::new(maker.clone())));
    let keep = Keep(Mutex::new(Vec::new()));
    let played = settings.play(game, &agent, &AtomicBool::new(false), &keep);
    played.expect("threads");
    keep.0.into_inner().expect("no panic")
}

fn header<G: Game>(game: &G) -> RecordHeader {
    RecordHeader {
        rules: game.rules().clone(),
        agents: vec!["priority".to_owned(), "random".to_owned()],
        seed: 1,
        command: "afterstate eval random".to_owned(),
        version: "1".to_owned(),
        revision: "abc".to_owned(),
    }
}

fn file<'a, G: Game>(game: &G, games: impl Iterator<Item = (u64, &'a Record<G>)>) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), &header(game)).expect("memory");
    writer.begin_agent(1, 3);
    for (number, record) in games {
        writer.add(game, number, record).expect("memory");
    }
    writer.finish().expect("memory")
}

fn read<G: Game>(game: &G, file: &[u8]) -> Result<Vec<Recorded<G>>, RecordError> {
    let mut reader = RecordReader::new(file)?;
    let mut games = Vec::new();
    while let Some(recorded) = reader.next(game)? {
        games.push(recorded);
    }
    Ok(games)
}

fn round_trip<G: Game>(game: &G) {
    let played = recorded(game, 20);
    let bytes = file(
        game,
        played
            .iter()
            .map(|(result, record)| (result.number, record)),
    );
    let reader = RecordReader::new(bytes.as_slice()).expect("a header");
    assert_eq!(*reader.header(), header(game));
    let games = read(game, &bytes).expect("sound");
    assert_eq!(games.len(), 20);
    for (recorded, number) in games.iter().zip(3..) {
        assert_eq!((recorded.agent, recorded.number), (1, number));
        let original = played.iter().find(|(result, _)| result.number == number);
        let (result, record) = original.expect("that game");
        assert_eq!(recorded.outcome, result.outcome);
        assert_eq!(recorded.record.start, record.start);
        assert_eq!(recorded.record.steps, record.steps);
    }
}

#[test]
fn games_are_read_as_they_were_played() {
    round_trip(&Classic);
    for text in [
        "rows = 2\ncolumns = 3",
        "rows = 5\ncolumns = 5",
        "rows = 3\nstop_at_target = true\ntarget = 32",
        "spawn = [{tile = 2, probability = 0.4}, {tile = 4, probability = 0.2}, {tile = 8, probability = 0.1}, \
         {tile = 16, probability = 0.1}, {tile = 32, probability = 0.1}, {tile = 64, probability = 0.1}]",
    ] {
        let rules = Rules::from_toml(text).expect("rules");
        round_trip(&Variant::new(rules).expect("a game"));
    }
}

#[test]
fn games_after_one_that_never_ended_are_left_out() {
    let played = recorded(&Classic, 20);
    let unfinished = played.iter().filter(|(result, _)| result.number != 9);
    let bytes = file(
        &Classic,
        unfinished.map(|(result, record)| (result.number, record)),
    );
    assert_eq!(read(&Classic, &bytes).expect("sound").len(), 6);
}

#[test]
fn what_the_rules_do_not_allow_is_found() {
    let played = recorded(&Classic, 1);
    let record = &played[0].1;
    let (number, last) = (3, record.steps.len());
    let fault = |change: &dyn Fn(&mut Record<Classic>)| {
        let mut changed = record.clone();
        change(&mut changed);
        let bytes = file(&Classic, [(number, &changed)].into_iter());
        match read(&Classic, &bytes) {
            Err(RecordError::Fault { fault, .. }) => fault,
            other => panic!("{other:?}"),
        }
    };
    let start = |text: &str| Classic.parse_board(text).expect("a board");
    for board in [
        "2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0",
        "2 0 0 0/0 2 0 0/0 0 0 0/0 0 0 2",
        "2 0 0 0/0 8 0 0/0 0 0 0/0 0 0 0",
    ] {
        assert_eq!(
            fault(&|record| record.start = start(board)),
            RecordFault::Start
        );
    }
    let moves = last as u64 - 1;
    assert_eq!(
        fault(&|record| record.steps.truncate(last - 1)),
        RecordFault::Unfinished { moves }
    );
    let number = last as u64 + 1;
    for direction in Direction::ALL {
        let step = Step {
            direction,
            nth: 0,
            rank: 1,
        };
        let expected = RecordFault::Move { number, direction };
        assert_eq!(fault(&|record| record.steps.push(step)), expected);
    }
    assert_eq!(
        fault(&|record| record.steps[0].nth = 15),
        RecordFault::Spawn { number: 1 }
    );
}

#[test]
fn no_damage_goes_unnoticed() {
    let played = recorded(&Classic, 3);
    let bytes = file(
        &Classic,
        played
            .iter()
            .map(|(result, record)| (result.number, record)),
    );
    for length in 0..bytes.len() {
        let error = read(&Classic, &bytes[..length]).expect_err("cut short");
        let expected = if length < 8 {
            "not a record"
        } else {
            "cut short"
        };
        assert!(error.to_string().contains(expected), "{length} {error}");
    }
    for position in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        assert!(read(&Classic, &damaged).is_err(), "{position}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(read(&Classic, &longer).is_err());
}
