//! Measuring and watching: `eval`, `play` and `info`.

mod common;

use common::{Place, files, wait_until};

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
    for command in ["train", "eval", "info", "play", "bench"] {
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

#[test]
fn hand_made_players_need_no_model() {
    let place = Place::new();
    let agents = "priority:order=drlu greedy:value=heuristic greedy:value=rowtable expectimax:value=heuristic,depth=2";
    let report = place.json(&format!("eval {agents} --games 30 --seed 2 --json"));
    let of = |agent: usize| &report["agents"][agent];
    let mean = |agent: usize| of(agent)["score"]["mean"].as_f64().expect("a number");
    assert!(mean(1) > 2.0 * mean(0), "{} {}", mean(1), mean(0));
    assert!(mean(3) > 1.5 * mean(1), "{} {}", mean(3), mean(1));
    assert_eq!(of(0)["search"]["depth"], 0.0);
    assert_eq!(of(1)["search"]["depth"], 1.0);
    assert_eq!(of(3)["search"]["depth"], 2.0);
    assert!(of(3)["search"]["nodes"].as_f64() > of(1)["search"]["nodes"].as_f64());

    std::fs::write(
        place.path("blind.toml"),
        "empty = 0\nmonotonicity = 0\nsmoothness = 0\nmerges = 0\n",
    )
    .expect("written");
    let blind = place.json("eval greedy:value=heuristic@blind.toml --games 30 --seed 2 --json");
    assert!(blind["agents"][0]["score"]["mean"].as_f64() < Some(mean(1) / 2.0));
}

#[test]
fn hand_made_players_play_every_board() {
    let place = Place::new();
    let eights = "spawn = [{ tile = 2, probability = 0.8 }, { tile = 4, probability = 0.1 }, { tile = 8, probability = 0.1 }]";
    std::fs::write(place.path("eights.toml"), eights).expect("written");
    for rules in ["2x2", "3x3", "2x5", "5x5", "eights.toml"] {
        let games = if rules == "5x5" { 1 } else { 5 };
        let agents = match rules {
            // Long games.
            "5x5" | "eights.toml" => "greedy:value=rowtable priority:order=lurd",
            _ => {
                "expectimax:value=rowtable,depth=2 expectimax:value=heuristic,depth=2,samples=2 priority:order=lurd"
            }
        };
        let report = place.json(&format!(
            "eval {agents} --rules {rules} --games {games} --json"
        ));
        for agent in report["agents"].as_array().expect("agents") {
            assert_eq!(agent["games"], games, "{rules}");
            assert!(agent["score"]["mean"].as_f64() > Some(0.0), "{rules}");
        }
    }
}

#[test]
fn decisions_are_explained_line_by_line() {
    let place = trained();
    let agents = "greedy:value=runs/small expectimax:value=runs/small,depth=2 random";
    let report = place.json(&format!(
        "eval {agents} --games 3 --threads 2 --explain log.jsonl --json"
    ));
    let text = std::fs::read_to_string(place.path("log.jsonl")).expect("a log");
    assert_eq!(files(&place.path(""), "log.jsonl"), ["log.jsonl"]);
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    for agent in report["agents"].as_array().expect("agents") {
        let own: Vec<_> = lines
            .iter()
            .filter(|line| line["agent"] == agent["agent"])
            .collect();
        let moves = agent["moves"]["mean"].as_f64().expect("a number") * 3.0;
        assert_eq!(own.len() as f64, moves.round());
        for line in own {
            let chosen = line["chosen"].as_str().expect("a direction");
            let values = line["values"].as_object().expect("values");
            assert!(values.contains_key(chosen), "{line}");
            assert!(line["seconds"].as_f64() > Some(0.0));
            if agent["agent"] == "random" {
                assert!(values.values().all(serde_json::Value::is_null));
                continue;
            }
            let best = values
                .values()
                .filter_map(serde_json::Value::as_f64)
                .fold(f64::MIN, f64::max);
            assert_eq!(values[chosen].as_f64(), Some(best), "{line}");
            assert!(line["nodes"].as_u64() > line["leaves"].as_u64());
        }
    }
    let first = lines
        .iter()
        .find(|line| line["game"] == 2 && line["move"] == 1)
        .expect("a first move");
    assert_eq!(
        first["board"]
            .as_str()
            .map(|board| board.matches('/').count()),
        Some(3)
    );

    // The same game, watched.
    place.text("play expectimax:value=runs/small,depth=2 --moves 5 --explain game.jsonl");
    let watched = std::fs::read_to_string(place.path("game.jsonl")).expect("a log");
    let boards = |text: &str| -> Vec<String> {
        let objects = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"));
        let of_game = objects.filter(|line| {
            line["game"] == 0 && line["agent"] == "expectimax:value=runs/small,depth=2"
        });
        of_game
            .map(|line| line["board"].to_string())
            .take(5)
            .collect()
    };
    assert_eq!(watched.lines().count(), 5);
    assert_eq!(boards(&watched), boards(&text));
}

#[test]
fn search_visits_the_same_nodes_as_ever() {
    let place = Place::new();
    let bench = place.json("bench --json");
    let nodes = bench["agents"].as_array().expect("agents").iter();
    let nodes: Vec<_> = nodes
        .map(|agent| {
            (
                agent["agent"].as_str().expect("a name").to_owned(),
                agent["nodes"].as_u64(),
            )
        })
        .collect();
    // A change that is not meant to change the search may not change these.
    let signature = SIGNATURE.map(|(agent, nodes)| (agent.to_owned(), Some(nodes)));
    assert_eq!(nodes, signature);
    for agent in bench["agents"].as_array().expect("agents") {
        assert!(agent["moves_per_second"].as_f64() > Some(0.0));
        assert!(agent["leaves_per_second"].as_f64() > Some(0.0));
        assert_eq!(agent["positions"], 63);
    }
    let table = place.text("bench greedy:value=heuristic");
    assert!(
        table.contains("| nodes ") && table.contains("| leaves/s "),
        "{table}"
    );

    std::fs::write(place.path("own.txt"), "# two\n2 0/0 2\n\n2 4/4 4  # full\n").expect("written");
    let own = place.json(
        "bench expectimax:value=zero,goal=moves,depth=9 --rules 2x2 --positions own.txt --json",
    );
    assert_eq!(own["agents"][0]["positions"], 2);
}

/// The nodes of the usual searches on the usual positions.
const SIGNATURE: [(&str, u64); 3] = [
    ("expectimax:value=rowtable,depth=4", 2_611_945),
    ("expectimax:value=heuristic,depth=3", 205_219),
    ("expectimax:value=zero,depth=3", 205_219),
];

#[test]
#[cfg(unix)]
fn a_long_search_is_broken_off() {
    let place = Place::new();
    for command in ["eval", "play"] {
        // Searched to this depth, the first move would take years.
        let name = format!("{command}.jsonl");
        std::fs::write(place.path(&name), "{\"agent\":\"of old\"}\n").expect("written");
        let line = format!("{command} expectimax:value=rowtable,depth=40 --explain {name}");
        let mut running = place.start(&line);
        wait_until("the search", || files(&place.path(""), &name).len() == 2);
        // The log is begun just before signals are caught.
        std::thread::sleep(std::time::Duration::from_millis(500));
        running.signal("INT");
        let output = running.output();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        // A decision that was broken off is no decision, and a log that is not whole takes no other's place.
        let old = std::fs::read_to_string(place.path(&name)).expect("a log");
        assert_eq!(old, "{\"agent\":\"of old\"}\n");
        let kept = files(&place.path(""), &name);
        let begun = kept
            .iter()
            .find(|file| file.ends_with(".partial"))
            .expect("a partial log");
        assert_eq!(
            std::fs::read_to_string(place.path(begun)).expect("a log"),
            ""
        );
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(begun), "{told}");
    }
}

