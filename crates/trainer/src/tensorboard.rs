//! Curves for TensorBoard.
//!
//! Records and summaries come from `tensorboard-rs`; the file is opened and flushed here, because that crate's
//! own writer panics where a file cannot be written and loses points that are not flushed.

use protobuf::Message;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tensorboard_proto::event::Event;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

/// What every event file's name begins with.
pub(crate) const PREFIX: &str = "events.out.tfevents.";

/// One event file, being written.
pub(crate) struct EventFile {
    name: String,
    records: RecordWriter<BufWriter<File>>,
}

impl EventFile {
    /// Begins a new file in `folder`. TensorBoard reads a folder's files in the order of their names, which begin
    /// with the time; of several begun in the same second, the later ones count on.
    pub(crate) fn create(folder: &Path, suffix: &str) -> io::Result<EventFile> {
        let mut seconds = wall_time() as u64;
        loop {
            let name = format!("{PREFIX}{seconds:010}.{suffix}");
            match File::create_new(folder.join(&name)) {
                Ok(file) => {
                    let records = RecordWriter::new(BufWriter::new(file));
                    let mut events = EventFile { name, records };
                    let mut first = Event::new();
                    first.set_file_version("brain.Event:2".to_owned());
                    events.write(first)?;
                    events.flush()?;
                    return Ok(events);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => seconds += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Adds a point to the curve `tag`.
    pub(crate) fn scalar(&mut self, tag: &str, value: f64, step: u64) -> io::Result<()> {
        let mut event = Event::new();
        event.set_step(step as i64);
        event.set_summary(scalar(tag, value as f32));
        self.write(event)
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.records.flush()
    }

    fn write(&mut self, mut event: Event) -> io::Result<()> {
        event.set_wall_time(wall_time());
        let bytes = event.write_to_bytes().map_err(io::Error::other)?;
        self.records.write(&bytes)
    }
}

fn wall_time() -> f64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    since_epoch.map_or(0.0, |duration| duration.as_secs_f64())
}
