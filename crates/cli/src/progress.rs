//! A progress bar on a terminal, plain lines now and then elsewhere.

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Time between two drawings of the bar.
const BAR_INTERVAL: Duration = Duration::from_millis(100);

/// Shows how far some work on many games is. All of it goes to standard error.
pub(crate) struct Progress {
    bar: ProgressBar,
    terminal: bool,
    /// When it was last shown.
    shown: Mutex<Option<Instant>>,
    begun: Instant,
    /// Games that were done before.
    before: u64,
}

impl Progress {
    /// For so many games, of which some are done already; they say nothing about the time left.
    pub(crate) fn new(games: u64, before: u64) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(games), target);
        // Short enough for 80 columns.
        let style = "{bar:8.cyan/blue} {human_pos}/{human_len} games, {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Progress {
            bar,
            terminal,
            shown: Mutex::new((!terminal).then(Instant::now)),
            begun: Instant::now(),
            before,
        }
    }

    /// Shows that so many games are done. `message` says how they went; it is only asked for when shown.
    pub(crate) fn show(&self, games: u64, message: impl FnOnce() -> String) {
        // Another thread that shows it at this moment is enough.
        let Ok(mut shown) = self.shown.try_lock() else {
            return;
        };
        let interval = if self.terminal {
            BAR_INTERVAL
        } else {
            PLAIN_INTERVAL
        };
        if shown.is_some_and(|last| last.elapsed() < interval) {
            return;
        }
        *shown = Some(Instant::now());
        let message = match self.time_left(games) {
            Some(left) => format!("{left:#} left, {}", message()),
            None => message(),
        };
        if self.terminal {
            self.bar.set_position(games);
            self.bar.set_message(message);
        } else {
            let of = HumanCount(self.bar.length().unwrap_or(0));
            note(&format!("{}/{of} games, {message}", HumanCount(games)));
        }
    }

    /// At the pace so far.
    fn time_left(&self, games: u64) -> Option<HumanDuration> {
        let done = games.checked_sub(self.before).filter(|done| *done > 0)?;
        let to_do = self.bar.length().unwrap_or(0).saturating_sub(games);
        let seconds = self.begun.elapsed().as_secs_f64() * to_do as f64 / done as f64;
        Some(HumanDuration(Duration::try_from_secs_f64(seconds).ok()?))
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
