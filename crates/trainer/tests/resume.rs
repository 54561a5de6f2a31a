//! Stopping and resuming leaves no trace: on one thread the run is the uninterrupted one, bit for bit.

use engine::{Classic, Rules, Variant};
use network::{Indexed, Provenance};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trainer::{
    BEST, End, Evaluation, Metrics, Progress, Run, Starts, StepSizeRule, Target, TrainConfig,
    TrainError, Updates, stored_config,
};

fn config(rules: Rules, step_size: StepSizeRule, games: u64) -> TrainConfig {
    let config = TrainConfig {
        games,
        threads: Some(1),
        patterns: (rules.is_classic()).then(|| "0123 4567 0145".to_owned()),
        step_size,
        log_every: 100,
        rules,
        ..TrainConfig::default()
    };
    config.resolve().expect("a configuration")
}

/// Trains until so many more games are finished, or to the end. It stops within the game after that.
fn train<G: Indexed>(mut run: Run<G>, stop_after: Option<u64>) -> End {
    let interrupted = AtomicBool::new(false);
    let before = run.summary().games;
    let end = run.train(&interrupted, &mut |progress| match progress {
        Progress::Playing { games, .. } => {
            let stop = stop_after.is_some_and(|more| games >= before + more);
            interrupted.fetch_or(stop, Relaxed);
        }
        Progress::Saving(_) => (),
        Progress::Warning(text) => panic!("{text}"),
    });
    let end = end.expect("training");
    if end == End::Complete {
        run.save_model().expect("saved");
    }
    end
}

/// The numbers of a file: all but the header, which holds times, and the checksum.
fn tables(path: &Path, numbers: usize) -> Vec<u8> {
    let bytes = fs::read(path).expect("a file");
    bytes[bytes.len() - 8 - 4 * numbers..bytes.len() - 8].to_vec()
}

/// The curves without what depends on the clock.
fn curves(folder: &Path) -> Vec<Metrics> {
    let text = fs::read_to_string(folder.join("metrics.jsonl")).expect("metrics");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("metrics"));
    let timeless = |metrics: Metrics| Metrics {
        seconds: 0.0,
        moves_per_second: 0.0,
        ..metrics
    };
    lines.map(timeless).collect()
}

fn check<G: Indexed>(game: &G, config: TrainConfig) {
    let runs = tempfile::tempdir().expect("a folder");
    let (straight, stopped) = (runs.path().join("straight"), runs.path().join("stopped"));
    let new = |path: &Path| {
        Run::create(path, config.clone(), game, Provenance::default()).expect("a run")
    };
    let run = new(&straight);
    let entries = run.network().entries() as usize;
    assert_eq!(train(run, None), End::Complete);

    let mut stops = 0_u64;
    let mut end = train(new(&stopped), Some(150));
    while end == End::Interrupted {
        stops += 1;
        let stored = stored_config(&stopped).expect("a run");
        assert_eq!(stored, config);
        let run = Run::resume(&stopped, stored, game, Provenance::default()).expect("a run");
        end = train(run, Some(150 + 10 * stops));
    }
    assert!(stops >= 3, "stopped only {stops} times: nothing was tested");

    assert!(tables(&straight.join("model"), entries) == tables(&stopped.join("model"), entries));
    let numbers = match config.step_size {
        StepSizeRule::Constant => entries,
        StepSizeRule::Tc | StepSizeRule::Switch(_) => 3 * entries,
    };
    let of_checkpoint = |folder: &Path| tables(&folder.join("checkpoint"), numbers);
    assert!(of_checkpoint(&straight) == of_checkpoint(&stopped));
    assert_eq!(curves(&straight), curves(&stopped));
    assert_eq!(curves(&straight).len() as u64, config.games / 100);
}

fn start(text: &str) -> Starts {
    text.parse().expect(text)
}

