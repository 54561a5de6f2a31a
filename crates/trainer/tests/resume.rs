//! Stopping and resuming leaves no trace: on one thread the run is the uninterrupted one, bit for bit.

use engine::{Classic, Rules, Variant};
use network::{Indexed, Provenance};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use trainer::{End, Metrics, Run, StepSizeRule, TrainConfig, TrainError, stored_config};

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

/// Trains for so long, or to the end.
fn train<G: Indexed>(mut run: Run<G>, stop_after: Option<Duration>) -> End {
    let interrupted = Arc::new(AtomicBool::new(false));
    let set = interrupted.clone();
    if let Some(time) = stop_after {
        std::thread::spawn(move || {
            std::thread::sleep(time);
            set.store(true, Relaxed);
        });
    }
    let warn = &mut |progress| {
        assert!(
            !matches!(progress, trainer::Progress::Warning(_)),
            "{progress:?}"
        )
    };
    let end = run.train(&interrupted, warn).expect("training");
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
    let begun = Instant::now();
    assert_eq!(train(run, None), End::Complete);

    // Often enough on a machine of any speed.
    let stop_every = begun.elapsed() / 10;
    let mut stops = 0;
    let mut end = train(new(&stopped), Some(stop_every));
    while end == End::Interrupted {
        stops += 1;
        let stored = stored_config(&stopped).expect("a run");
        assert_eq!(stored, config);
        let run = Run::resume(&stopped, stored, game, Provenance::default()).expect("a run");
        end = train(run, Some(stop_every));
    }
    assert!(stops >= 3, "stopped only {stops} times: nothing was tested");

    assert!(tables(&straight.join("model"), entries) == tables(&stopped.join("model"), entries));
    let numbers = match config.step_size {
        StepSizeRule::Constant => entries,
        StepSizeRule::Tc => 3 * entries,
    };
    let of_checkpoint = |folder: &Path| tables(&folder.join("checkpoint"), numbers);
    assert!(of_checkpoint(&straight) == of_checkpoint(&stopped));
    assert_eq!(curves(&straight), curves(&stopped));
    assert_eq!(curves(&straight).len() as u64, config.games / 100);
}

#[test]
fn one_thread_resumes_bit_for_bit() {
    check(&Classic, config(Rules::default(), StepSizeRule::Tc, 2_000));
    check(
        &Classic,
        config(Rules::default(), StepSizeRule::Constant, 2_000),
    );
    let rules = Rules::sized(3, 3);
    let game = Variant::new(rules.clone()).expect("playable");
    check(&game, config(rules, StepSizeRule::Tc, 2_000));
}

#[test]
fn several_threads_resume_with_any_number_of_threads_and_more_games() {
    let runs = tempfile::tempdir().expect("a folder");
    let folder = runs.path().join("run");
    let mut config = config(Rules::default(), StepSizeRule::Tc, 3_000);
    config.threads = Some(3);
    let run = Run::create(&folder, config, &Classic, Provenance::default()).expect("a run");
    assert_eq!(
        train(run, Some(Duration::from_millis(50))),
        End::Interrupted
    );
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
