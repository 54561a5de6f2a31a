//! Files of recorded games.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `AFTERREC` |
//! | 4 | format version |
//! | 4 + ... | length of the header, and the header, bincode |
//! | 8 | XXH3 of the header |
//!
//! Then the games, agent by agent and in the order of their numbers, each as
//!
//! | bytes | what |
//! |---|---|
//! | 4 | moves |
//! | 2 + 8 | index of the agent, number of the game |
//! | 1 a cell | ranks of the first board |
//! | 1 or 2 a move | move + 4 x (kind of the spawned tile + kinds x empty cell); 2 where 1 cannot hold all |
//! | 8 | XXH3 of all that, from the moves' number on |
//!
//! and after the last game `ffffffff`. All numbers are little-endian.

use super::{Record, RecordFault, Step};
use engine::{Direction, Game, Outcome, Rules};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use xxhash_rust::xxh3::xxh3_64;

/// How every file of records begins.
pub const RECORD_MAGIC: &[u8; 8] = b"AFTERREC";
const VERSION: u32 = 1;
/// Far above any real header.
const MAX_HEADER: usize = 1 << 20;
/// In place of a game's number of moves: there is no game any more.
const END: u32 = u32::MAX;

/// What is said of all games of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordHeader {
    /// What they were played by.
    pub rules: Rules,
    /// Who played, by spec.
    pub agents: Vec<String>,
    /// The seed of the match.
    pub seed: u64,
    /// The command that played them.
    pub command: String,
    /// The program's version.
    pub version: String,
    /// The program's git revision.
    pub revision: String,
}

/// Why a file of records cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system could not read it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Some other kind of file.
    #[error("it is not a record of games, as `eval --record` writes it")]
    Foreign,
    /// A format of another time.
    #[error(
        "it has format version {0}, this program reads version {VERSION}: use the program that wrote it"
    )]
    Version(u32),
    /// The file ends in the middle.
    #[error("it was cut short: use another copy")]
    CutShort,
    /// The content is not what was written.
    #[error("it is damaged ({0}): use another copy")]
    Damaged(&'static str),
    /// A game that nobody can have played.
    #[error("game {number} of {agent} was not played by the rules: {fault}")]
    Fault {
        /// The agent's spec.
        agent: String,
        /// The game's number.
        number: u64,
        /// What is wrong with it.
        fault: RecordFault,
    },
}

/// How steps become numbers.
struct Code {
    spawned: Vec<u8>,
    bytes: usize,
}

impl Code {
    fn of(rules: &Rules) -> Code {
        let mut spawned: Vec<u8> = rules.spawn.iter().map(|odds| odds.rank()).collect();
        spawned.sort_unstable();
        spawned.dedup();
        // After a slide at least one cell is full, so that is how many may be empty.
        let steps = 4 * spawned.len() * (rules.geometry().cells() - 1);
        let bytes = if steps <= 256 { 1 } else { 2 };
        Code { spawned, bytes }
    }

    fn write(&self, step: Step, into: &mut Vec<u8>) {
        let kind = self.spawned.iter().position(|&rank| rank == step.rank);
        let spawn = kind.unwrap_or(0) + self.spawned.len() * usize::from(step.nth);
        let code = step.direction as usize + 4 * spawn;
        into.extend_from_slice(&(code as u16).to_le_bytes()[..self.bytes]);
    }

    /// Every number is a step, if not one that the rules allow.
    fn read(&self, bytes: &[u8]) -> Step {
        let high = bytes.get(1).copied().unwrap_or(0);
        let code = usize::from(u16::from_le_bytes([bytes[0], high]));
        let spawn = code / 4;
        Step {
            direction: Direction::ALL[code % 4],
            nth: (spawn / self.spawned.len()).min(255) as u8,
            rank: self.spawned[spawn % self.spawned.len()],
        }
    }
}

/// Writes records as they come, and brings them into order.
pub struct RecordWriter<W: Write> {
    out: W,
    code: Code,
    agent: u16,
    /// The number of the game that is due.
    next: u64,
    /// Games that were finished before an earlier one.
    waiting: BTreeMap<u64, Vec<u8>>,
}

