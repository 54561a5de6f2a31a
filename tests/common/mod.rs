//! What the tests of the built program share.
#![allow(dead_code, unreachable_pub)] // Each test uses a part of it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder to run the program in.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        Place { folder }
    }

    pub fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    /// The program with a command line, split at spaces.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("afterstate"));
        command
            .args(line.split_whitespace())
            .current_dir(self.folder.path());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("the program runs")
    }

    /// Runs a command line that must succeed; returns what it prints.
    pub fn text(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a command line that must succeed and print one JSON object and nothing else.
    pub fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.text(line)).expect("one JSON object")
    }

    /// Starts the program without waiting for it.
    pub fn start(&self, line: &str) -> Running {
        let mut command = self.command(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(Some(command.spawn().expect("the program starts")))
    }

    /// Runs a command line that must fail with an exit code and one sentence that has all these parts.
    pub fn fails(&self, line: &str, code: i32, parts: &[&str]) {
        let output = self.run(line);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {message}");
        let errors: Vec<&str> = message
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert_eq!(errors.len(), 1, "{line}: {message}");
        assert!(!message.contains("panicked"), "{line}: {message}");
        for part in parts {
            assert!(
                message.contains(part),
                "{line}: '{part}' is not in: {message}"
            );
        }
    }
}

/// A program that runs, and dies with the test.
pub struct Running(Option<Child>);

impl Running {
    pub fn child(&mut self) -> &mut Child {
        self.0.as_mut().expect("not waited for yet")
    }

    /// Sends a signal by its name, such as INT.
    #[cfg(unix)]
    pub fn signal(&mut self, name: &str) {
        let id = self.child().id().to_string();
        let killed = Command::new("kill").args(["-s", name, &id]).status();
        assert!(killed.is_ok_and(|status| status.success()));
    }

    /// Waits for its end.
    pub fn output(mut self) -> Output {
        let child = self.0.take().expect("not waited for yet");
        child.wait_with_output().expect("it ends")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until something is so; panics after a minute.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "waited a minute for {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The games at each point of a run's curves.
pub fn logged_games(run: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
    let game =
        |line: &str| serde_json::from_str::<Value>(line).expect("a whole line")["games"].as_u64();
    text.lines()
        .map(|line| game(line).expect("a number"))
        .collect()
}

/// Names in a folder that begin with some prefix, sorted.
pub fn files(folder: &Path, prefix: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix)).collect();
    names.sort();
    names
}
