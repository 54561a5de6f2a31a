use super::*;
use crate::{AgentMaker, AgentReport, Match, RandomAgent, Unobserved};
use engine::{Classic, Game};
use std::sync::atomic::AtomicBool;

fn report(agents: usize, games: u64) -> Report {
    let settings = Match {
        games,
        first: 0,
        seed: 1,
        threads: 1,
        target_rank: 11,
    };
    let rules = Classic.rules();
    let mut report = Report::new(rules, settings);
    let agent: AgentMaker<Classic> = Box::new(|| Box::new(RandomAgent::new(Classic)));
    let spec = "random".parse().expect("an agent");
    for _ in 0..agents {
        let result = settings.play(&Classic, &agent, &AtomicBool::new(false), &Unobserved);
        report.add(AgentReport::new(&spec, rules, result.expect("threads")));
    }
    report
}

/// Draws a figure in both formats; returns its text.
fn drawn(figure: Figure<'_>) -> String {
    let svg = figure.svg().expect("SVG");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let png = figure.png().expect("PNG");
    let image = image::load_from_memory(&png)
        .expect("a picture")
        .into_rgb8();
    let (width, height) = figure.size();
    assert_eq!(image.dimensions(), (PIXELS * width, PIXELS * height));
    let ink = image.pixels().filter(|pixel| pixel.0 != [255; 3]).count();
    assert!(ink > 5_000, "{} {ink}", figure.name());
    svg
}

#[test]
fn every_figure_can_be_drawn_of_any_match() {
    for (agents, games) in [(1, 1), (1, 100), (3, 2), (17, 30)] {
        let report = report(agents, games);
        for axis in [ScoreAxis::Linear, ScoreAxis::Logarithmic] {
            for figure in Figure::of_report(&report, axis) {
                let svg = drawn(figure);
                assert_eq!(svg.matches("random, ").count(), agents, "{}", figure.name());
            }
        }
    }
}

#[test]
fn a_logarithmic_axis_says_the_scores() {
    let axis = ScoreAxis::Logarithmic;
    for (score, label) in [(125.0, "125"), (1_000.0, "1,000"), (64_000.0, "64,000")] {
        assert_eq!(axis.label(axis.position(score)), label);
    }
    assert_eq!(axis.label(0.5), "");
    assert!(axis.position(0.0).is_finite());
    let svg = Figure::of_report(&report(1, 100), axis).map(drawn).next();
    let svg = svg.expect("a figure");
    assert!(svg.contains("\n500\n") && svg.contains("\n1,000\n"));
}

#[test]
fn runs_are_drawn_over_games_moves_and_time() {
    let point = |games: u64| CurvePoint {
        games,
        moves: 1_000 * games,
        seconds: games as f64 / 30.0,
        score: (games as f64).sqrt() * 100.0,
    };
    let run = |label: &str, games: u64| Curve {
        label: label.to_owned(),
        training: (0..=10).map(|tenth| point(games * tenth / 10)).collect(),
        evaluations: vec![EvaluationPoint {
            point: point(games),
            ci95: Some([90.0 * (games as f64).sqrt(), 110.0 * (games as f64).sqrt()]),
        }],
    };
    let runs = [run("first", 10_000), run("second", 40_000), run("none", 0)];
    let texts: Vec<String> = Figure::of_runs(&runs).map(drawn).collect();
    for (text, name) in texts.iter().zip([
        "games trained",
        "moves trained, millions",
        "minutes of training",
    ]) {
        for part in [name, "first", "second", "greedy play"] {
            assert!(text.contains(part), "{part}");
        }
    }
    let nothing = [Curve {
        training: Vec::new(),
        evaluations: Vec::new(),
        label: "empty".to_owned(),
    }];
    assert_eq!(Figure::of_runs(&nothing).map(drawn).count(), 3);
}
