//! The container of models and checkpoints.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `AFTERST8` |
//! | 4 | format version |
//! | 4 + 4 | lengths of header and state |
//! | ... | header and state, bincode |
//! | 4 each | tables: `f32` in natural order |
//! | 8 | XXH3 of all bytes before |
//!
//! All numbers are little-endian. A file is written beside its final name and renamed when complete. Nothing is
//! allocated for a file that is larger than the file itself.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: &[u8; 8] = b"AFTERST8";
const VERSION: u32 = 1;
/// Magic, version, two lengths.
const PREAMBLE: u64 = 8 + 4 + 4 + 4;
/// The checksum.
const CLOSING: u64 = 8;
/// Far above any real header or state.
const MAX_HEADER: u64 = 16 << 20;
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
    #[error("cannot write {path}: {source}; an older file of that name is untouched", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Some other kind of file.
    #[error("{path} is not an afterstate model or checkpoint: it does not begin with 'AFTERST8'", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
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
    /// The content is whole, but not for this use.
    #[error("{path} cannot be used here: {reason}", path = path.display())]
    Unsuitable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
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
        let partial = beside(path);
        let written = Writer::write_partial(&partial, header, state, tables)
            .and_then(|hash| std::fs::rename(&partial, path).map(|()| hash));
        written.map_err(|source| {
            // What is left of it only takes room on a disk that may be full.
            let _ = std::fs::remove_file(&partial);
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
        let mut writer = Writer {
            file: File::create(partial)?,
            hash: Xxh3::new(),
            block: Vec::with_capacity(BUFFER),
        };
        writer.block.extend_from_slice(MAGIC);
        for number in [VERSION, header.len() as u32, state.len() as u32] {
            writer.block.extend_from_slice(&number.to_le_bytes());
        }
        writer.block.extend_from_slice(header);
        writer.block.extend_from_slice(state);
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
    hash: Xxh3,
    pub(crate) header: Vec<u8>,
    pub(crate) state: Vec<u8>,
    length: u64,
    /// Bytes of numbers that have not been read yet.
    left: u64,
    /// Numbers that have been read, and how far they have been handed out.
    block: Vec<u8>,
    position: usize,
}

impl Reader {
    /// Opens a file and reads its header and state, without checking the checksum yet.
    pub(crate) fn open(path: &Path) -> Result<Reader, FileError> {
        let failed = |source| FileError::Read {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(FileError::Foreign {
                path: path.to_owned(),
            });
        }
        let mut reader = Reader {
            path: path.to_owned(),
            file,
            hash: Xxh3::new(),
            header: Vec::new(),
            state: Vec::new(),
            length: metadata.len(),
            left: 0,
            block: Vec::new(),
            position: 0,
        };
        let mut magic = [0; 8];
        if reader.length < 8 || reader.read(&mut magic).is_err() || magic != *MAGIC {
            return Err(FileError::Foreign {
                path: path.to_owned(),
            });
        }
        reader.expect_length(PREAMBLE + CLOSING, |found, expected| found >= expected)?;
        let version = reader.number()?;
        if version != VERSION {
            return Err(FileError::Version {
                path: path.to_owned(),
                found: version,
            });
        }
        let (header, state) = (u64::from(reader.number()?), u64::from(reader.number()?));
        if header > MAX_HEADER || state > MAX_HEADER {
            return Err(reader.bad_header("it claims to be larger than any header is"));
        }
        reader.expect_length(PREAMBLE + header + state + CLOSING, |found, expected| {
            found >= expected
        })?;
        reader.header = vec![0; header as usize];
        reader.state = vec![0; state as usize];
        let (mut header, mut state) = (
            std::mem::take(&mut reader.header),
            std::mem::take(&mut reader.state),
        );
        reader.read(&mut header)?;
        reader.read(&mut state)?;
        (reader.header, reader.state) = (header, state);
        Ok(reader)
    }

    /// Checks that exactly this many numbers follow the header, before anything is allocated for them.
    pub(crate) fn expect_numbers(&mut self, count: u64) -> Result<(), FileError> {
        let around = PREAMBLE + (self.header.len() + self.state.len()) as u64 + CLOSING;
        self.left = 4 * count;
        self.expect_length(around + self.left, |found, expected| found == expected)
    }

    fn expect_length(
        &self,
        expected: u64,
        holds: impl Fn(u64, u64) -> bool,
    ) -> Result<(), FileError> {
        if holds(self.length, expected) {
            return Ok(());
        }
        Err(FileError::Length {
            path: self.path.clone(),
            found: self.length,
            expected,
        })
    }

    /// The bits of the next number.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<u32, FileError> {
        if self.position == self.block.len() {
            self.read_block()?;
        }
        let bytes = self.block.get(self.position..self.position + 4);
        self.position += 4;
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        Ok(bytes.map_or(0, u32::from_le_bytes))
    }

    fn read_block(&mut self) -> Result<(), FileError> {
        let mut block = std::mem::take(&mut self.block);
        block.resize(self.left.min(BUFFER as u64) as usize, 0);
        self.read(&mut block)?;
        self.left -= block.len() as u64;
        (self.block, self.position) = (block, 0);
        Ok(())
    }

    /// Skips numbers that are not wanted; they count for the checksum all the same.
    pub(crate) fn skip_rest(&mut self) -> Result<(), FileError> {
        while self.left > 0 {
            self.read_block()?;
        }
        Ok(())
    }

    /// Reads the checksum, compares and returns it.
    pub(crate) fn finish(mut self) -> Result<u64, FileError> {
        let expected = self.hash.digest();
        let mut bytes = [0; 8];
        self.read(&mut bytes)?;
        let found = u64::from_le_bytes(bytes);
        if found != expected {
            return Err(FileError::Damaged {
                path: self.path,
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

    fn number(&mut self) -> Result<u32, FileError> {
        let mut bytes = [0; 4];
        self.read(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        self.file
            .read_exact(bytes)
            .map_err(|source| FileError::Read {
                path: self.path.clone(),
                source,
            })?;
        self.hash.update(bytes);
        Ok(())
    }
}
