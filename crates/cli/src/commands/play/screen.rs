//! Boards on the terminal: drawn in place there, one below the other elsewhere.

use crate::failure::Failure;
use crate::interrupt;
use engine::{Outcome, tile};
use std::io::{IsTerminal, StdoutLock, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(super) struct Screen {
    stdout: StdoutLock<'static>,
    in_place: bool,
    delay: Duration,
    /// Lines of the last drawing.
    drawn: usize,
}

impl Screen {
    /// `delay` is the time between moves; without it there is some on a terminal and none elsewhere.
    pub(super) fn new(delay: Option<Duration>) -> Screen {
        let stdout = std::io::stdout().lock();
        let in_place = stdout.is_terminal();
        let usual = Duration::from_millis(if in_place { 50 } else { 0 });
        Screen {
            stdout,
            in_place,
            delay: delay.unwrap_or(usual),
            drawn: 0,
        }
    }

    pub(super) fn show(&mut self, text: &str) -> Result<(), Failure> {
        if self.in_place && self.drawn > 0 {
            // Up over the last drawing, and clear what follows.
            write!(self.stdout, "\r\x1b[{}A\x1b[J", self.drawn)?;
        }
        write!(self.stdout, "{text}")?;
        self.stdout.flush()?;
        self.drawn = text.lines().count();
        Ok(())
    }

    /// Waits for the time between moves.
    pub(super) fn wait(&self, interrupted: &AtomicBool) {
        interrupt::sleep(self.delay, interrupted);
    }

    /// Says how the game ended.
    pub(super) fn end(&mut self, how: &str, outcome: &Outcome) -> Result<(), Failure> {
        writeln!(
            self.stdout,
            "{how}: score {}, {} moves, largest tile {}",
            outcome.score,
            outcome.moves,
            tile(outcome.largest_rank)
        )?;
        Ok(())
    }
}