impl<W: Write> RecordWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut out: W, header: &RecordHeader) -> io::Result<Self> {
        let text = bincode::serde::encode_to_vec(header, bincode::config::standard());
        let text = text.map_err(io::Error::other)?;
        out.write_all(RECORD_MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(text.len() as u32).to_le_bytes())?;
        out.write_all(&text)?;
        out.write_all(&xxh3_64(&text).to_le_bytes())?;
        Ok(RecordWriter {
            out,
            code: Code::of(&header.rules),
            agent: 0,
            next: 0,
            waiting: BTreeMap::new(),
        })
    }

    /// The games that follow are those of an agent, by its place in the header, from some number on. What still waits
    /// of the agent before, because an earlier game of it was broken off, is left out.
    pub fn begin_agent(&mut self, agent: u16, first: u64) {
        (self.agent, self.next) = (agent, first);
        self.waiting.clear();
    }

    /// Adds a finished game; games may come in any order.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add<G: Game>(&mut self, game: &G, number: u64, record: &Record<G>) -> io::Result<()> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&(record.steps.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&self.agent.to_le_bytes());
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend(game.ranks(&record.start));
        for &step in &record.steps {
            self.code.write(step, &mut bytes);
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        self.waiting.insert(number, bytes);
        while let Some(bytes) = self.waiting.remove(&self.next) {
            self.out.write_all(&bytes)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Ends the file. Games after the first that never came are left out.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&END.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A game of a file, played again by the rules.
#[derive(Clone, Debug)]
pub struct Recorded<G: Game> {
    /// The agent, by its place in the header.
    pub agent: usize,
    /// The game's number.
    pub number: u64,
    /// The game.
    pub record: Record<G>,
    /// How it ended.
    pub outcome: Outcome,
}

/// Reads records one after the other.
pub struct RecordReader<R: Read> {
    input: R,
    header: RecordHeader,
    code: Code,
}

impl<R: Read> RecordReader<R> {
    /// Reads what is said of all games.
    ///
    /// # Errors
    /// When it is no sound file of records.
    pub fn new(mut input: R) -> Result<Self, RecordError> {
        let magic: [u8; 8] = array(&mut input).map_err(|error| match error {
            RecordError::CutShort => RecordError::Foreign,
            error => error,
        })?;
        if magic != *RECORD_MAGIC {
            return Err(RecordError::Foreign);
        }
        let version = u32::from_le_bytes(array(&mut input)?);
        if version != VERSION {
            return Err(RecordError::Version(version));
        }
        let damaged = RecordError::Damaged("its header makes no sense");
        let length = u32::from_le_bytes(array(&mut input)?) as usize;
        if length > MAX_HEADER {
            return Err(damaged);
        }
        let text = bytes(&mut input, length)?;
        if xxh3_64(&text) != u64::from_le_bytes(array(&mut input)?) {
            return Err(damaged);
        }
        let limited = bincode::config::standard().with_limit::<MAX_HEADER>();
        let decoded = bincode::serde::decode_from_slice::<RecordHeader, _>(&text, limited);
        let header = match decoded {
            Ok((header, used)) if used == text.len() && header.rules.validate().is_ok() => header,
            _ => return Err(damaged),
        };
        let code = Code::of(&header.rules);
        Ok(RecordReader {
            input,
            header,
            code,
        })
    }

    /// What is said of all games.
    pub fn header(&self) -> &RecordHeader {
        &self.header
    }

    /// The next game, checked; `None` after the last one. `game` must be that of the header.
    ///
    /// # Errors
    /// When the file is damaged or cut short, or the game was not played by the rules.
    pub fn next<G: Game>(&mut self, game: &G) -> Result<Option<Recorded<G>>, RecordError> {
        let moves = u32::from_le_bytes(array(&mut self.input)?);
        if moves == END {
            let mut more = [0];
            return match self.input.read(&mut more)? {
                0 => Ok(None),
                _ => Err(RecordError::Damaged("more follows after its end")),
            };
        }
        let cells = game.rules().geometry().cells();
        let head = 2 + 8 + cells;
        let rest = bytes(&mut self.input, head + self.code.bytes * moves as usize)?;
        let checksum = u64::from_le_bytes(array(&mut self.input)?);
        let whole = [moves.to_le_bytes().as_slice(), &rest].concat();
        if xxh3_64(&whole) != checksum {
            return Err(RecordError::Damaged("a checksum is not that of its game"));
        }
        let (head, steps) = rest.split_at(head);
        let agent = usize::from(u16::from_le_bytes([head[0], head[1]]));
        let mut digits = [0; 8];
        digits.copy_from_slice(&head[2..10]);
        let number = u64::from_le_bytes(digits);
        let Some(spec) = self.header.agents.get(agent) else {
            return Err(RecordError::Damaged("it has a game of no agent"));
        };
        let fault = |fault| RecordError::Fault {
            agent: spec.clone(),
            number,
            fault,
        };
        if !game.is_possible(&head[10..]) {
            return Err(fault(RecordFault::Start));
        }
        let record = Record {
            start: game.board_of_ranks(&head[10..]),
            steps: steps
                .chunks_exact(self.code.bytes)
                .map(|bytes| self.code.read(bytes))
                .collect(),
        };
        let outcome = record.outcome(game).map_err(fault)?;
        Ok(Some(Recorded {
            agent,
            number,
            record,
            outcome,
        }))
    }
}

/// Exactly so many bytes; grows as they come, so that a wrong length costs nothing.
fn bytes(input: &mut impl Read, length: usize) -> Result<Vec<u8>, RecordError> {
    let mut bytes = Vec::new();
    input.take(length as u64).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(RecordError::CutShort),
    }
}

fn array<const N: usize>(input: &mut impl Read) -> Result<[u8; N], RecordError> {
    let mut array = [0; N];
    match input.read_exact(&mut array) {
        Ok(()) => Ok(array),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(RecordError::CutShort),
        Err(error) => Err(error.into()),
    }
}
