//! The container of models and checkpoints.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `AFTERST8` |
//! | 4 | format version |
//! | 4 + 4 | lengths of header and state |
//! | ... | header and state, bincode |
//! | 8 | XXH3 of all bytes before |
//! | 4 each | tables: `f32` in natural order, or packed by [`crate::compact`] |
//! | 8 | XXH3 of the tables: the same weights, not packed, have the same, wherever they come from |
//!
//! All numbers are little-endian. A file is written beside its final name and renamed when complete. Of a damaged
//! file nothing is decoded, and what is not packed is not made room for before the file is known to be long enough.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"AFTERST8";
const VERSION: u32 = 2;
/// Magic, version, two lengths.
const PREAMBLE: usize = 8 + 4 + 4 + 4;
/// A checksum.
const CHECKSUM: usize = 8;
/// Far above any real header.
pub(crate) const MAX_HEADER: usize = 1 << 20;
/// Far above any real state: that of a training remembers every move of the games that are played.
pub(crate) const MAX_STATE: usize = 1 << 30;
const BUFFER: usize = 1 << 18;

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system could not read it.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system could not write it.
    #[error("cannot write {path}: {source}; what was there before is untouched, make room or access and try again", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Some other kind of file.
    #[error("{path} is not an afterstate model or checkpoint: {reason}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What shows it.
        reason: &'static str,
    },
    /// A format of another time.
    #[error("{path} has format version {found}, this program reads version {VERSION}: use the program that wrote it", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
    },
    /// Shorter or longer than its header says.
    #[error("{path} has {found} bytes where its header asks for {expected}: it was cut short or is damaged, use another copy", path = path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes found.
        found: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// The header makes no sense.
    #[error("{path} has a damaged header ({reason}): use another copy", path = path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The checksum does not fit the content.
    #[error("{path} is damaged: its checksum is {found:016x}, its content's {expected:016x}; use another copy", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The checksum in the file.
        found: u64,
        /// The checksum of what was read.
        expected: u64,
    },
    /// The checksums fit, but the tables make no sense.
    #[error("{path} is damaged: {reason}; use another copy", path = path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Weights that a compact model cannot hold.
    #[error("cannot write {path}: {reason}; choose larger steps, or write the weights as they are", path = path.display())]
    Rounding {
        /// The file.
        path: PathBuf,
        /// What cannot be rounded.
        reason: String,
    },
    /// The content is whole, but not for this use.
    #[error("{path} cannot be used here: {reason}", path = path.display())]
    Unsuitable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// For mapping an error of reading.
fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Read { path, source }
}

/// Where a file is built up until it is complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    path.with_file_name(name)
}

/// Writes numbers after a header, adding up the checksum.
pub(crate) struct Writer {
    file: File,
    hash: Xxh3,
    block: Vec<u8>,
}

impl Writer {
    /// Writes a whole file: header, state, and the numbers that `tables` pushes. Returns its checksum.
    pub(crate) fn write(
        path: &Path,
        header: &[u8],
        state: &[u8],
        tables: impl FnOnce(&mut Writer) -> io::Result<()>,
    ) -> Result<u64, FileError> {
        // A device or a folder would be replaced by the file.
        if path.metadata().is_ok_and(|there| !there.is_file()) {
            return Err(FileError::Write {
                path: path.to_owned(),
                source: io::Error::other("there is something that is not a file"),
            });
        }
        let partial = beside(path);
        let written = Writer::write_partial(&partial, header, state, tables)
            .and_then(|hash| fs::rename(&partial, path).map(|()| hash));
        written.map_err(|source| {
            // What is left of it only takes room on a disk that may be full.
            let _ = fs::remove_file(&partial);
            let path = path.to_owned();
            FileError::Write { path, source }
        })
    }

    fn write_partial(
        partial: &Path,
        header: &[u8],
        state: &[u8],
        tables: impl FnOnce(&mut Writer) -> io::Result<()>,
    ) -> io::Result<u64> {
        if header.len() > MAX_HEADER || state.len() > MAX_STATE {
            return Err(io::Error::other(
                "its header or state would be larger than any reader takes",
            ));
        }
        let mut head = MAGIC.to_vec();
        for number in [VERSION, header.len() as u32, state.len() as u32] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head.extend_from_slice(header);
        head.extend_from_slice(state);
        head.extend_from_slice(&xxh3_64(&head).to_le_bytes());
        let mut writer = Writer {
            file: File::create(partial)?,
            hash: Xxh3::new(),
            block: Vec::with_capacity(BUFFER),
        };
        writer.file.write_all(&head)?;
        tables(&mut writer)?;
        writer.write_block()?;
        let hash = writer.hash.digest();
        writer.file.write_all(&hash.to_le_bytes())?;
        // Only what is on the disk may replace an older file.
        writer.file.sync_all()?;
        Ok(hash)
    }

    /// Appends one number, given by its bits.
    #[inline]
    pub(crate) fn push(&mut self, bits: u32) -> io::Result<()> {
        self.block.extend_from_slice(&bits.to_le_bytes());
        if self.block.len() >= BUFFER {
            self.write_block()?;
        }
        Ok(())
    }

    /// Appends bytes of tables that are packed.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.block.extend_from_slice(bytes);
        self.write_block()
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.hash.update(&self.block);
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }
}