#[test]
fn one_thread_resumes_bit_for_bit() {
    check(&Classic, config(Rules::default(), StepSizeRule::Tc, 2_000));
    check(
        &Classic,
        config(Rules::default(), StepSizeRule::Constant, 2_000),
    );
    let optimistic = TrainConfig {
        initial_value: 5_000.0,
        starts: start("restart"),
        ..config(Rules::default(), StepSizeRule::Switch(0.7), 1_000)
    };
    check(&Classic, optimistic.resolve().expect("a configuration"));
    let staged = TrainConfig {
        stages: "64,128,256+128".parse().expect("stages"),
        starts: start("restart:0.5/carousel:32,64,128,256+128"),
        target: Target::Lambda(0.5),
        ..config(Rules::default(), StepSizeRule::Tc, 1_000)
    };
    check(&Classic, staged);
    for preset in ["quick", "standard", "best"] {
        let preset = TrainConfig::preset(preset).expect(preset);
        let shortened = TrainConfig {
            games: 1_000,
            threads: Some(1),
            patterns: Some("0123 4567 0145".to_owned()),
            log_every: 100,
            eval_every: 0,
            ..preset
        };
        check(&Classic, shortened.resolve().expect("a configuration"));
    }
    for target in [Target::Td, Target::Steps(3)] {
        let backward = TrainConfig {
            target,
            updates: Updates::Backward,
            starts: start("restart"),
            ..config(Rules::default(), StepSizeRule::Tc, 1_000)
        };
        check(&Classic, backward);
    }
    let rules = Rules::sized(3, 3);
    let game = Variant::new(rules.clone()).expect("playable");
    check(&game, config(rules, StepSizeRule::Tc, 2_000));
}

/// After the last game, parts of games that are played again may still go on: stopped then, it is not over.
#[test]
fn what_follows_the_last_game_is_learned_as_well() {
    let runs = tempfile::tempdir().expect("a folder");
    let (straight, stopped) = (runs.path().join("straight"), runs.path().join("stopped"));
    let config = TrainConfig {
        starts: start("restart"),
        // Due after the last game: not before all is over.
        eval_every: 100,
        ..config(Rules::default(), StepSizeRule::Tc, 100)
    };
    let new = |path: &Path| {
        let (config, program) = (config.clone(), Provenance::default());
        Run::create(path, config, &Classic, program).expect("a run")
    };
    let run = new(&straight);
    let entries = run.network().entries() as usize;
    assert_eq!(train(run, None), End::Complete);
    // The stop may come too late, when the machine is busy: then it is tried again.
    let mut tries = 0;
    while train(new(&stopped), Some(100)) == End::Complete {
        tries += 1;
        assert!(tries < 200, "never stopped after the last game");
        fs::remove_dir_all(&stopped).expect("removed");
    }
    assert!(!stopped.join("model").exists());
    let stored = stored_config(&stopped).expect("a run");
    let run = Run::resume(&stopped, stored, &Classic, Provenance::default()).expect("a run");
    assert_eq!(train(run, None), End::Complete);
    let all = |folder: &Path| tables(&folder.join("checkpoint"), 3 * entries);
    assert!(all(&straight) == all(&stopped));
}

#[test]
fn several_threads_resume_with_any_number_of_threads_and_more_games() {
    let runs = tempfile::tempdir().expect("a folder");
    let folder = runs.path().join("run");
    let mut config = config(Rules::default(), StepSizeRule::Tc, 3_000);
    config.threads = Some(3);
    let run = Run::create(&folder, config, &Classic, Provenance::default()).expect("a run");
    assert_eq!(train(run, Some(500)), End::Interrupted);
    for (threads, games) in [(1, 3_000), (2, 3_500), (4, 4_000)] {
        let mut config = stored_config(&folder).expect("a run");
        config.threads = Some(threads);
        config.games = games;
        let run = Run::resume(&folder, config, &Classic, Provenance::default()).expect("a run");
        assert_eq!(train(run, None), End::Complete);
        let points: Vec<u64> = curves(&folder)
            .iter()
            .map(|metrics| metrics.games)
            .collect();
        let expected: Vec<u64> = (1..=games / 100).map(|n| 100 * n).collect();
        assert_eq!(points, expected);
        assert_eq!(stored_config(&folder).expect("a run").games, games);
    }
    let config = stored_config(&folder).expect("a run");
    let complete = Run::resume(&folder, config, &Classic, Provenance::default()).err();
    assert!(matches!(
        complete,
        Some(TrainError::Complete { trained: 4_000 })
    ));
}

