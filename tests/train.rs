//! The main job: train, stop, resume, and find everything where it should be.

mod common;

use common::{Place, files, logged_games, wait_until};
use std::fs;

const SMALL: &str = "--patterns 0123,4567,0145 --threads 1 --log-every 50 --eval-games 20";

#[test]
fn a_run_leaves_a_model_curves_and_its_configuration() {
    let place = Place::new();
    let output = place.json(&format!("train {SMALL} --games 300 --seed 5 --json"));
    assert_eq!(output["run"], "runs/001");
    assert_eq!(output["games"], 300);
    assert!(output["moves"].as_u64() > Some(30_000));
    assert!(output["moves_per_second"].as_f64() > Some(0.0));
    assert!(output["mean_score"].as_f64() > Some(500.0));
    assert_eq!(output["evaluation"]["agents"][0]["games"], 20);
    let model = output["model"].as_str().expect("a path");
    for file in ["config.toml", "metrics.jsonl", "checkpoint", "model"] {
        assert!(place.path("runs/001").join(file).is_file(), "{file}");
    }
    // One file of the training, one of the evaluation.
    assert_eq!(
        files(&place.path("runs/001"), "events.out.tfevents.").len(),
        2
    );
    assert_eq!(
        logged_games(&place.path("runs/001")),
        [50, 100, 150, 200, 250, 300]
    );
    assert!(
        files(&place.path("runs/001"), "")
            .iter()
            .all(|name| !name.ends_with(".partial"))
    );

    // Typed again it makes the next run; one thread and one seed make the same model.
    let again = place.json(&format!("train {SMALL} --games 300 --seed 5 --json"));
    assert_eq!(again["run"], "runs/002");
    assert_eq!(
        (&again["moves"], &again["mean_score"]),
        (&output["moves"], &output["mean_score"])
    );
    assert_eq!(
        again["evaluation"]["agents"][0]["score"],
        output["evaluation"]["agents"][0]["score"]
    );
    assert_eq!(again["model_hash"], output["model_hash"]);
    // So does its configuration, read back.
    let third = place.json("train --config runs/001/config.toml --name copy --json");
    assert_eq!(
        (&third["run"], &third["model_hash"]),
        (&"runs/copy".into(), &output["model_hash"])
    );

    let text = place.text(&format!("train {SMALL} --games 60"));
    for part in [
        "runs/003/model",
        "| greedy:value=runs/003 |",
        "tensorboard --logdir runs",
        "afterstate play greedy:value=runs/003",
        "--resume --name 003 --games 120",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(place.text(&format!("info {model}")).contains("300 games"));
}

#[test]
fn signals_save_and_resuming_goes_on() {
    let place = Place::new();
    let run = place.path("runs/long");
    let mut line = format!("train {SMALL} --games 1000000 --name long");
    let mut trained = 0;
    for name in ["INT", "TERM", "INT"] {
        let mut program = place.start(&line);
        let points = logged_games(&run).len();
        wait_until("points of the curves", || {
            let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap_or_default();
            text.lines().count() > points + 2
        });
        program.signal(name);
        let output = program.output();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("saved in runs/long/checkpoint") && text.contains("--resume --name long"),
            "{text}"
        );
        let info = place.json("info runs/long --json");
        assert_eq!(info["kind"], "checkpoint");
        let games = info["provenance"]["games"].as_u64().expect("a number");
        assert!(games > trained);
        trained = games;
        line = "train --resume --name long".to_owned();
    }
    // Its model is of an earlier time once it is resumed: the folder then means the checkpoint.
    let games = trained + 20;
    place.json(&format!("train --resume --games {games} --json"));
    assert_eq!(place.json("info runs/long --json")["kind"], "model");
    let mut program = place.start("train --resume --games 1000000 --runs runs");
    wait_until("more points", || {
        logged_games(&run).last() > Some(&(games + 500))
    });
    program.signal("INT");
    assert_eq!(program.output().status.code(), Some(130));
    let info = place.json("info runs/long --json");
    assert_eq!(
        (&info["kind"], &info["run"]["games"]),
        (&"checkpoint".into(), &1_000_000.into())
    );
    let trained = info["provenance"]["games"].as_u64().expect("a number");
    // The checkpoint can be played from.
    let eval = place.json("eval greedy:value=runs/long --games 10 --json");
    assert!(eval["agents"][0]["score"]["mean"].as_f64() > Some(1_000.0));

    let games = trained + 120;
    let output = place.json(&format!(
        "train --resume --games {games} --threads 2 --checkpoint-every 1m --json"
    ));
    assert_eq!(output["games"], games);
    let points = logged_games(&run);
    assert!(
        points.windows(2).all(|pair| pair[0] < pair[1]),
        "{points:?}"
    );
    assert_eq!(points.last(), Some(&games));
    // Every process began an event file of its own, in the order of the names.
    let events = files(&run, "events.out.tfevents.");
    assert_eq!(
        events
            .iter()
            .filter(|name| name.ends_with(".training"))
            .count(),
        6
    );
    assert_eq!(
        events
            .iter()
            .filter(|name| name.contains(".evaluation-"))
            .count(),
        2
    );
    assert!(
        place
            .text("info runs/long/checkpoint")
            .contains(&format!("{games} games"))
    );
}