/// Reads what [`Writer`] wrote.
pub(crate) struct Reader {
    pub(crate) path: PathBuf,
    file: File,
    pub(crate) header: Vec<u8>,
    pub(crate) state: Vec<u8>,
    length: u64,
    /// Bytes of tables that have not been read yet.
    left: u64,
    /// Numbers that have been read, and how far they have been handed out.
    block: Vec<u8>,
    position: usize,
    /// Of all numbers that have been read.
    hash: Xxh3,
}

impl Reader {
    /// Opens a file and reads its header and state, which then are known to be what was written.
    pub(crate) fn open(path: &Path) -> Result<Reader, FileError> {
        let foreign = |reason| FileError::Foreign {
            path: path.to_owned(),
            reason,
        };
        // Asked before opening: a pipe would wait for a writer.
        let metadata = fs::metadata(path).map_err(unreadable(path))?;
        if metadata.is_dir() {
            return Err(foreign("it is a folder without one"));
        }
        if !metadata.is_file() {
            return Err(foreign("it is not a regular file"));
        }
        let mut reader = Reader {
            path: path.to_owned(),
            file: File::open(path).map_err(unreadable(path))?,
            header: Vec::new(),
            state: Vec::new(),
            length: metadata.len(),
            left: 0,
            block: Vec::new(),
            position: 0,
            hash: Xxh3::new(),
        };
        let mut magic = [0; 8];
        if reader.length < 8 || reader.file.read_exact(&mut magic).is_err() || magic != *MAGIC {
            return Err(foreign("it does not begin with 'AFTERST8'"));
        }
        reader.expect_at_least(PREAMBLE + 2 * CHECKSUM)?;
        let mut head = magic.to_vec();
        let mut numbers = [0; 3];
        for number in &mut numbers {
            let mut bytes = [0; 4];
            reader
                .file
                .read_exact(&mut bytes)
                .map_err(unreadable(path))?;
            *number = u32::from_le_bytes(bytes);
            head.extend_from_slice(&bytes);
        }
        let [version, header, state] = numbers.map(|number| number as usize);
        if version != VERSION as usize {
            return Err(FileError::Version {
                path: path.to_owned(),
                found: numbers[0],
            });
        }
        if header > MAX_HEADER || state > MAX_STATE {
            return Err(reader.bad_header("it claims to be larger than any header is"));
        }
        reader.expect_at_least(PREAMBLE + header + state + 2 * CHECKSUM)?;
        head.resize(PREAMBLE + header + state, 0);
        reader
            .file
            .read_exact(&mut head[PREAMBLE..])
            .map_err(unreadable(path))?;
        reader.check(xxh3_64(&head))?;
        reader.state = head.split_off(PREAMBLE + header);
        reader.header = head.split_off(PREAMBLE);
        Ok(reader)
    }

    /// Checks that exactly this many bytes of tables follow the header, before anything is allocated for them.
    pub(crate) fn expect_bytes(&mut self, count: u64) -> Result<(), FileError> {
        let around = PREAMBLE + self.header.len() + self.state.len() + 2 * CHECKSUM;
        self.left = count;
        let expected = around as u64 + self.left;
        if self.length == expected {
            Ok(())
        } else {
            Err(self.wrong_length(expected))
        }
    }

    fn expect_at_least(&self, expected: usize) -> Result<(), FileError> {
        let expected = expected as u64;
        if self.length >= expected {
            Ok(())
        } else {
            Err(self.wrong_length(expected))
        }
    }

    fn wrong_length(&self, expected: u64) -> FileError {
        FileError::Length {
            path: self.path.clone(),
            found: self.length,
            expected,
        }
    }

    /// The bits of the next number. Past the last there are zeros.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<u32, FileError> {
        if self.position == self.block.len() {
            self.read_block()?;
        }
        let bytes = self.block[self.position..]
            .first_chunk()
            .copied()
            .unwrap_or_default();
        self.position = self.block.len().min(self.position + 4);
        Ok(u32::from_le_bytes(bytes))
    }

    /// Skips numbers that are not wanted; they count for the checksum all the same.
    pub(crate) fn skip_rest(&mut self) -> Result<(), FileError> {
        while self.left > 0 {
            self.read_block()?;
        }
        Ok(())
    }

    /// All bytes of tables that have not been read yet.
    pub(crate) fn rest(&mut self) -> Result<Vec<u8>, FileError> {
        let mut rest = Vec::with_capacity(self.left as usize);
        while self.left > 0 {
            self.read_block()?;
            rest.extend_from_slice(&self.block);
        }
        Ok(rest)
    }

    fn read_block(&mut self) -> Result<(), FileError> {
        self.block.resize(self.left.min(BUFFER as u64) as usize, 0);
        self.position = 0;
        self.file
            .read_exact(&mut self.block)
            .map_err(unreadable(&self.path))?;
        self.left -= self.block.len() as u64;
        self.hash.update(&self.block);
        Ok(())
    }

    /// Reads the tables' checksum, compares and returns it. All of the tables must have been read.
    pub(crate) fn check_tables(&mut self) -> Result<u64, FileError> {
        self.check(self.hash.digest())
    }

    fn check(&mut self, expected: u64) -> Result<u64, FileError> {
        let mut bytes = [0; CHECKSUM];
        self.file
            .read_exact(&mut bytes)
            .map_err(unreadable(&self.path))?;
        let found = u64::from_le_bytes(bytes);
        if found != expected {
            return Err(FileError::Damaged {
                path: self.path.clone(),
                found,
                expected,
            });
        }
        Ok(found)
    }

    pub(crate) fn bad_header(&self, reason: impl ToString) -> FileError {
        FileError::Header {
            path: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}