#[test]
fn a_folder_belongs_to_one_run_and_one_process() {
    let runs = tempfile::tempdir().expect("a folder");
    let folder = runs.path().join("run");
    let config = config(Rules::default(), StepSizeRule::Tc, 10);
    let new = || Run::create(&folder, config.clone(), &Classic, Provenance::default()).err();
    let resume = || Run::resume(&folder, config.clone(), &Classic, Provenance::default()).err();
    assert!(matches!(resume(), Some(TrainError::NoRun(_))));
    assert!(matches!(stored_config(&folder), Err(TrainError::NoRun(_))));
    let run = Run::create(&folder, config.clone(), &Classic, Provenance::default()).expect("a run");
    assert!(matches!(new(), Some(TrainError::Exists(_))));
    assert!(matches!(resume(), Some(TrainError::InUse(_))));
    // Stopped before its first checkpoint, it starts over.
    drop(run);
    let run = Run::resume(&folder, config.clone(), &Classic, Provenance::default()).expect("a run");
    assert_eq!(train(run, None), End::Complete);
}

#[test]
fn games_under_way_go_on_first_also_on_fewer_threads() {
    let runs = tempfile::tempdir().expect("a folder");
    let (straight, stopped) = (runs.path().join("straight"), runs.path().join("stopped"));
    let mut config = config(Rules::default(), StepSizeRule::Tc, 1_500);
    config.threads = Some(3);
    let run = Run::create(&straight, config, &Classic, Provenance::default()).expect("a run");
    assert_eq!(train(run, Some(500)), End::Interrupted);
    fs::create_dir(&stopped).expect("a folder");
    for file in fs::read_dir(&straight).expect("a folder") {
        let file = file.expect("an entry");
        fs::copy(file.path(), stopped.join(file.file_name())).expect("copied");
    }
    // From here on one thread: with stops and without them the same must come of it.
    let resume = |path: &Path| {
        let mut config = stored_config(path).expect("a run");
        config.threads = Some(1);
        Run::resume(path, config, &Classic, Provenance::default()).expect("a run")
    };
    let run = resume(&straight);
    let entries = run.network().entries() as usize;
    assert_eq!(train(run, None), End::Complete);
    while train(resume(&stopped), Some(2)) == End::Interrupted {
        if logged(&stopped) > 600 {
            assert_eq!(train(resume(&stopped), None), End::Complete);
            break;
        }
    }
    assert!(
        tables(&straight.join("checkpoint"), 3 * entries)
            == tables(&stopped.join("checkpoint"), 3 * entries)
    );
}

fn evaluation(games: u64, mean_score: f64) -> Evaluation {
    Evaluation {
        games,
        moves: 100 * games,
        seconds: 1.0,
        measured: 10,
        mean_score,
        ci95: Some([0.9 * mean_score, 1.1 * mean_score]),
        mean_moves: 100.0,
        reach: [(2048, 0.5)].into(),
    }
}

fn logged(folder: &Path) -> u64 {
    curves(folder).last().map_or(0, |metrics| metrics.games)
}