#[test]
fn other_boards_train_by_name_and_by_file() {
    let place = Place::new();
    let small = place.json("train --rules 3x3 --games 200 --threads 1 --eval-games 50 --json");
    assert_eq!(small["evaluation"]["rules"], "3x3");
    let rules = "rows = 2\ncolumns = 4\ntarget = 64\n[[spawn]]\ntile = 2\nprobability = 0.5\n[[spawn]]\ntile = 8\nprobability = 0.5\n";
    fs::write(place.path("odd.toml"), rules).expect("written");
    let odd = place.json("train --rules odd.toml --games 200 --threads 1 --eval-games 50 --json");
    assert_eq!(
        odd["evaluation"]["rules"],
        "2x4, spawns 2:0.5 8:0.5, target 64"
    );
    assert_eq!(odd["evaluation"]["target"], 64);
    // The model remembers its game; on another with the same board it can be played too.
    let own = place.json("eval greedy:value=runs/002 --games 20 --json");
    assert_eq!(own["rules"], odd["evaluation"]["rules"]);
    let usual = place.json("eval greedy:value=runs/002 --rules 2x4 --games 20 --json");
    assert_eq!(usual["rules"], "2x4");
    place.fails(
        "eval greedy:value=runs/002 --rules 4x4",
        1,
        &["is for 2x4 boards, the game is on 4x4"],
    );
}

#[test]
fn numbers_go_on_past_names_that_are_hardly_numbers() {
    let place = Place::new();
    let train = "train --patterns 01 --threads 1 --games 5 --eval-games 0 --json";
    place.json(&format!("{train} --name 4294967295"));
    for number in ["4294967296", "4294967297"] {
        assert_eq!(place.json(train)["run"], format!("runs/{number}"));
    }
}

#[test]
fn players_are_measured_on_the_way_and_runs_are_drawn() {
    let place = Place::new();
    let line =
        "train --patterns 0123 --threads 1 --seed 3 --games 1050 --log-every 100 --eval-games 50";
    let trained = place.json(&format!("{line} --eval-every 300 --name measured --json"));
    let plain = place.json(&format!("{line} --name plain --json"));
    assert_eq!(trained["model_hash"], plain["model_hash"]);
    assert_eq!(plain["best_model"], serde_json::Value::Null);
    let text = std::fs::read_to_string(place.path("runs/measured/evaluations.jsonl"));
    let text = text.expect("measurements");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let points: Vec<serde_json::Value> = lines.collect();
    let games: Vec<_> = points.iter().map(|at| at["games"].as_u64()).collect();
    assert_eq!(games, [300, 600, 900, 1050].map(Some));
    let last = &points[3];
    assert_eq!(
        last["mean_score"],
        trained["evaluation"]["agents"][0]["score"]["mean"]
    );

    // The best player is the one that is said to be.
    let score = |at: &serde_json::Value| at["mean_score"].as_f64().expect("a number");
    let best = points.iter().map(score).fold(0.0, f64::max);
    assert_eq!(trained["best_model"], "runs/measured/best");
    let again = place.json("eval greedy:value=runs/measured/best --games 50 --seed 3 --json");
    assert_eq!(again["agents"][0]["score"]["mean"], best);

    let drawn = place.text("plot measured=runs/measured runs/plain --out curves");
    assert_eq!(drawn.lines().count(), 6);
    let svg = std::fs::read_to_string(place.path("curves/learning-games.svg")).expect("a figure");
    assert_eq!(svg.matches("<circle").count(), 4 + 1);
    for part in [
        "games trained",
        "measured",
        "plain: 4x4, 0123, tc 1, 1 thread, seed 3",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    place.text("plot");
    assert_eq!(files(&place.path("runs/plain"), "learning").len(), 6);

    place.fails(
        "train --eval-every 10 --eval-games 0",
        2,
        &["eval_games is 0"],
    );
    // Whoever goes on measures on the way, too.
    place.text("train --resume --name plain --games 1300 --eval-every 100");
    let text = std::fs::read_to_string(place.path("runs/plain/evaluations.jsonl")).expect("them");
    assert_eq!(text.lines().count(), 4, "{text}");
}
