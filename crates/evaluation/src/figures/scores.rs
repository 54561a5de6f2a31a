//! How the scores of games are distributed.

use super::canvas::{Axis, Canvas, ROW, colour, percent, row_floor, text};
use super::{Drawn, names};
use crate::report::grouped;
use crate::{AgentReport, Report};
use plotters::prelude::*;
use std::ops::Range;

/// Bins of the histogram.
const BINS: usize = 80;

/// How scores are laid out along their axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreAxis {
    /// Equal differences are equally long.
    #[default]
    Linear,
    /// Equal ratios are equally long; for agents of very different strength.
    Logarithmic,
}

/// The score at position 0 of a logarithmic axis; every whole number on is twice as much.
const UNIT: f64 = 1_000.0;

impl ScoreAxis {
    /// Where a score is. Those below 4, the least reward, are at 4 if the axis is logarithmic.
    pub(super) fn position(self, score: f64) -> f64 {
        match self {
            ScoreAxis::Linear => score,
            ScoreAxis::Logarithmic => (score.max(4.0) / UNIT).log2(),
        }
    }

    /// A little more than all games of all agents.
    fn range(self, report: &Report) -> Range<f64> {
        let best = report.agents.iter().map(|agent| agent.score.max);
        let best = self.position(best.fold(1.0, f64::max));
        match self {
            ScoreAxis::Linear => 0.0..1.03 * best,
            ScoreAxis::Logarithmic => {
                let games = report.agents.iter().flat_map(|agent| &agent.results);
                let worst = games.map(|game| game.outcome.score as f64);
                let worst = self.position(worst.fold(f64::MAX, f64::min)).min(best);
                worst - 0.1..best + 0.1
            }
        }
    }

    pub(super) fn label(self, position: f64) -> String {
        match self {
            ScoreAxis::Linear => grouped(position),
            ScoreAxis::Logarithmic if (position - position.round()).abs() < 1e-6 => {
                grouped(UNIT * position.round().exp2())
            }
            ScoreAxis::Logarithmic => String::new(),
        }
    }
}

/// Where the scores of an agent's games are, from low to high.
fn positions(agent: &AgentReport, axis: ScoreAxis) -> Vec<f64> {
    let games = agent.results.iter();
    let positions = games.map(|game| axis.position(game.outcome.score as f64));
    let mut positions: Vec<f64> = positions.collect();
    positions.sort_unstable_by(f64::total_cmp);
    positions
}

/// The axis of the scores of all agents.
fn score_axis(report: &Report, axis: ScoreAxis) -> Axis<'static> {
    Axis {
        name: "score of a game",
        range: axis.range(report),
        labels: 12,
        label: match axis {
            ScoreAxis::Linear => &|position| ScoreAxis::Linear.label(*position),
            ScoreAxis::Logarithmic => &|position| ScoreAxis::Logarithmic.label(*position),
        },
    }
}

/// The share of games in each of equal ranges of the axis, a row an agent.
pub(super) fn histogram<B: DrawingBackend>(
    canvas: &Canvas<B>,
    report: &Report,
    axis: ScoreAxis,
) -> Drawn {
    let x = score_axis(report, axis);
    let width = (x.range.end - x.range.start) / BINS as f64;
    let title = format!("Scores of {} games", report.rules);
    let mut chart = canvas.rows(
        &names(report),
        &title,
        &x,
        "share of games, each row to its own scale",
    )?;
    for (number, agent) in report.agents.iter().enumerate() {
        let mut bins = [0.0; BINS];
        for position in positions(agent, axis) {
            bins[(((position - x.range.start) / width) as usize).min(BINS - 1)] += 1.0;
        }
        let most = bins.iter().copied().fold(1.0, f64::max);
        let floor = row_floor(number, report.agents.len());
        let mut steps = vec![(x.range.start, floor)];
        for (bin, games) in bins.iter().enumerate() {
            let height = floor + ROW * games / most;
            steps.push((x.range.start + bin as f64 * width, height));
            steps.push((x.range.start + (bin + 1) as f64 * width, height));
        }
        steps.push((x.range.end, floor));
        let area = Polygon::new(steps.clone(), colour(number).mix(0.3));
        chart.draw_series([area]).map_err(text)?;
        let line = PathElement::new(steps, canvas.line(number));
        chart.draw_series([line]).map_err(text)?;
    }
    Ok(())
}

/// The share of games with at most some score.
pub(super) fn cumulative<B: DrawingBackend>(
    canvas: &Canvas<B>,
    report: &Report,
    axis: ScoreAxis,
) -> Drawn {
    let x = score_axis(report, axis);
    let y = Axis {
        name: "share of games with at most this score",
        range: 0.0..1.02,
        labels: 6,
        label: &percent,
    };
    let title = format!("Scores of {} games, cumulative", report.rules);
    let mut chart = canvas.chart(&names(report), &title, &x, &y)?;
    for (number, agent) in report.agents.iter().enumerate() {
        let (mut steps, mut share) = (vec![(x.range.start, 0.0)], 0.0);
        for position in positions(agent, axis) {
            steps.push((position, share));
            share += 1.0 / agent.games as f64;
            steps.push((position, share));
        }
        steps.push((x.range.end, 1.0));
        let line = PathElement::new(steps, canvas.line(number));
        chart.draw_series([line]).map_err(text)?;
    }
    Ok(())
}

/// A box from the first to the third quartile of each agent's scores, with the median, the mean as a point, and lines to
/// the twentieth and the nineteen twentieths.
pub(super) fn quantiles<B: DrawingBackend>(
    canvas: &Canvas<B>,
    report: &Report,
    axis: ScoreAxis,
) -> Drawn {
    let x = score_axis(report, axis);
    let title = format!(
        "Scores of {} games: 5, 25, 50, 75, 95 %, and the mean as a point",
        report.rules
    );
    let mut chart = canvas.rows(&names(report), &title, &x, "")?;
    for (number, agent) in report.agents.iter().enumerate() {
        let floor = row_floor(number, report.agents.len());
        let (middle, half) = (floor + ROW / 2.0, 0.8 * ROW / 2.0);
        let quantiles = agent.score.quantiles;
        let marks = [quantiles.q05, quantiles.q25, quantiles.q75, quantiles.q95];
        let [q05, q25, q75, q95] = marks.map(|score| axis.position(score));
        let line = canvas.line(number);
        let path = |from: (f64, f64), to: (f64, f64)| PathElement::new(vec![from, to], line);
        let corners = [(q25, middle - half), (q75, middle + half)];
        let mixed = Rectangle::new(corners, colour(number).mix(0.25).filled());
        chart
            .draw_series([mixed, Rectangle::new(corners, line)])
            .map_err(text)?;
        let upright = |x: f64, half: f64| path((x, middle - half), (x, middle + half));
        let paths = [
            path((q05, middle), (q25, middle)),
            path((q75, middle), (q95, middle)),
            upright(q05, half / 2.0),
            upright(q95, half / 2.0),
            upright(axis.position(agent.score.median), half),
        ];
        chart.draw_series(paths).map_err(text)?;
        let mean = Circle::new(
            (axis.position(agent.score.mean), middle),
            canvas.points(4),
            colour(number).filled(),
        );
        chart.draw_series([mean]).map_err(text)?;
    }
    Ok(())
}
