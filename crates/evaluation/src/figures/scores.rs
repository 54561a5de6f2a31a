//! How the scores of games are distributed.

use super::Drawn;
use super::canvas::{Axis, Canvas, colour, percent, text};
use crate::report::grouped;
use crate::{AgentReport, Report};
use plotters::prelude::*;

/// Bins of the histogram.
const BINS: usize = 60;

fn scores(agent: &AgentReport) -> Vec<f64> {
    let games = agent.results.iter();
    let mut scores: Vec<f64> = games.map(|game| game.outcome.score as f64).collect();
    scores.sort_unstable_by(f64::total_cmp);
    scores
}

/// From 0 to a little above the best game of all agents.
fn score_axis(report: &Report) -> Axis<'static> {
    let best = report.agents.iter().map(|agent| agent.score.max);
    Axis {
        name: "score of a game",
        range: 0.0..1.03 * best.fold(1.0, f64::max),
        labels: 9,
        label: &|score| grouped(*score),
    }
}

/// The share of games in each of equal ranges of score.
pub(super) fn histogram<B: DrawingBackend>(canvas: &Canvas<B>, report: &Report) -> Drawn {
    let x = score_axis(report);
    let width = x.range.end / BINS as f64;
    let shares: Vec<Vec<f64>> = report
        .agents
        .iter()
        .map(|agent| {
            let mut bins = vec![0.0; BINS];
            for score in scores(agent) {
                bins[((score / width) as usize).min(BINS - 1)] += 1.0 / agent.games as f64;
            }
            bins
        })
        .collect();
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    let y = Axis {
        name: "share of games",
        range: 0.0..1.08 * most,
        labels: 6,
        label: &|share| format!("{:.1} %", 100.0 * share),
    };
    let title = format!("Scores of {} games", report.rules);
    let mut chart = canvas.chart(report, &title, &x, &y)?;
    for (agent, bins) in shares.iter().enumerate() {
        let mut steps = vec![(0.0, 0.0)];
        for (bin, &share) in bins.iter().enumerate() {
            steps.push((bin as f64 * width, share));
            steps.push(((bin + 1) as f64 * width, share));
        }
        steps.push((x.range.end, 0.0));
        let area = Polygon::new(steps.clone(), colour(agent).mix(0.15));
        chart.draw_series([area]).map_err(text)?;
        let line = PathElement::new(steps, canvas.line(agent));
        chart.draw_series([line]).map_err(text)?;
    }
    Ok(())
}

/// The share of games with at most some score.
pub(super) fn cumulative<B: DrawingBackend>(canvas: &Canvas<B>, report: &Report) -> Drawn {
    let x = score_axis(report);
    let y = Axis {
        name: "share of games with at most this score",
        range: 0.0..1.02,
        labels: 6,
        label: &percent,
    };
    let title = format!("Scores of {} games, cumulative", report.rules);
    let mut chart = canvas.chart(report, &title, &x, &y)?;
    for (number, agent) in report.agents.iter().enumerate() {
        let (mut steps, mut share) = (vec![(0.0, 0.0)], 0.0);
        for score in scores(agent) {
            steps.push((score, share));
            share += 1.0 / agent.games as f64;
            steps.push((score, share));
        }
        steps.push((x.range.end, 1.0));
        let line = PathElement::new(steps, canvas.line(number));
        chart.draw_series([line]).map_err(text)?;
    }
    Ok(())
}

/// A box from the first to the third quartile of each agent's scores, with the median, the mean as a point, and lines to
/// the twentieth and the nineteen twentieths.
pub(super) fn quantiles<B: DrawingBackend>(canvas: &Canvas<B>, report: &Report) -> Drawn {
    let x = score_axis(report);
    let y = Axis {
        name: "",
        range: 0.0..report.agents.len() as f64,
        labels: 1,
        label: &|_| String::new(),
    };
    let title = format!(
        "Scores of {} games: 5, 25, 50, 75, 95 %, and the mean as a point",
        report.rules
    );
    let mut chart = canvas.chart(report, &title, &x, &y)?;
    for (number, agent) in report.agents.iter().enumerate() {
        let middle = (report.agents.len() - number) as f64 - 0.5;
        let quantiles = agent.score.quantiles;
        let line = canvas.line(number);
        let path = |from: (f64, f64), to: (f64, f64)| PathElement::new(vec![from, to], line);
        let corners = [(quantiles.q25, middle - 0.3), (quantiles.q75, middle + 0.3)];
        let mixed = Rectangle::new(corners, colour(number).mix(0.25).filled());
        chart
            .draw_series([mixed, Rectangle::new(corners, line)])
            .map_err(text)?;
        let upright = |score: f64, half: f64| path((score, middle - half), (score, middle + half));
        let paths = [
            path((quantiles.q05, middle), (quantiles.q25, middle)),
            path((quantiles.q75, middle), (quantiles.q95, middle)),
            upright(quantiles.q05, 0.15),
            upright(quantiles.q95, 0.15),
            upright(agent.score.median, 0.3),
        ];
        chart.draw_series(paths).map_err(text)?;
        let mean = Circle::new(
            (agent.score.mean, middle),
            canvas.points(4),
            colour(number).filled(),
        );
        chart.draw_series([mean]).map_err(text)?;
    }
    Ok(())
}
