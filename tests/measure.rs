//! Measuring and watching: `eval`, `play` and `info`.

mod common;

use common::Place;

fn trained() -> Place {
    let place = Place::new();
    place.text("train --patterns 5x4 --threads 1 --games 400 --eval-games 0 --name small");
    place
}

#[test]
fn evaluation_says_the_same_for_any_number_of_threads() {
    let place = trained();
    let eval = |threads: u32| {
        let line = format!(
            "eval greedy:value=runs/small random --games 60 --seed 3 --threads {threads} --json"
        );
        let mut output = place.json(&line);
        for agent in output["agents"].as_array_mut().expect("agents") {
            agent["moves_per_second"].take();
        }
        output["agents"].take()
    };
    let agents = eval(1);
    assert_eq!(eval(2), agents);
    assert_eq!(eval(3), agents);
    assert_eq!(agents[0]["agent"], "greedy:value=runs/small");
    assert_eq!(agents[1]["agent"], "random");
    let mean = |agent: usize| agents[agent]["score"]["mean"].as_f64().expect("a number");
    assert!(mean(0) > 2.0 * mean(1), "{} {}", mean(0), mean(1));
    for agent in agents.as_array().expect("agents") {
        let (low, high) = (&agent["score"]["ci95"][0], &agent["score"]["ci95"][1]);
        let mean = &agent["score"]["mean"];
        assert!(low.as_f64() < mean.as_f64() && mean.as_f64() < high.as_f64());
        assert_eq!(agent["reach"]["8"]["rate"], 1.0);
    }
}

#[test]
fn without_agents_the_latest_player_is_measured() {
    let place = trained();
    let table = place.text("eval --games 20");
    assert!(
        table.contains("greedy:value=runs/small ") && table.contains("random"),
        "{table}"
    );
    let empty = Place::new();
    let table = empty.text("eval --games 20");
    assert!(table.contains(" random |"), "{table}");
}

#[test]
fn a_game_is_shown_with_the_value_of_each_move() {
    let place = trained();
    let game = place.text("play greedy:value=runs/small --seed 4");
    assert_eq!(place.text("play --seed 4"), game);
    assert_ne!(place.text("play --seed 5"), game);
    let last = game.lines().last().expect("lines");
    assert!(last.starts_with("Game over: score "), "{last}");
    let boards = game.matches(": move ").count();
    let chosen = game.lines().filter(|line| line.starts_with("> ")).count();
    assert_eq!(boards, chosen + 1);
    // Tile values, not ranks: no 1 and no 3 stands in a cell.
    let tiles: std::collections::BTreeSet<u64> = game
        .lines()
        .filter(|line| line.starts_with('|'))
        .flat_map(|line| line.split('|').filter_map(|cell| cell.trim().parse().ok()))
        .collect();
    assert!(
        tiles.len() > 5 && tiles.iter().all(|tile| *tile > 1 && tile.is_power_of_two()),
        "{tiles:?}"
    );
    let stopped = place.text("play random --moves 3 --rules 2x3");
    assert!(
        stopped.contains("Stopped: score") && stopped.contains(", 3 moves"),
        "{stopped}"
    );
}

#[test]
fn info_describes_models_checkpoints_and_runs() {
    let place = trained();
    for (path, kind) in [
        ("runs/small", "model"),
        ("runs/small/model", "model"),
        ("runs/small/checkpoint", "checkpoint"),
        ("", "model"),
    ] {
        let info = place.json(&format!("info {path} --json"));
        assert_eq!(info["kind"], kind);
        assert_eq!(info["rules"], "4x4");
        assert_eq!(info["patterns"], "5x4");
        assert_eq!(info["weights"], 5 * 65_536);
        assert!(info["nonzero_weights"].as_u64() > Some(1_000));
        assert_eq!(info["provenance"]["games"], 400);
        assert!(
            info["provenance"]["command"]
                .as_str()
                .is_some_and(|text| text.starts_with("afterstate train --patterns 5x4"))
        );
    }
    let text = place.text("info");
    for part in ["5 tables, 40 look-ups", "400 games", "step_size = \"tc\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn help_is_what_a_bare_call_prints() {
    let place = Place::new();
    let help = place.text("");
    for command in ["train", "eval", "info", "play"] {
        assert!(help.contains(command), "{help}");
    }
    assert!(place.text("train --help").contains("[default: 50000]"));
    assert!(place.text("--version").starts_with("afterstate "));
}

#[test]
fn another_target_is_counted_by_the_same_player() {
    let place = Place::new();
    std::fs::write(place.path("low.toml"), "target = 4\n").expect("written");
    let report = place.json("eval random --rules low.toml --games 50 --json");
    assert_eq!(
        (&report["target"], &report["rules"]),
        (&4.into(), &"4x4, target 4".into())
    );
    assert_eq!(report["agents"][0]["reach"]["4"]["rate"], 1.0);
    let usual = place.json("eval random --games 50 --json");
    assert_eq!(usual["agents"][0]["score"], report["agents"][0]["score"]);
    // The model remembers the target.
    place.text("train --rules low.toml --patterns 012 --games 20 --threads 1 --eval-games 0");
    assert_eq!(
        place.json("eval greedy:value=runs/001 --games 5 --json")["target"],
        4
    );
}
