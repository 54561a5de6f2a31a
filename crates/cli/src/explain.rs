//! The log of decisions that `--explain` asks for: a JSON object a line.

use crate::beside::Beside;
use crate::failure::Failure;
use crate::progress::note;
use engine::{Direction, Game};
use evaluation::Played;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// One decision.
#[derive(Serialize)]
struct Line<'a> {
    agent: &'a str,
    /// The game's number in the match, from 0.
    game: u64,
    /// The move's number in the game, from 1.
    #[serde(rename = "move")]
    number: u64,
    /// Tile values, row by row.
    board: String,
    chosen: String,
    /// What each legal move is held to be worth; null if the agent does not value moves.
    values: BTreeMap<String, Option<f32>>,
    depth: u32,
    nodes: u64,
    leaves: u64,
    table_hits: u64,
    seconds: f64,
}

/// How every line begins.
const BEGINNING: &[u8] = b"{\"agent\":";

/// A log of decisions.
pub(crate) struct Explain {
    path: PathBuf,
    writer: Mutex<Writer>,
}

struct Writer {
    out: Beside,
    /// The first error; nothing is written after it.
    failed: Option<io::Error>,
}

impl Explain {
    fn create(path: &Path) -> Result<Explain, Failure> {
        let out = Beside::create(path, BEGINNING, "log of decisions");
        let out = out.map_err(|error| unwritable(path, &error))?;
        Ok(Explain {
            path: path.to_owned(),
            writer: Mutex::new(Writer { out, failed: None }),
        })
    }

    /// Adds a decision.
    pub(crate) fn add<G: Game>(&self, game: &G, agent: &str, played: &Played<'_, G>) {
        let Played {
            board, decision, ..
        } = *played;
        let slides = game.slides(board);
        let legal = { Direction::ALL }
            .into_iter()
            .filter(|&direction| slides[direction as usize].is_some());
        let value = |direction| decision.values[direction as usize];
        let line = Line {
            agent,
            game: played.game,
            number: played.moves + 1,
            board: game.write_cells(&board),
            chosen: decision.direction.to_string(),
            values: legal.map(|d| (d.to_string(), value(d))).collect(),
            depth: decision.effort.depth,
            nodes: decision.effort.nodes,
            leaves: decision.effort.leaves,
            table_hits: decision.effort.table_hits,
            seconds: played.seconds,
        };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed.is_none() {
            let text = serde_json::to_string(&line).map_err(io::Error::from);
            let written = text.and_then(|text| writeln!(writer.out, "{text}"));
            writer.failed = written.err();
        }
    }

    /// Does some work with the log that is asked for, if one is, and ends the log as the work ended.
    pub(crate) fn during<T>(
        path: Option<&Path>,
        work: impl FnOnce(Option<&Explain>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(path) = path else {
            return work(None);
        };
        let explain = Explain::create(path)?;
        let work = work(Some(&explain));
        explain.finish(work)
    }

    /// Ends the log of work that ended so: puts it where it belongs if it is whole, and says where it is if the work
    /// was broken off.
    fn finish<T>(self, work: Result<T, Failure>) -> Result<T, Failure> {
        let broken_off = match &work {
            Ok(_) => false,
            Err(Failure::Interrupted | Failure::OutputClosed) => true,
            Err(_) => return work,
        };
        let writer = self.writer.into_inner();
        let Writer { out, failed } = writer.unwrap_or_else(PoisonError::into_inner);
        let written = failed.map_or(Ok(()), Err);
        let ended = written.and_then(|()| {
            if !broken_off {
                return out.place();
            }
            if let Some(kept) = out.keep()? {
                note(&format!("The decisions so far are in {}.", kept.display()));
            }
            Ok(())
        });
        ended.map_err(|error| unwritable(&self.path, &error))?;
        work
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write the decisions to {}: {error}",
        path.display()
    ))
}