#[test]
fn what_was_saved_last_decides_how_to_go_on() {
    let runs = tempfile::tempdir().expect("a folder");
    let folder = runs.path().join("run");
    let config = config(Rules::default(), StepSizeRule::Tc, 300);
    let mut run =
        Run::create(&folder, config.clone(), &Classic, Provenance::default()).expect("a run");
    assert_eq!(
        run.train(&AtomicBool::new(false), &mut |_| ())
            .expect("training"),
        End::Complete
    );
    run.record_evaluation(evaluation(300, 1.0))
        .expect("written");
    drop(run);
    let resume = |config: &TrainConfig| {
        Run::resume(&folder, config.clone(), &Classic, Provenance::default())
    };

    // Killed before the model was saved: that is made up for.
    assert_eq!(train(resume(&config).expect("a run"), None), End::Complete);
    assert!(matches!(
        resume(&config).err(),
        Some(TrainError::Complete { trained: 300 })
    ));
    let fewer = TrainConfig {
        games: 200,
        ..config.clone()
    };
    assert!(matches!(
        resume(&fewer).err(),
        Some(TrainError::TooFewGames { started: 300 })
    ));

    // The evaluation of a finished run stays when it is trained further, and goes when it is set back.
    let more = TrainConfig {
        games: 400,
        ..config.clone()
    };
    let evaluations = || {
        let names = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name());
        names
            .filter(|name| name.to_string_lossy().ends_with("evaluation-300"))
            .count()
    };
    assert_eq!(train(resume(&more).expect("a run"), None), End::Complete);
    assert_eq!(evaluations(), 1);

    // Another run's files, and none.
    let file = folder.join("config.toml");
    let text = fs::read_to_string(&file).expect("our own");
    for other in [text.replace("seed = 1", "seed = 2"), "nonsense".to_owned()] {
        fs::write(&file, other).expect("written");
        assert!(matches!(
            stored_config(&folder),
            Err(TrainError::Disagree(_))
        ));
    }
    fs::remove_file(&file).expect("removed");
    assert_eq!(stored_config(&folder).expect("the checkpoint has it"), more);
    fs::remove_file(folder.join("checkpoint")).expect("removed");
    assert!(matches!(stored_config(&folder), Err(TrainError::NoRun(_))));
    fs::write(&file, text).expect("written");
    assert!(matches!(
        resume(&more).err(),
        Some(TrainError::NoCheckpoint(_))
    ));

    // A folder in which nothing was written yet is as good as none.
    let blank = runs.path().join("blank");
    fs::create_dir(&blank).expect("a folder");
    fs::write(blank.join("config.toml.partial"), "").expect("written");
    assert!(Run::create(&blank, config, &Classic, Provenance::default()).is_ok());
}

/// Trains with a measurement every 100 games, whose score is the weights' checksum, and stops after some games.
fn train_measured(mut run: Run<Classic>, stop_after: Option<u64>) -> End {
    loop {
        let stop = AtomicBool::new(false);
        let end = run
            .train(&stop, &mut |progress| {
                if let Progress::Playing { games, .. } = progress {
                    stop.fetch_or(stop_after.is_some_and(|after| games >= after), Relaxed);
                }
            })
            .expect("training");
        if end == End::Interrupted {
            return end;
        }
        let games = run.summary().games;
        let model = run.save_model().expect("saved");
        let best = run
            .record_evaluation(evaluation(games, (model.hash % 100_000) as f64))
            .expect("written");
        let kept = fs::read(run.path().join(BEST)).expect("a model");
        assert_eq!(best, kept == fs::read(model.model).expect("a model"));
        if end == End::Complete {
            return end;
        }
    }
}

#[test]
fn measurements_on_the_way_do_not_change_what_is_learned() {
    let runs = tempfile::tempdir().expect("a folder");
    let [plain, measured, stopped] =
        ["plain", "measured", "stopped"].map(|name| runs.path().join(name));
    let without = config(Rules::default(), StepSizeRule::Tc, 350);
    let with = TrainConfig {
        eval_every: 100,
        ..without.clone()
    };
    let create = |folder: &Path, config: &TrainConfig| {
        Run::create(folder, config.clone(), &Classic, Provenance::default()).expect("a run")
    };
    let run = create(&plain, &without);
    let entries = run.network().entries() as usize;
    train(run, None);
    assert_eq!(
        train_measured(create(&measured, &with), None),
        End::Complete
    );
    assert_eq!(
        train_measured(create(&stopped, &with), Some(230)),
        End::Interrupted
    );
    let resumed = Run::resume(&stopped, with, &Classic, Provenance::default()).expect("a run");
    assert_eq!(train_measured(resumed, None), End::Complete);

    let all = |folder: &Path| tables(&folder.join("checkpoint"), 3 * entries);
    assert!(all(&plain) == all(&measured) && all(&plain) == all(&stopped));
    let evaluations = trainer::curves(&measured).expect("curves").evaluations;
    let games: Vec<u64> = evaluations.iter().map(|at| at.games).collect();
    assert_eq!(games, [100, 200, 300, 350]);
    assert_eq!(
        trainer::curves(&stopped).expect("curves").evaluations,
        evaluations
    );
}
