//! Learning does what it is known to do. The bands are wide enough for other seeds and for two threads.

use engine::{Classic, Rules, Variant};
use network::{Indexed, Provenance};
use std::sync::atomic::AtomicBool;
use trainer::{Run, StepSizeRule, TrainConfig};

/// The mean score of the last 1,000 games of a training.
fn learn<G: Indexed>(game: &G, config: TrainConfig) -> f64 {
    let runs = tempfile::tempdir().expect("a folder");
    let config = config.resolve().expect("a configuration");
    let path = runs.path().join("run");
    let mut run = Run::create(&path, config, game, Provenance::default()).expect("a run");
    run.train(&AtomicBool::new(false), &mut |_| ())
        .expect("training");
    run.summary().mean_score
}

fn config(patterns: &str, step_size: StepSizeRule, games: u64, threads: usize) -> TrainConfig {
    TrainConfig {
        games,
        threads: Some(threads),
        patterns: Some(patterns.to_owned()),
        step_size,
        ..TrainConfig::default()
    }
}

/// TDL2048+ (revision a99f620), last 1,000 of 3,000 games: TD 15,048 and 14,777, TC 28,799 and 27,318.
#[test]
fn td_and_temporal_coherence_learn_at_their_known_pace() {
    for (step_size, threads, band) in [
        (StepSizeRule::Constant, 1, 13_000.0..19_000.0),
        (StepSizeRule::Tc, 1, 24_000.0..31_500.0),
        (StepSizeRule::Tc, 2, 20_000.0..31_500.0),
    ] {
        let score = learn(&Classic, config("4x5", step_size, 3_000, threads));
        assert!(
            band.contains(&score),
            "{step_size:?} on {threads} threads: {score}, not in {band:?}"
        );
    }
}

#[test]
fn the_structure_of_szubert_and_jaskowski_learns_without_symmetries() {
    let score = learn(&Classic, config("17x4", StepSizeRule::Constant, 4_000, 1));
    assert!((11_000.0..17_000.0).contains(&score), "{score}");
}

/// On small boards the best that any player can do is known: 66.96 on 2x2, where the whole board is one
/// pattern and the optimum is found; 5468.49 on 3x3 (random play: 178.74).
#[test]
fn small_boards_come_near_the_optimum_and_never_above() {
    for (size, games, band) in [(2, 20_000, 63.0..71.0), (3, 30_000, 3_000.0..5_500.0)] {
        let rules = Rules::sized(size, size);
        let game = Variant::new(rules.clone()).expect("playable");
        let config = TrainConfig {
            rules,
            games,
            threads: Some(2),
            ..TrainConfig::default()
        };
        let score = learn(&game, config);
        assert!(
            band.contains(&score),
            "{size}x{size}: {score}, not in {band:?}"
        );
    }
}
