//! A progress bar on a terminal, plain lines now and then elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Shows how far some work on many games is. All of it goes to standard error.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Without a terminal: when the last line was written.
    plain: Option<Mutex<Instant>>,
}

impl Progress {
    pub(crate) fn new(games: u64) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(games), target);
        let style = "{bar:16.cyan/blue} {human_pos}/{human_len} games, {eta} left, {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Progress {
            bar,
            plain: (!terminal).then(|| Mutex::new(Instant::now())),
        }
    }

    /// The work was resumed with these games done already; they say nothing about the time left.
    pub(crate) fn resumed_at(&self, games: u64) {
        self.bar.set_position(games);
        self.bar.reset_eta();
    }

    /// Shows that so many games are done. `message` says how they went; it is only asked for when shown.
    pub(crate) fn show(&self, games: u64, message: impl FnOnce() -> String) {
        match &self.plain {
            None => {
                self.bar.set_position(games);
                self.bar.set_message(message());
            }
            Some(last) => {
                let Ok(mut last) = last.try_lock() else {
                    return;
                };
                if last.elapsed() >= PLAIN_INTERVAL {
                    *last = Instant::now();
                    let of = self.bar.length().unwrap_or(0);
                    note(&format!("{games}/{of} games, {}", message()));
                }
            }
        }
    }

    /// A line of its own above the bar.
    pub(crate) fn line(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A line on standard error. That nobody reads it any more is no reason to stop.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A rate for people: `950 moves/s`, `1.23 M moves/s`.
pub(crate) fn rate(moves_per_second: f64) -> String {
    match moves_per_second {
        r if r >= 1e6 => format!("{:.2} M moves/s", r / 1e6),
        r if r >= 1e4 => format!("{:.0} k moves/s", r / 1e3),
        r => format!("{r:.0} moves/s"),
    }
}
