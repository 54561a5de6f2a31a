//! The log of decisions that `--explain` asks for: a JSON object a line.

use crate::failure::Failure;
use crate::progress::note;
use engine::{Direction, Game};
use evaluation::Played;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempPath;

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

/// A log of decisions. It grows beside the place that it is for, and is put there once it is whole; until then, what
/// was there stays.
pub(crate) struct Explain {
    path: PathBuf,
    /// Where it grows; `None` for devices and pipes, which are written to as they are.
    beside: Option<TempPath>,
    writer: Mutex<Writer>,
}

struct Writer {
    out: BufWriter<File>,
    /// The first error; nothing is written after it.
    failed: Option<io::Error>,
}

impl Explain {
    /// A log for a file. Opening a pipe may wait for its reader: signals must still have their usual effect.
    fn create(path: &Path) -> Result<Explain, Failure> {
        let opened = open(path).map_err(|error| unwritable(path, &error))?;
        let (path, file, beside) = opened;
        Ok(Explain {
            path,
            beside,
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
        let Writer { mut out, failed } = writer.unwrap_or_else(PoisonError::into_inner);
        let written = failed.map_or_else(|| out.flush(), Err);
        let placed = written.and_then(|()| match self.beside {
            None => Ok(()),
            Some(beside) if broken_off => {
                let kept = beside.keep()?;
                note(&format!("The decisions so far are in {}.", kept.display()));
                Ok(())
            }
            Some(beside) => Ok(beside.persist(&self.path)?),
        });
        placed.map_err(|error| unwritable(&self.path, &error))?;
        work
    }
}

/// The file that a log is for, links followed, and where it is written.
fn open(path: &Path) -> io::Result<(PathBuf, File, Option<TempPath>)> {
    let found = std::fs::metadata(path).ok();
    // A regular file may be behind /dev/stdout, too.
    let special = ["/dev", "/proc"]
        .iter()
        .any(|system| path.starts_with(system));
    if special || found.as_ref().is_some_and(|found| !found.is_file()) {
        let file = OpenOptions::new().append(true).open(path)?;
        return Ok((path.to_owned(), file, None));
    }
    let mut path = path.to_owned();
    let mut builder = tempfile::Builder::new();
    if let Some(found) = found {
        path = path.canonicalize()?;
        let mut beginning = Vec::new();
        File::open(&path)?
            .take(BEGINNING.len() as u64)
            .read_to_end(&mut beginning)?;
        let refused = match beginning.is_empty() || beginning == BEGINNING {
            false => Some("it exists and is no log of decisions: choose another name"),
            true => (found.permissions().readonly()).then_some("it is read-only"),
        };
        if let Some(reason) = refused {
            return Err(io::Error::other(reason));
        }
        builder.permissions(found.permissions());
    } else {
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let name = path.file_name().unwrap_or_default().to_owned();
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let beside = builder.prefix(&name).suffix(".partial");
    let (file, beside) = beside
        .tempfile_in(folder.unwrap_or(Path::new(".")))?
        .into_parts();
    Ok((path, file, Some(beside)))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write the decisions to {}: {error}",
        path.display()
    ))
}
