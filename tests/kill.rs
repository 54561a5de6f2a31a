//! Kill -9 in the middle of saving never costs the run.

mod common;

use common::{Place, files, logged_games, wait_until};
use std::fs;
use std::path::Path;

/// A network of which a checkpoint takes long enough to be met half written: 50 MB.
const TRAIN: &str =
    "--patterns 4x5 --threads 1 --log-every 5 --games 1000000 --checkpoint-every 20ms --name run";

#[test]
fn a_run_survives_being_killed_while_it_saves() {
    let place = Place::new();
    let (partial, checkpoint) = (
        place.path("runs/run/checkpoint.partial"),
        place.path("runs/run/checkpoint"),
    );
    let mut line = format!("train {TRAIN}");
    let (mut half_written, mut kills) = (0, 0);
    while kills < 20 || half_written < 15 {
        assert!(
            kills < 60,
            "only {half_written} of {kills} kills met a half-written checkpoint"
        );
        let had_checkpoint = checkpoint.exists();
        let mut program = place.start(&line);
        // What the kill before has left is written over by the first saving of this process.
        let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        let left_over = modified(&partial);
        // Some are killed in their first saving, some after one or two that were completed.
        let (mut completed, mut last) = (0, modified(&checkpoint));
        wait_until("a checkpoint being written", || {
            assert!(
                program.child().try_wait().expect("a process").is_none(),
                "it ended by itself"
            );
            let now = modified(&checkpoint);
            completed += u32::from(now != last);
            last = now;
            completed >= kills % 3 && modified(&partial).is_some_and(|time| Some(time) != left_over)
        });
        program.child().kill().expect("killed");
        program.child().wait().expect("dead");
        kills += 1;
        half_written += u32::from(partial.exists());
        assert!(
            !had_checkpoint || checkpoint.exists(),
            "the old checkpoint is gone"
        );
        if checkpoint.exists() {
            place.text("info runs/run/checkpoint");
        }
        line = "train --resume --name run".to_owned();
    }

    let trained = match checkpoint.exists() {
        true => place.json("info runs/run/checkpoint --json")["provenance"]["games"].as_u64(),
        false => Some(0),
    };
    let games = trained.expect("a number") + 20;
    assert!(games > 20, "no checkpoint was ever completed");
    let output = place.json(&format!(
        "train --resume --name run --games {games} --checkpoint-every 5m --eval-games 10 --json"
    ));
    assert_eq!(output["games"], games);
    assert!(!partial.exists());
    let points = logged_games(&place.path("runs/run"));
    let expected: Vec<u64> = (1..=games / 5)
        .map(|n| 5 * n)
        .chain((games % 5 != 0).then_some(games))
        .collect();
    assert_eq!(
        points, expected,
        "no point is missing, doubled or out of order"
    );
    assert!(!files(&place.path("runs/run"), "events.out.tfevents.").is_empty());
}
