//! A full disk stops nothing that can go on, and costs nothing that was saved.
#![cfg(target_os = "linux")]

mod common;

use common::{Place, logged_games, wait_until};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A file system in memory, of a few megabytes.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where mounting is not allowed (it takes root).
    fn mount(path: PathBuf, megabytes: u32) -> Option<SmallDisk> {
        fs::create_dir_all(&path).expect("a folder");
        let size = format!("size={megabytes}m");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&path)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(SmallDisk(path))
    }

    fn fill(&self) {
        let mut megabyte = vec![1; 1 << 20];
        for number in 0.. {
            let name = format!("filler-{}-{number}", megabyte.len());
            if self.0.join(&name).exists() {
                continue;
            }
            if fs::write(self.0.join(name), &megabyte).is_err() {
                // The rest, to the last page.
                megabyte.truncate(megabyte.len() / 2);
                if megabyte.is_empty() {
                    break;
                }
            }
        }
    }

    fn make_room(&self) {
        for entry in fs::read_dir(&self.0).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("filler-"))
            {
                fs::remove_file(path).expect("removed");
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_costs_no_data() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(place.path("runs"), 6) else {
        eprintln!("skipped: mounting a small file system takes root");
        return;
    };
    // 2 x 65,536 weights: 0.5 MB, with their sums 1.5 MB.
    let train =
        "train --patterns 0123,4567 --threads 1 --games 1000000 --log-every 50 --eval-games 10";
    place.fails(
        "train --patterns 4x6",
        1,
        &["MB of free space", "this run needs", "--runs"],
    );

    let run = place.path("runs/run");
    let mut program = place.start(&format!("{train} --name run --checkpoint-every 300ms"));
    wait_until("a checkpoint", || run.join("checkpoint").exists());
    disk.fill();
    // A saving that was under way may have replaced an older file, and left its room.
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        disk.fill();
    }
    let sound = || place.json("info runs/run/checkpoint --json")["provenance"]["games"].as_u64();
    let games = sound();
    std::thread::sleep(std::time::Duration::from_millis(500));
    program.signal("INT");
    let output = program.output();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{messages}");
    assert!(messages.contains("warning: cannot write"), "{messages}");
    assert!(
        messages.contains("error: cannot write runs/run/checkpoint: No space left on device"),
        "{messages}"
    );
    assert!(!messages.contains("panicked"), "{messages}");
    assert!(
        sound() >= games && games > Some(0),
        "the checkpoint is as it was"
    );
    place.fails(
        "train --patterns 0123 --games 10 --name other",
        1,
        &["runs/other"],
    );

    disk.make_room();
    let total = sound().expect("a number") + 100;
    let output = place.json(&format!("train --resume --name run --games {total} --json"));
    assert_eq!(output["games"], total);
    let points = logged_games(&run);
    assert!(
        points.windows(2).all(|pair| pair[0] < pair[1]),
        "{points:?}"
    );
}
