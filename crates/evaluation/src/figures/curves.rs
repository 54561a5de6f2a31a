//! How runs learn.

use super::Drawn;
use super::canvas::{Axis, Canvas, colour, text};
use crate::report::grouped;
use crate::statistics::Interval;
use plotters::prelude::*;

/// How far a run is, and how well it plays there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Games trained.
    pub games: u64,
    /// Moves trained.
    pub moves: u64,
    /// Seconds trained.
    pub seconds: f64,
    /// Mean score.
    pub score: f64,
}

/// A measurement in the middle of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationPoint {
    /// Where, and the mean score.
    pub point: CurvePoint,
    /// The mean's confidence interval.
    pub ci95: Option<Interval>,
}

/// The learning curve of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the run is called.
    pub label: String,
    /// Mean scores of training games.
    pub training: Vec<CurvePoint>,
    /// Measurements.
    pub evaluations: Vec<EvaluationPoint>,
}

/// What the scores are drawn against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizontal {
    /// Games trained.
    Games,
    /// Moves trained.
    Moves,
    /// Time spent.
    Time,
}

impl Horizontal {
    pub(super) const ALL: [Horizontal; 3] =
        [Horizontal::Games, Horizontal::Moves, Horizontal::Time];

    pub(super) fn figure_name(self) -> &'static str {
        match self {
            Horizontal::Games => "learning-games",
            Horizontal::Moves => "learning-moves",
            Horizontal::Time => "learning-time",
        }
    }

    fn of(self, point: &CurvePoint) -> f64 {
        match self {
            Horizontal::Games => point.games as f64,
            Horizontal::Moves => point.moves as f64,
            Horizontal::Time => point.seconds,
        }
    }

    /// A unit in which the numbers up to some value are short, and what the axis is called then.
    fn unit(self, most: f64) -> (f64, &'static str) {
        let units: &[(f64, &str)] = match self {
            Horizontal::Games => &[(1.0, "games trained"), (1e6, "games trained, millions")],
            Horizontal::Moves => &[
                (1.0, "moves trained"),
                (1e6, "moves trained, millions"),
                (1e9, "moves trained, thousand millions"),
            ],
            Horizontal::Time => &[
                (1.0, "seconds of training"),
                (60.0, "minutes of training"),
                (3600.0, "hours of training"),
            ],
        };
        let enough = units.iter().rev().find(|(unit, _)| most >= 3.0 * unit);
        *enough.unwrap_or(&units[0])
    }
}

/// Mean scores of all runs, evaluations as points with their intervals.
pub(super) fn draw<B: DrawingBackend>(
    canvas: &Canvas<B>,
    horizontal: Horizontal,
    runs: &[Curve],
) -> Drawn {
    let evaluations = || runs.iter().flat_map(|run| &run.evaluations);
    let measured = evaluations().map(|evaluation| &evaluation.point);
    let points = runs.iter().flat_map(|run| &run.training).chain(measured);
    let most = |value: &dyn Fn(&CurvePoint) -> f64| points.clone().map(value).fold(1.0, f64::max);
    let highs = evaluations().filter_map(|evaluation| evaluation.ci95);
    let best = highs.fold(most(&|point| point.score), |best, [_, high]| best.max(high));
    let (unit, name) = horizontal.unit(most(&|point| horizontal.of(point)));
    let x = Axis {
        name,
        range: 0.0..1.02 * most(&|point| horizontal.of(point)) / unit,
        labels: 10,
        label: &|value| decimal(*value),
    };
    let y = Axis {
        name: "mean score",
        range: 0.0..1.05 * best,
        labels: 8,
        label: &|score| grouped(*score),
    };
    let mut title = "Mean score of the last 1,000 training games".to_owned();
    if evaluations().next().is_some() {
        title += "; points: greedy play, 95 % confidence";
    }
    let names: Vec<String> = runs.iter().map(|run| run.label.clone()).collect();
    let mut chart = canvas.chart(&names, &title, &x, &y)?;
    for (number, run) in runs.iter().enumerate() {
        let at = |point: &CurvePoint| (horizontal.of(point) / unit, point.score);
        let line = run.training.iter().map(at).collect::<Vec<_>>();
        let line = PathElement::new(line, canvas.line(number));
        chart.draw_series([line]).map_err(text)?;
        for evaluation in &run.evaluations {
            let (x, score) = at(&evaluation.point);
            if let Some([low, high]) = evaluation.ci95 {
                let line = PathElement::new(vec![(x, low), (x, high)], canvas.line(number));
                chart.draw_series([line]).map_err(text)?;
            }
            let point = Circle::new((x, score), canvas.points(4), colour(number).filled());
            chart.draw_series([point]).map_err(text)?;
        }
    }
    Ok(())
}

/// A number with decimals only where it has some.
fn decimal(value: f64) -> String {
    match (value - value.round()).abs() < 1e-6 {
        true => grouped(value),
        false => format!("{value:.1}"),
    }
}
