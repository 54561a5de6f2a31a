//! The file of games that `--record` asks for.

use crate::beside::Beside;
use crate::failure::Failure;
use crate::progress::note;
use crate::provenance::{REVISION, VERSION, command, program, quoted};
use engine::{Game, Rules};
use evaluation::{AgentSpec, RECORD_MAGIC, Record, RecordHeader, RecordWriter};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What is said of the games of a match.
pub(crate) fn header(rules: &Rules, specs: &[AgentSpec], seed: u64) -> RecordHeader {
    RecordHeader {
        rules: rules.clone(),
        agents: specs.iter().map(AgentSpec::to_string).collect(),
        seed,
        command: command(),
        version: VERSION.to_owned(),
        revision: REVISION.to_owned(),
    }
}

/// Records the games of a match.
pub(crate) struct Recorder(Mutex<Writer>);

struct Writer {
    out: RecordWriter<Beside>,
    games: u64,
    /// The first error; nothing is written after it.
    failed: Option<io::Error>,
}

impl Recorder {
    /// The games that follow are those of an agent, by its place among all, from some number on.
    pub(crate) fn begin_agent(&self, agent: usize, first: u64) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.out.begin_agent(agent as u16, first);
    }

    /// Adds a finished game.
    pub(crate) fn add<G: Game>(&self, game: &G, number: u64, record: &Record<G>) {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.games += 1;
        if writer.failed.is_none() {
            writer.failed = writer.out.add(game, number, record).err();
        }
    }

    /// Does some work with the record that is asked for, if one is. Of work that was broken off it keeps the games
    /// before the first unfinished one, beside what was recorded before.
    pub(crate) fn during<T>(
        path: Option<&Path>,
        header: impl FnOnce() -> RecordHeader,
        work: impl FnOnce(Option<&Recorder>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(path) = path else {
            return work(None);
        };
        let unwritable = |error: io::Error| {
            let path = path.display();
            Failure::failed(format!("cannot write the record to {path}: {error}"))
        };
        let begin = || -> io::Result<Recorder> {
            let out = Beside::create(path, RECORD_MAGIC, "record of games")?;
            let out = RecordWriter::new(out, &header())?;
            Ok(Recorder(Mutex::new(Writer {
                out,
                games: 0,
                failed: None,
            })))
        };
        let before = path.exists();
        let recorder = begin().map_err(unwritable)?;
        let work = work(Some(&recorder));
        let broken_off = !matches!(work, Ok(_) | Err(Failure::OutputClosed));
        let writer = recorder.0.into_inner();
        let Writer { out, games, failed } = writer.unwrap_or_else(PoisonError::into_inner);
        if games == 0 {
            return work;
        }
        let written = failed.map_or(Ok(()), Err);
        let placed = written.and_then(|()| {
            let file = out.finish()?;
            // What was recorded before is worth more than games that were broken off.
            match broken_off && before {
                true => Ok(file.keep()?.unwrap_or_else(|| path.to_owned())),
                false => file.place().map(|()| path.to_owned()),
            }
        });
        let placed = placed.map_err(unwritable)?;
        if placed.is_file() {
            let (program, file) = (program(), quoted(&placed.display().to_string()));
            note(&format!(
                "The games are recorded; to see the best: {program} play --replay {file}"
            ));
        }
        work
    }
}
