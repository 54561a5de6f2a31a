//! Every mistake gets one clear sentence and its exit code: 2 for what nobody could do, 1 for what failed.

mod common;

use common::Place;
use std::fs;

#[test]
fn bad_usage_is_refused() {
    let place = Place::new();
    for (line, parts) in [
        ("train --games 0", &["games is 0", "at least 1"][..]),
        ("train --games=-5", &["--games"]),
        ("train --games many", &["many"]),
        ("train --threads 0", &["threads is 0"]),
        ("train --threads 100000", &["expected 1 to 1024"]),
        ("train --log-every 0", &["log_every is 0"]),
        ("train --checkpoint-every 0s", &["checkpoint_every is 0"]),
        ("train --checkpoint-every soon", &["soon"]),
        ("train --alpha 0", &["'0' is no step size"]),
        ("train --alpha linear:1,0", &["linear:from=A,to=B"]),
        ("train --step-size momentum", &["expected constant, tc, or"]),
        ("train --step-size constant,tc@2", &["between 0 and 1"]),
        ("train --starts middle", &["expected new, or restart"]),
        ("train --starts carousel", &["carousel:TILES", "16384+8192"]),
        ("train --stages 16385", &["'16385' is no tile"]),
        (
            "train --stages 16384,65536",
            &["larger tiles than the tables tell apart, 32768"],
        ),
        ("train --target nstep:0", &["expected td, nstep:N"]),
        ("train --updates later", &["expected forward or backward"]),
        (
            "train --preset fast",
            &["no preset 'fast'", "quick, standard, best"],
        ),
        (
            "train --preset quick --config x.toml",
            &["--preset", "--config"],
        ),
        ("export --out x", &["no model in runs"]),
        ("export --out x --step 0", &["--step is 0"]),
        ("train --initial-value=-5", &["initial_value is -5"]),
        ("train --patterns 01234z", &["'z'", "0 to f"]),
        ("train --patterns 0012", &["cell '0' twice"]),
        ("train --patterns 9x9", &["4x6, 5x6"]),
        (
            "train --patterns 01234567",
            &["4294967296 weights", "fewer cells"],
        ),
        (
            "train --patterns 4x6 --rules 3x3",
            &["structure for 4x4 boards", "3x3"],
        ),
        ("train --rules 1x4", &["unknown rules '1x4'", "2x2 to 5x5"]),
        (
            "train --rules missing.toml",
            &["unknown rules 'missing.toml'"],
        ),
        ("train --config missing.toml", &["cannot read missing.toml"]),
        ("train --name a/b", &["'a/b' cannot be the name of a run"]),
        ("train --name=-x", &["'-x' cannot be the name of a run"]),
        ("train --config .", &["it is not a text file of settings"]),
        (
            "train --rules /dev/zero",
            &["it is not a text file of settings"],
        ),
        ("train --resume", &["no run to resume in runs"]),
        ("train --resume --name ghost", &["runs/ghost is no run"]),
        ("train --resume --seed 3", &["--seed"]),
        ("train --resume --patterns 4x6", &["--patterns"]),
        (
            "eval clever",
            &["no agent 'clever'", "random, priority, greedy, expectimax"],
        ),
        ("eval priority", &["needs the option 'order'"]),
        (
            "eval priority:order=drl",
            &["'drl' is no order", "such as drlu"],
        ),
        (
            "eval expectimax:value=zero,depth=deep",
            &["'deep' is no depth", "tiles:3-6"],
        ),
        ("eval expectimax:value=zero,depth=0", &["'0' is no depth"]),
        (
            "play expectimax:value=zero,depth=99999999999",
            &["'99999999999' is no depth"],
        ),
        (
            "eval expectimax:value=rowtable,goal=win",
            &["'win' is no goal", "reach:2048"],
        ),
        (
            "eval expectimax:value=rowtable,goal=moves",
            &["a rating does not serve the goal 'moves'"],
        ),
        (
            "eval expectimax:value=rowtable,time=fast",
            &["'fast' is no time", "such as 50ms"],
        ),
        (
            "eval expectimax:value=rowtable,table=-1",
            &["option 'table'", "'-1'"],
        ),
        (
            "eval expectimax:value=rowtable,table=67108864,threads=2",
            &["option 'table'", "from 0 to 33554432"],
        ),
        (
            "play expectimax:value=rowtable,time=500000000000years",
            &["is no time", "up to a day"],
        ),
        (
            "eval expectimax:value=rowtable,goal=reach:262144",
            &["cannot be reached", "131072"],
        ),
        ("eval greedy:value=zero@x", &["cannot read x"]),
        (
            "eval greedy:value=heuristic@missing.toml",
            &["cannot read missing.toml"],
        ),
        (
            "bench random --positions missing.txt",
            &["cannot read missing.txt"],
        ),
        (
            "bench expectimax:value=zero --rules 3x3",
            &[
                "the usual positions are 4x4 boards",
                "3x3 with --positions FILE",
            ],
        ),
        (
            "eval greedy:value=zero,downgrade=15",
            &["a tile such as 32768", "'15'"],
        ),
        (
            "eval greedy:value=x,depth=3",
            &["no option 'depth'", "it has value"],
        ),
        ("eval random --games 0", &["--games"]),
        ("eval random --threads 0", &["--threads"]),
        ("eval random --rules 9x9", &["unknown rules '9x9'"]),
        ("play :", &["':' is no agent"]),
        ("bake", &["bake"]),
    ] {
        place.fails(line, 2, parts);
    }
    assert!(!place.path("runs").exists(), "nothing was written");
}

