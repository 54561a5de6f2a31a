//! Intervals hold what they promise on real games.

use engine::Classic;
use evaluation::{AgentMaker, Match, MeanStatistics, RandomAgent, Unobserved, welch_interval};
use std::sync::atomic::AtomicBool;

fn scores(games: u64, seed: u64) -> Vec<f64> {
    let agent: AgentMaker<Classic> = Box::new(|| Box::new(RandomAgent::new(Classic)));
    let settings = Match {
        games,
        first: 0,
        seed,
        threads: 2,
        target_rank: 11,
    };
    let result = settings.play(&Classic, &agent, &AtomicBool::new(false), &Unobserved);
    let games = result.expect("threads").games.into_iter();
    games.map(|game| game.outcome.score as f64).collect()
}

#[test]
fn ninety_five_per_cent_are_about_that() {
    const REPETITIONS: u64 = 200;
    let long = scores(100_000, 1);
    let mean = long.iter().sum::<f64>() / long.len() as f64;
    let (mut means, mut differences) = (0, 0);
    for seed in 0..REPETITIONS {
        let small = scores(50, 1_000 + seed);
        let other = scores(80, 5_000 + seed);
        let [low, high] = MeanStatistics::of(small.iter().copied())
            .ci95
            .expect("50 games");
        means += u64::from(low <= mean && mean <= high);
        // The same player against itself.
        let [low, high] = welch_interval(&small, &other).expect("enough games");
        differences += u64::from(low <= 0.0 && 0.0 <= high);
    }
    for covered in [means, differences] {
        assert!((180..=198).contains(&covered), "{covered} of {REPETITIONS}");
    }
}
