//! Matches compared, and reports of them.

mod common;

use common::{Place, files, wait_until};

#[test]
fn agents_are_compared_and_a_target_is_timed() {
    let place = Place::new();
    let agents = "greedy:value=heuristic random priority:order=drlu";
    let report = place.json(&format!("eval {agents} --games 60 --target 256 --json"));
    assert_eq!(report["target"], 256);
    let pairs = report["comparisons"].as_array().expect("comparisons");
    let names: Vec<_> = pairs
        .iter()
        .map(|pair| (pair["a"].as_str(), pair["b"].as_str()))
        .collect();
    let [heuristic, random, priority] =
        ["greedy:value=heuristic", "random", "priority:order=drlu"].map(Some);
    assert_eq!(
        names,
        [
            (heuristic, random),
            (heuristic, priority),
            (random, priority)
        ]
    );
    let mean = |agent: usize| {
        report["agents"][agent]["score"]["mean"]
            .as_f64()
            .expect("a number")
    };
    let difference = pairs[0]["mean_difference"].as_f64().expect("a number");
    assert!((difference - (mean(0) - mean(1))).abs() < 1e-6);
    assert!(pairs[0]["ci95"][0].as_f64() > Some(0.0) && pairs[2]["ci95"][1].as_f64() < Some(0.0));
    assert!(
        pairs[0]["p_a_beats_b"].as_f64() > Some(0.99)
            && pairs[2]["p_a_beats_b"].as_f64() < Some(0.4)
    );
    let moves = |agent: usize| report["agents"][agent]["moves_to_target"]["mean"].as_f64();
    assert!(moves(0) > Some(90.0) && moves(0) < report["agents"][0]["moves"]["mean"].as_f64());
    let ends = report["agents"][1]["end_tiles"].as_object().expect("tiles");
    let sum: f64 = ends.values().filter_map(serde_json::Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-9);

    let table = place.text(&format!("eval {agents} --games 60 --target 256"));
    assert!(table.contains("moves to 256"), "{table}");
    assert_eq!(
        table
            .lines()
            .filter(|line| line.starts_with("greedy:value=heuristic against "))
            .count(),
        2,
        "{table}"
    );
    place.fails("eval random --target 100", 2, &["target is 100"]);
}

#[test]
fn a_match_is_the_sum_of_its_parts() {
    let place = Place::new();
    let mean = |more: &str| {
        let report = place.json(&format!("eval greedy:value=zero --seed 4 --json {more}"));
        report["agents"][0]["score"]["mean"]
            .as_f64()
            .expect("a number")
    };
    let whole = mean("--games 100");
    let parts = mean("--games 40") * 40.0 + mean("--games 60 --first-game 40 --threads 3") * 60.0;
    assert!((whole * 100.0 - parts).abs() < 1e-6, "{whole} {parts}");
}

#[test]
fn a_report_is_written_into_a_folder() {
    let place = Place::new();
    place.text("train --patterns 012 --threads 1 --games 40 --eval-games 0 --name small");
    let line = "eval greedy:value=runs/small greedy:value=zero random --games 20 --seed 3 --out reports/first";
    let printed = place.json(&format!("{line} --json"));
    let folder = place.path("reports/first");
    let figures = [
        "end-tiles",
        "reach",
        "scores",
        "scores-cumulative",
        "scores-quantiles",
    ];
    let mut expected = vec![
        "games.csv".to_owned(),
        "report.json".to_owned(),
        "report.md".to_owned(),
    ];
    expected.extend(
        figures
            .iter()
            .flat_map(|name| [".png", ".svg"].map(|end| (*name).to_owned() + end)),
    );
    expected.sort();
    assert_eq!(files(&folder, ""), expected);
    let json = std::fs::read_to_string(folder.join("report.json")).expect("JSON");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&json).expect("JSON"),
        printed
    );
    let hash = printed["models"]["runs/small"]
        .as_str()
        .expect("a hash")
        .to_owned();
    assert_eq!(place.json("info runs/small --json")["hash"], hash.as_str());

    let text = std::fs::read_to_string(folder.join("report.md")).expect("Markdown");
    for part in [
        "# 4x4 games",
        "| mean score",
        &format!("afterstate {line} --json"),
        &hash,
        "greedy:value=runs/small against random",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let csv = std::fs::read_to_string(folder.join("games.csv")).expect("CSV");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[0],
        "agent,seed,game,score,moves,largest_tile,moves_to_target,seconds"
    );
    assert_eq!(rows.len(), 61);
    let scores = rows[41..].iter().map(|row| {
        row.split(',')
            .nth(3)
            .and_then(|score| score.parse::<f64>().ok())
    });
    let sum: f64 = scores.map(|score| score.expect("a score")).sum();
    assert!(
        (sum / 20.0
            - printed["agents"][2]["score"]["mean"]
                .as_f64()
                .expect("a number"))
        .abs()
            < 1e-6
    );

    // Again into the same folder, but not among other files.
    place.text("eval random --games 5 --out reports/first");
    std::fs::write(place.path("reports/notes.txt"), "mine").expect("written");
    place.fails(
        "eval random --games 5 --out reports",
        2,
        &["reports holds", "choose a new folder"],
    );
    place.fails(
        "eval random --games 5 --out reports/notes.txt",
        1,
        &["cannot write the report to reports/notes.txt"],
    );
}

