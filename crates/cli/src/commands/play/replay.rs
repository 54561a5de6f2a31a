//! Recorded games on the terminal.

use super::Arguments;
use super::screen::Screen;
use crate::failure::Failure;
use crate::games::{AnyGame, with_game};
use crate::interrupt;
use engine::{Direction, Game};
use evaluation::{RecordError, RecordReader, Recorded, Replay};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::Ordering::Relaxed;

/// Which game of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    Best,
    Worst,
    Number(u64),
}

impl FromStr for Which {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Which, Self::Err> {
        match text {
            "best" => Ok(Which::Best),
            "worst" => Ok(Which::Worst),
            number => number
                .parse()
                .map(Which::Number)
                .map_err(|_| "expected best, worst, or the number of a game"),
        }
    }
}

type Reader = RecordReader<BufReader<File>>;

pub(super) fn run(file: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let opened = File::open(file).map_err(RecordError::from);
    let reader = opened.and_then(|file| RecordReader::new(BufReader::new(file)));
    let reader = reader.map_err(|error| unreadable(file, &error))?;
    let game = AnyGame::new(&reader.header().rules)?;
    with_game!(game, game => show(&game, reader, file, arguments))
}

fn show<G: Game>(
    game: &G,
    mut reader: Reader,
    file: &Path,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let recorded = choose(game, &mut reader, file, arguments)?;
    let agent = &reader.header().agents[recorded.agent];
    let mut replay = recorded.record.replay(game);
    let interrupted = interrupt::flag();
    let mut screen = Screen::new(arguments.delay);
    loop {
        let stop =
            arguments.moves.is_some_and(|moves| replay.moves >= moves) || interrupted.load(Relaxed);
        let upcoming = replay.upcoming().filter(|_| !stop);
        let heading = format!("{agent}, game {}", recorded.number);
        screen.show(&frame(game, &heading, &replay, upcoming))?;
        if upcoming.is_none() {
            break;
        }
        let played = replay.advance();
        played.map_err(|fault| Failure::failed(format!("{}: {fault}", file.display())))?;
        screen.wait(&interrupted);
    }
    let over = replay.upcoming().is_none();
    let how = if over { "Game over" } else { "Stopped" };
    screen.end(how, &replay.outcome())?;
    match interrupted.load(Relaxed) {
        true => Err(Failure::Interrupted),
        false => Ok(()),
    }
}

/// The game that is asked for. The whole file is read and checked for it.
fn choose<G: Game>(
    game: &G,
    reader: &mut Reader,
    file: &Path,
    arguments: &Arguments,
) -> Result<Recorded<G>, Failure> {
    let agents = reader.header().agents.clone();
    let agent = match &arguments.agent {
        None => None,
        Some(spec) => Some(
            agents
                .iter()
                .position(|known| known == spec)
                .ok_or_else(|| {
                    let (file, agents) = (file.display(), agents.join(" "));
                    Failure::usage(format!("{file} has no games of {spec}, only of {agents}"))
                })?,
        ),
    };
    let several = agents.iter().any(|agent| *agent != agents[0]);
    if matches!(arguments.game, Which::Number(_)) && agent.is_none() && several {
        let (file, agents) = (file.display(), agents.join(" "));
        return Err(Failure::usage(format!(
            "{file} has games of several agents: name one of {agents}"
        )));
    }
    let mut chosen: Option<Recorded<G>> = None;
    let mut numbers: Option<(u64, u64)> = None;
    while let Some(recorded) = reader
        .next(game)
        .map_err(|error| unreadable(file, &error))?
    {
        if agent.is_some_and(|agent| agent != recorded.agent) {
            continue;
        }
        let number = recorded.number;
        numbers = Some((numbers.map_or(number, |(first, _)| first), number));
        let score = |recorded: &Recorded<G>| recorded.outcome.score;
        let better = match (arguments.game, &chosen) {
            (Which::Number(wanted), _) => number == wanted,
            (_, None) => true,
            (Which::Best, Some(chosen)) => score(&recorded) > score(chosen),
            (Which::Worst, Some(chosen)) => score(&recorded) < score(chosen),
        };
        if better {
            chosen = Some(recorded);
        }
    }
    chosen.ok_or_else(|| {
        let games = match numbers {
            Some((first, last)) => format!("it has games {first} to {last}"),
            None => "it has none".to_owned(),
        };
        Failure::usage(format!("{} has no such game: {games}", file.display()))
    })
}

/// The board, and the move that comes.
fn frame<G: Game>(
    game: &G,
    heading: &str,
    replay: &Replay<'_, G>,
    upcoming: Option<Direction>,
) -> String {
    let drawn = game.draw(&replay.board);
    let (number, score) = (replay.moves + 1, replay.score);
    let upcoming = upcoming.map_or(String::new(), |direction| format!("> {direction}"));
    format!("{heading}: move {number}, score {score}\n{drawn}\n{upcoming}\n")
}

fn unreadable(file: &Path, error: &RecordError) -> Failure {
    Failure::failed(format!("cannot replay {}: {error}", file.display()))
}