#[test]
#[cfg(unix)]
fn a_log_takes_the_place_of_a_log_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = trained();
    place.text("eval random --games 1 --explain log.jsonl");
    let mode = |mode| {
        std::fs::set_permissions(place.path("log.jsonl"), PermissionsExt::from_mode(mode))
            .expect("set")
    };
    mode(0o600);
    std::os::unix::fs::symlink("log.jsonl", place.path("link")).expect("a link");
    let before = std::fs::read(place.path("log.jsonl")).expect("a log");
    place.text("eval random --games 1 --seed 9 --explain link");
    // The link is followed, and the file stays as private as it was.
    assert!(place.path("link").is_symlink());
    assert_ne!(
        std::fs::read(place.path("log.jsonl")).expect("a log"),
        before
    );
    let metadata = place.path("log.jsonl").metadata().expect("a file");
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    mode(0o400);
    place.fails(
        "eval random --games 1 --explain log.jsonl",
        1,
        &["log.jsonl", "read-only"],
    );
    place.fails(
        "play greedy:value=runs/small --moves 1 --explain runs/small/model",
        1,
        &["runs/small/model", "no log of decisions"],
    );
    place.text("info runs/small/model");
    let shown = place.text("play random --moves 2 --explain /dev/stdout");
    assert!(shown.contains("{\"agent\":\"random\""), "{shown}");
    assert!(std::path::Path::new("/dev/stdout").is_symlink());
}