#[test]
fn existing_and_complete_runs_are_kept() {
    let place = Place::new();
    let train = "train --patterns 012 --threads 1 --games 30 --eval-games 0 --name kept";
    place.text(train);
    let model = fs::read(place.path("runs/kept/model")).expect("a model");
    place.fails(train, 2, &["runs/kept exists already", "--resume"]);
    place.fails(
        "train --resume --name kept",
        2,
        &["30 of its 30 games", "--games"],
    );
    assert!(fs::read(place.path("runs/kept/model")).expect("a model") == model);
}

#[test]
fn damaged_and_foreign_files_are_refused() {
    let place = Place::new();
    place.text("train --patterns 012 --threads 1 --games 30 --eval-games 0 --name run");
    let (model, checkpoint) = (
        place.path("runs/run/model"),
        place.path("runs/run/checkpoint"),
    );
    let sound = (
        fs::read(&model).expect("bytes"),
        fs::read(&checkpoint).expect("bytes"),
    );

    fs::write(&model, &sound.0[..sound.0.len() - 10]).expect("written");
    for command in [
        "info runs/run",
        "eval greedy:value=runs/run",
        "play greedy:value=runs/run/model",
    ] {
        place.fails(command, 1, &["runs/run/model", "cut short", "another copy"]);
    }
    fs::write(&model, b"#!/bin/sh\necho not a model\n").expect("written");
    place.fails("info runs/run/model", 1, &["not an afterstate model"]);
    let mut bytes = sound.0.clone();
    let middle = bytes.len() - 4_000;
    bytes[middle] ^= 4;
    fs::write(&model, bytes).expect("written");
    place.fails("eval greedy:value=runs/run", 1, &["is damaged", "checksum"]);

    let mut bytes = sound.1.clone();
    let middle = bytes.len() - 4_000;
    bytes[middle] ^= 4;
    fs::write(&checkpoint, bytes).expect("written");
    place.fails(
        "train --resume --name run --games 40",
        1,
        &["runs/run/checkpoint is damaged"],
    );
    fs::write(&checkpoint, &sound.0).expect("written");
    place.fails(
        "train --resume --name run --games 40",
        1,
        &["runs/run/checkpoint", "is a model, not a checkpoint"],
    );
    fs::remove_file(&checkpoint).expect("removed");
    place.fails(
        "train --resume --name run --games 40",
        1,
        &["has a model but no checkpoint"],
    );
    place.fails("info runs", 1, &["is a folder without one"]);
    place.fails(
        "eval greedy:value=nowhere/model",
        1,
        &["cannot read nowhere/model"],
    );
    place.fails(
        "eval greedy:value=runs/run/model --rules 3x3",
        1,
        &["runs/run/model"],
    );

    fs::write(place.path("bad.toml"), "gamez = 3\n").expect("written");
    place.fails(
        "train --config bad.toml",
        2,
        &["bad.toml", "unknown field `gamez`", "in line 1: gamez = 3"],
    );
    place.fails("train --rules bad.toml", 2, &["bad.toml", "gamez"]);
}

#[test]
fn unwritable_places_are_named() {
    let place = Place::new();
    fs::write(place.path("file"), "").expect("written");
    place.fails("train --runs file", 1, &["cannot create", "file"]);
    place.fails(
        "eval random --games 1 --explain missing/log",
        1,
        &["cannot write the decisions to missing/log"],
    );
    if cfg!(target_os = "linux") {
        // A full disk costs the log, but not the one that was there.
        place.fails(
            "eval random --games 3 --explain /dev/full",
            1,
            &["cannot write the decisions to /dev/full", "No space left"],
        );
        place.fails(
            "train --runs /proc/runs",
            1,
            &["cannot create", "/proc/runs"],
        );
    }
}
