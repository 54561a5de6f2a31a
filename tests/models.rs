//! Models for others: those that are exported, and those that ship.

mod common;

use common::{Place, files};
use std::fs;

#[test]
fn exported_models_are_small_and_play_as_well() {
    let place = Place::new();
    for (name, seed) in [("a", 1), ("b", 2)] {
        place.text(&format!(
            "train --patterns 5x4 --threads 1 --games 2000 --eval-games 0 --seed {seed} --stages 512 --starts restart --name {name}"
        ));
    }
    let exported = place.json("export runs/a --out a.model --json");
    let bytes = exported["bytes"].as_u64().expect("a size");
    let plain = place
        .path("runs/a/model")
        .metadata()
        .expect("a model")
        .len();
    assert!(bytes * 5 < plain, "{bytes} {plain}");
    assert_eq!(files(&place.path(""), ""), ["a.model", "runs"]);
    let info = place.text("info a.model");
    assert!(
        info.contains("rounded to steps of 16") && info.contains("stages     512"),
        "{info}"
    );
    // Without a name the latest run, exactly.
    let exact = place.json("export --exact --out b.model --json");
    let hash = |path: &str| place.json(&format!("info {path} --json"))["hash"].clone();
    assert_eq!(exact["hash"], hash("runs/b"));
    place.text("export runs/a runs/b --exact --out mean.model");

    let line =
        "eval greedy:value=runs/a greedy:value=a.model greedy:value=mean.model --games 200 --json";
    let report = place.json(line);
    let mean = |agent: usize| {
        let mean = &report["agents"][agent]["score"]["mean"];
        mean.as_f64().expect("a number")
    };
    // The same player, but for some points of every value; the mean of two is no worse than half as good.
    assert!(mean(0) > 8_000.0, "{}", mean(0));
    assert!(
        (mean(1) / mean(0) - 1.0).abs() < 0.25,
        "{} {}",
        mean(0),
        mean(1)
    );
    assert!(mean(2) > 0.5 * mean(0), "{} {}", mean(0), mean(2));
}

#[test]
fn what_cannot_be_exported_is_said() {
    let place = Place::new();
    for (name, patterns) in [("a", "5x4"), ("b", "17x4")] {
        place.text(&format!(
            "train --patterns {patterns} --games 20 --eval-games 0 --name {name}"
        ));
    }
    place.fails("export runs/c --out x.model", 1, &["cannot read runs/c"]);
    place.fails(
        "export runs/a runs/b --out x.model",
        1,
        &["runs/b has other rules, patterns", "runs/a"],
    );
    place.fails(
        "export runs/a --out no/x.model",
        1,
        &["cannot write no/x.model"],
    );
    // A folder, and a device.
    place.fails(
        "export runs/a --out runs",
        1,
        &["cannot write runs", "not a file"],
    );
    place.fails(
        "export runs/a --out /dev/null",
        1,
        &["/dev/null", "not a file"],
    );
    fs::write(place.path("kept.model"), "kept").expect("written");
    place.fails(
        "export runs/a --step 1e-30 --out kept.model",
        1,
        &["cannot be rounded to steps of"],
    );
    let kept = fs::read(place.path("kept.model")).expect("a file");
    assert_eq!(kept, b"kept");
    assert_eq!(files(&place.path(""), ""), ["kept.model", "runs"]);
}

#[test]
fn the_shipped_model_is_sound_and_plays_where_none_is_named() {
    let place = Place::new();
    let report = place.json("eval greedy:value=small --games 50 --json");
    let mean = report["agents"][0]["score"]["mean"].as_f64();
    assert!(mean.is_some_and(|mean| mean > 60_000.0), "{report}");
    // Its card says which it is.
    let hash = report["models"]["small"].as_str().expect("a hash");
    assert!(include_str!("../models/README.md").contains(hash), "{hash}");
    let searched = place.json("eval expectimax:depth=2 --games 1 --json");
    assert_eq!(
        searched["agents"][0]["agent"],
        "expectimax:value=small,depth=2"
    );
    let table = place.text("eval --games 10");
    assert!(
        table.contains("greedy:value=small ") && table.contains("random"),
        "{table}"
    );
    assert!(place.text("info").contains("models/small.model"));
    // It is for the usual game only.
    place.fails("eval greedy --rules 3x3", 1, &["4x4", "3x3"]);
}

/// The program alone, without the folder that it was built in.
#[test]
fn what_does_not_ship_with_a_bare_program_is_said() {
    let place = Place::new();
    let program = place.path("afterstate");
    fs::copy(assert_cmd::cargo::cargo_bin!("afterstate"), &program).expect("copied");
    let run = |line: &str| {
        let mut command = std::process::Command::new(&program);
        command
            .args(line.split_whitespace())
            .current_dir(place.path(""));
        command.output().expect("the program runs")
    };
    for line in [
        "eval greedy --rules 4x4",
        "eval greedy",
        "info small",
        "play expectimax:depth=2",
    ] {
        let output = run(line);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(
            message.contains("'small' that ships is in no folder `models`"),
            "{line}: {message}"
        );
    }
    // Random play is what is left.
    let output = run("eval --games 20");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && table.contains(" random |"),
        "{table}"
    );
    assert_eq!(run("info").status.code(), Some(2));
}

#[test]
fn tiles_beyond_a_threshold_are_shown_smaller() {
    let place = Place::new();
    let play = |agent: &str| place.json(&format!("eval {agent} --games 30 --seed 5 --json"));
    let mean = |report: &serde_json::Value| {
        report["agents"][0]["score"]["mean"]
            .as_f64()
            .expect("a mean")
    };
    let plain = play("greedy:value=small");
    // So high a threshold that it never counts, and one that always does.
    assert_eq!(
        mean(&play("greedy:value=small,downgrade=131072")),
        mean(&plain)
    );
    assert_ne!(
        mean(&play("greedy:value=small,downgrade=256")),
        mean(&plain)
    );
    let searched = play("expectimax:value=small,depth=2,downgrade=1024");
    assert!(mean(&searched) > 10_000.0, "{searched}");
}

#[test]
fn presets_are_ways_to_train() {
    let place = Place::new();
    place.text("train --preset quick --patterns 5x4 --games 30 --eval-games 0 --name quick");
    let config = fs::read_to_string(place.path("runs/quick/config.toml")).expect("a configuration");
    for line in [
        "starts = \"restart:0.5\"",
        "target = \"lambda:0.5\"",
        "games = 30",
    ] {
        assert!(config.contains(line), "{config}");
    }
}
