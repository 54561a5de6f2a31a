//! Files that are written beside their place and put there once they are whole, so that what was there before is never
//! lost to a full disk or an interruption.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that grows beside the place that it is for.
pub(crate) struct Beside {
    path: PathBuf,
    /// Where it grows; `None` for devices and pipes, which are written to as they are.
    beside: Option<TempPath>,
    out: BufWriter<File>,
}

impl Beside {
    /// A file for a place, links followed. What is there already is only replaced if it begins like `beginning`: it is
    /// `kind`, not something else of the user's. Opening a pipe may wait for its reader: signals must still have their
    /// usual effect.
    pub(crate) fn create(path: &Path, beginning: &[u8], kind: &str) -> io::Result<Beside> {
        let found = std::fs::metadata(path).ok();
        // A regular file may be behind /dev/stdout, too.
        let special = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
            .iter()
            .any(|system| path.starts_with(system));
        if special || found.as_ref().is_some_and(|found| !found.is_file()) {
            let file = OpenOptions::new().append(true).open(path)?;
            return Ok(Beside {
                path: path.to_owned(),
                beside: None,
                out: BufWriter::new(file),
            });
        }
        let mut path = path.to_owned();
        let mut builder = tempfile::Builder::new();
        if let Some(found) = found {
            path = path.canonicalize()?;
            let mut begins = Vec::new();
            File::open(&path)?
                .take(beginning.len() as u64)
                .read_to_end(&mut begins)?;
            if !begins.is_empty() && begins != beginning {
                return Err(io::Error::other(format!(
                    "it exists and is no {kind}: choose another name"
                )));
            }
            if found.permissions().readonly() {
                return Err(io::Error::other("it is read-only"));
            }
            builder.permissions(found.permissions());
        } else {
            usual_permissions(&mut builder);
        }
        let name = path.file_name().unwrap_or_default().to_owned();
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let beside = builder.prefix(&name).suffix(".partial");
        let (file, beside) = beside
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(plain)?
            .into_parts();
        Ok(Beside {
            path,
            beside: Some(beside),
            out: BufWriter::new(file),
        })
    }

    /// Puts the file where it belongs.
    pub(crate) fn place(mut self) -> io::Result<()> {
        self.out.flush()?;
        match self.beside {
            None => Ok(()),
            Some(beside) => Ok(beside.persist(&self.path)?),
        }
    }

    /// Leaves the file where it has grown, and says where that is if it is beside its place.
    pub(crate) fn keep(mut self) -> io::Result<Option<PathBuf>> {
        self.out.flush()?;
        Ok(self.beside.map(TempPath::keep).transpose()?)
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes whole files into a folder, by name and content, whatever had their names before. Only when there was room for
/// all of them are they put in place.
pub(crate) fn write_into(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    usual_permissions(&mut builder);
    let mut written = Vec::new();
    for (name, content) in files {
        let mut beside = builder.tempfile_in(folder).map_err(plain)?;
        beside.as_file_mut().write_all(content)?;
        written.push((folder.join(name), beside));
    }
    for (path, beside) in written {
        beside.persist(path)?;
    }
    Ok(())
}

/// What the system said, without the path of a temporary file that nobody asked for.
fn plain(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|error| error.source());
    let inner = inner.and_then(|error| error.downcast_ref::<io::Error>());
    let code = inner.and_then(io::Error::raw_os_error);
    code.map_or(error, io::Error::from_raw_os_error)
}

/// Those of files that programs create, where temporary ones are for their owner only.
fn usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
}
