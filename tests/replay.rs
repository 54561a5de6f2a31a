//! Games recorded and shown again.

mod common;

use common::{Place, files, wait_until};

#[test]
fn recorded_games_are_replayed() {
    let place = Place::new();
    let agents = "greedy:value=zero random";
    let report = place.json(&format!(
        "eval {agents} --games 60 --seed 7 --threads 1 --record games.rec --json"
    ));
    // Whatever the threads, the same games in the same order, and over an earlier record.
    let first = std::fs::read(place.path("games.rec")).expect("a record");
    for threads in ["2", "3"] {
        place.text(&format!(
            "eval {agents} --games 60 --seed 7 --threads {threads} --record games.rec"
        ));
        let again = std::fs::read(place.path("games.rec")).expect("a record");
        // Their commands differ.
        assert!(again.ends_with(&first[400..]), "{threads} threads");
    }
    assert_eq!(files(&place.path("."), ""), ["games.rec"]);

    let best = report["agents"][0]["score"]["max"].to_string();
    let shown = place.text("play --replay games.rec");
    let end = |text: &str| text.lines().last().map(str::to_owned).expect("a line");
    let score = best.trim_end_matches(".0");
    assert!(
        end(&shown).starts_with(&format!("Game over: score {score}, ")),
        "{}",
        end(&shown)
    );
    assert!(shown.contains("greedy:value=zero, game "));
    // Every move is there, and the same as when the game is played.
    let replayed = place.text("play random --replay games.rec --game 0");
    let played = place.text("play random --seed 7");
    assert_eq!(end(&replayed), end(&played));
    let boards = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with(['+', '|']));
        lines.map(str::to_owned).collect()
    };
    assert!(boards(&replayed).len() > 300);
    assert_eq!(boards(&replayed), boards(&played));
    let stopped = place.text("play random --replay games.rec --game worst --moves 5");
    assert!(end(&stopped).contains("5 moves"), "{stopped}");

    place.fails("play --replay games.rec --game 3", 2, &["name one of"]);
    place.fails(
        "play random --replay games.rec --game 60",
        2,
        &["games 0 to 59"],
    );
    place.fails(
        "play priority --replay games.rec",
        2,
        &["no games of priority", agents],
    );
    place.fails(
        "play --replay missing.rec",
        1,
        &["cannot replay missing.rec"],
    );
}

#[test]
fn records_of_other_rules_are_replayed_by_them() {
    let place = Place::new();
    let rules =
        "rows = 3\nspawn = [{ tile = 2, probability = 0.5 }, { tile = 8, probability = 0.5 }]";
    std::fs::write(place.path("odd.toml"), rules).expect("written");
    place.text("eval random --rules odd.toml --games 30 --record games.rec");
    let replayed = place.text("play --replay games.rec --game 0");
    let played = place.text("play random --rules odd.toml");
    assert_eq!(replayed.lines().last(), played.lines().last());
}

#[test]
fn what_is_no_record_is_neither_read_nor_replaced() {
    let place = Place::new();
    std::fs::write(place.path("notes.txt"), "my notes").expect("written");
    place.fails(
        "eval random --games 2 --record notes.txt",
        1,
        &["cannot write the record to notes.txt", "is no record"],
    );
    place.fails("play --replay notes.txt", 1, &["is not a record"]);
    place.fails(
        "eval random --games 2 --record missing/games.rec",
        1,
        &["cannot write the record"],
    );
    place.text("eval random --games 2 --record games.rec");
    let whole = std::fs::read(place.path("games.rec")).expect("a record");
    std::fs::write(place.path("games.rec"), &whole[..whole.len() - 5]).expect("written");
    place.fails("play --replay games.rec", 1, &["cut short"]);
    let mut damaged = whole.clone();
    let middle = damaged.len() - 40;
    damaged[middle] ^= 1;
    std::fs::write(place.path("games.rec"), damaged).expect("written");
    place.fails("play --replay games.rec", 1, &["damaged"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_match_leaves_a_record_of_whole_games() {
    let place = Place::new();
    let mut running = place.start("eval random --games 100000000 --record games.rec --json");
    let growing = || files(&place.path("."), "games.rec").len() == 1;
    wait_until("the record", growing);
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal("INT");
    let output = running.output();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let games = report["agents"][0]["games"].as_u64().expect("games");
    assert!(games > 0);
    let last = games - 1;
    place.text(&format!("play --replay games.rec --game {last} --moves 1"));
    let beyond = format!("games 0 to {last}");
    let line = format!("play --replay games.rec --game {games}");
    place.fails(&line, 2, &[&beyond]);

    // A whole record is worth more than one that was broken off, or than none.
    let before = std::fs::read(place.path("games.rec")).expect("a record");
    for agent in ["random", "expectimax:value=heuristic,depth=5"] {
        let line = format!("eval {agent} --games 100000000 --record games.rec");
        let mut running = place.start(&line);
        wait_until("the record", || {
            files(&place.path("."), "games.rec").len() >= 2
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
        running.signal("INT");
        assert_eq!(running.output().status.code(), Some(130));
        let after = std::fs::read(place.path("games.rec")).expect("a record");
        assert!(before == after);
        for name in files(&place.path("."), "games.rec") {
            if name != "games.rec" {
                place.text(&format!("play --replay {name} --moves 1"));
                std::fs::remove_file(place.path(&name)).expect("removed");
            }
        }
    }
    place.fails(
        "eval random --games 2 --record games.rec --explain games.rec",
        2,
        &["name the same file"],
    );
}