#[test]
fn figures_are_drawn_again_from_saved_reports() {
    let place = Place::new();
    place.text("eval random greedy:value=zero --games 20 --out first");
    place.text("eval priority:order=drlu --games 30 --out second --log-axis");
    let figure = |path: &str| std::fs::read(place.path(path)).expect("a figure");
    let names = files(&place.path("first"), "");
    for name in names.iter().filter(|name| name.ends_with("svg")) {
        let (first, second) = (format!("first/{name}"), format!("second/{name}"));
        let before = figure(&first);
        std::fs::write(place.path(&first), "").expect("written");
        place.text("plot first");
        assert!(figure(&first) == before, "{name}");
        let before = figure(&second);
        place.text("plot second");
        // Only the axes of scores change.
        assert_eq!(figure(&second) == before, !name.starts_with("scores"));
        place.text("plot second --log-axis");
        assert!(figure(&second) == before, "{name}");
    }
    let printed = place.text("plot first second --out all --log-axis");
    assert_eq!(printed.lines().count(), 10);
    let all = String::from_utf8(figure("all/reach.svg")).expect("text");
    for agent in [
        "random, 20",
        "greedy:value=zero, 20",
        "priority:order=drlu, 30",
    ] {
        assert!(all.contains(agent), "{agent}");
    }

    place.text("eval random --games 5 --rules 3x3 --out small");
    place.fails("plot first small --out all", 2, &["4x4 and 3x3"]);
    place.fails("plot first second", 2, &["--out"]);
    place.fails("plot name=first", 2, &["no label"]);
    place.fails("plot missing", 2, &["missing is neither a run"]);
    place.fails("plot", 2, &["there is no run in runs"]);
    let csv = std::fs::read_to_string(place.path("first/games.csv")).expect("CSV");
    let shorter: Vec<&str> = csv.lines().take(30).collect();
    for (content, part) in [
        (shorter.join("\n"), "fewer games"),
        (csv.replace("random", "rondam"), "not in its place"),
        (csv.replace(",1,0,", ",1,x,"), "games.csv"),
        (format!("{csv}random,1,20,4,5,8,,0.1\n"), "more games"),
    ] {
        std::fs::write(place.path("first/games.csv"), content).expect("written");
        place.fails("plot first", 1, &["cannot read first/games.csv", part]);
    }
    std::fs::write(place.path("first/report.json"), "{}").expect("written");
    place.fails("plot first", 1, &["first/report.json", "no report"]);
}

#[test]
#[cfg(unix)]
fn an_interrupted_match_reports_the_games_before_the_first_unfinished_one() {
    let place = Place::new();
    let mut running =
        place.start("eval greedy:value=heuristic --games 1000000 --seed 2 --out report --json");
    wait_until("the folder", || place.path("report").exists());
    std::thread::sleep(std::time::Duration::from_millis(700));
    running.signal("INT");
    let output = running.output();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["interrupted"], true);
    let games = report["agents"][0]["games"].as_u64().expect("games");
    assert!(games > 0 && games < 1_000_000);
    let again = place.json(&format!(
        "eval greedy:value=heuristic --games {games} --seed 2 --json"
    ));
    assert_eq!(again["agents"][0]["score"], report["agents"][0]["score"]);
    let csv = std::fs::read_to_string(place.path("report/games.csv")).expect("CSV");
    assert_eq!(csv.lines().count() as u64, games + 1);
}
