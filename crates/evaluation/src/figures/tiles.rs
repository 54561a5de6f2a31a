//! Which tiles games make.

use super::canvas::{Axis, Canvas, colour, percent, text};
use super::{Drawn, names};
use crate::Report;
use plotters::prelude::*;

/// The largest tiles that matter: some more than those that all agents always make, up to the largest ever made.
fn telling(report: &Report, least: usize) -> Vec<u64> {
    let reach = |tile: u64| {
        let rates = report
            .agents
            .iter()
            .filter_map(move |agent| agent.reach.get(&tile));
        rates.map(|statistics| statistics.rate)
    };
    let all = report
        .agents
        .first()
        .into_iter()
        .flat_map(|agent| agent.reach.keys());
    let made: Vec<u64> = all
        .copied()
        .filter(|&tile| reach(tile).any(|rate| rate > 0.0))
        .collect();
    let always = made
        .iter()
        .take_while(|tile| reach(**tile).all(|rate| rate == 1.0))
        .count();
    let first = always
        .saturating_sub(1)
        .min(made.len().saturating_sub(least));
    made[first..].to_vec()
}

/// The tile at a whole number along the axis, nothing between.
fn tile_at(tiles: &[u64], position: f64) -> String {
    let whole = (position - position.round()).abs() < 1e-6 && position > -0.5;
    let tile = whole
        .then(|| tiles.get(position.round() as usize))
        .flatten();
    tile.map_or(String::new(), u64::to_string)
}

/// The share of games that made each tile, with its confidence interval.
pub(super) fn reach<B: DrawingBackend>(canvas: &Canvas<B>, report: &Report) -> Drawn {
    let tiles = telling(report, 4);
    let y = Axis {
        name: "share of games that made it",
        range: 0.0..1.02,
        labels: 6,
        label: &percent,
    };
    let title = format!(
        "Tiles made in {} games, with 95 % confidence intervals",
        report.rules
    );
    bars(canvas, report, &title, &y, &tiles, &|agent, tile| {
        let statistics = report.agents[agent].reach.get(&tile)?;
        Some((statistics.rate, Some(statistics.ci95)))
    })
}

/// The share of games that ended with each tile as the largest.
pub(super) fn end_tiles<B: DrawingBackend>(canvas: &Canvas<B>, report: &Report) -> Drawn {
    let ends = report
        .agents
        .iter()
        .flat_map(|agent| agent.end_tiles.keys().copied());
    let (least, most) = ends.fold((u64::MAX, 0), |(low, high), tile| {
        (low.min(tile), high.max(tile))
    });
    let tiles: Vec<u64> = (1..64)
        .map(|rank| 1 << rank)
        .filter(|tile| (least..=most).contains(tile))
        .collect();
    let shares = report
        .agents
        .iter()
        .flat_map(|agent| agent.end_tiles.values().copied());
    let y = Axis {
        name: "share of games that ended with it",
        range: 0.0..1.05 * shares.fold(0.0, f64::max),
        labels: 6,
        label: &percent,
    };
    let title = format!("Largest tiles at the end of {} games", report.rules);
    bars(canvas, report, &title, &y, &tiles, &|agent, tile| {
        let share = report.agents[agent].end_tiles.get(&tile)?;
        Some((*share, None))
    })
}

/// A height, and the ends of its interval.
type Bar = (f64, Option<[f64; 2]>);

/// For every tile a bar of each agent.
fn bars<B: DrawingBackend>(
    canvas: &Canvas<B>,
    report: &Report,
    title: &str,
    y: &Axis<'_>,
    tiles: &[u64],
    bar: &dyn Fn(usize, u64) -> Option<Bar>,
) -> Drawn {
    let x = Axis {
        name: "tile",
        range: -0.6..tiles.len() as f64 - 0.4,
        labels: tiles.len() + 1,
        label: &|position| tile_at(tiles, *position),
    };
    let mut chart = canvas.chart(&names(report), title, &x, y)?;
    let width = 0.8 / report.agents.len() as f64;
    for (position, &tile) in tiles.iter().enumerate() {
        for agent in 0..report.agents.len() {
            let Some((height, interval)) = bar(agent, tile) else {
                continue;
            };
            let left = position as f64 - 0.4 + width * agent as f64;
            let corners = [(left + 0.05 * width, 0.0), (left + 0.95 * width, height)];
            let filled = Rectangle::new(corners, colour(agent).mix(0.8).filled());
            chart.draw_series([filled]).map_err(text)?;
            if let Some([low, high]) = interval.filter(|_| height > 0.0) {
                let middle = left + width / 2.0;
                let line = PathElement::new(
                    vec![(middle, low), (middle, high)],
                    BLACK.stroke_width(canvas.points(1)),
                );
                chart.draw_series([line]).map_err(text)?;
            }
        }
    }
    Ok(())
}
