//! The log of decisions that `--explain` asks for: a JSON object a line.

use crate::failure::Failure;
use engine::{Direction, Game};
use evaluation::Played;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
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

/// A log of decisions. It grows beside the place that it is for and is put there at the end, so what was there is only
/// lost to a whole log.
pub(crate) struct Explain {
    path: PathBuf,
    partial: PathBuf,
    writer: Mutex<Writer>,
}

struct Writer {
    out: BufWriter<File>,
    /// The first error; nothing is written after it.
    failed: Option<std::io::Error>,
}

impl Explain {
    /// A log for a file.
    pub(crate) fn create(path: &Path) -> Result<Explain, Failure> {
        let mut partial = path.as_os_str().to_owned();
        // Devices and pipes are written to as they are.
        if path.metadata().is_err() || path.is_file() {
            partial.push(".partial");
        }
        let partial = PathBuf::from(partial);
        let file = File::create(&partial).map_err(|error| unwritable(path, &error))?;
        Ok(Explain {
            path: path.to_owned(),
            partial,
            writer: Mutex::new(Writer {
                out: BufWriter::new(file),
                failed: None,
            }),
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
        let line = Line {
            agent,
            game: played.game,
            number: played.moves + 1,
            board: game.write_cells(&board),
            chosen: decision.direction.to_string(),
            values: legal
                .map(|direction| (direction.to_string(), decision.values[direction as usize]))
                .collect(),
            depth: decision.effort.depth,
            nodes: decision.effort.nodes,
            leaves: decision.effort.leaves,
            table_hits: decision.effort.table_hits,
            seconds: played.seconds,
        };
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.failed.is_none() {
            let text = serde_json::to_string(&line).map_err(std::io::Error::from);
            let written = text.and_then(|text| writeln!(writer.out, "{text}"));
            writer.failed = written.err();
        }
    }

    /// Puts the log where it belongs.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Writer { mut out, failed } = self
            .writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let written = match failed {
            Some(error) => Err(error),
            None => out.flush(),
        };
        let placed = written.and_then(|()| match self.partial == self.path {
            true => Ok(()),
            false => std::fs::rename(&self.partial, &self.path),
        });
        placed.map_err(|error| {
            // What is left of it would be in the way of the next try.
            if self.partial != self.path {
                let _ = std::fs::remove_file(&self.partial);
            }
            unwritable(&self.path, &error)
        })
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write the decisions to {}: {error}",
        path.display()
    ))
}
