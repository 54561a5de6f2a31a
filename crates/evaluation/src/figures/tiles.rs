//! Which tiles games make.

use super::canvas::{Axis, Canvas, ROW, colour, row_floor, text};
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
    let title = format!(
        "Tiles made in {} games, with 95 % confidence intervals",
        report.rules
    );
    let share = "share of games that made the tile";
    bars(canvas, report, [&title, share], &tiles, &|agent, tile| {
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
    let title = format!("Largest tiles at the end of {} games", report.rules);
    let share = "share of games that ended with the tile";
    bars(canvas, report, [&title, share], &tiles, &|agent, tile| {
        let share = report.agents[agent].end_tiles.get(&tile)?;
        Some((*share, None))
    })
}

/// A share, and the ends of its interval.
type Bar = (f64, Option<[f64; 2]>);

/// Height of the greatest share of all in its row; the rest of [`ROW`] is for the number above it.
const BAR: f64 = ROW - 0.2;

/// A row an agent with a bar for every tile.
fn bars<B: DrawingBackend>(
    canvas: &Canvas<B>,
    report: &Report,
    [title, share]: [&str; 2],
    tiles: &[u64],
    bar: &dyn Fn(usize, u64) -> Option<Bar>,
) -> Drawn {
    let x = Axis {
        name: "tile",
        range: -0.6..tiles.len() as f64 - 0.4,
        labels: tiles.len() + 1,
        label: &|position| tile_at(tiles, *position),
    };
    let mut chart = canvas.rows(&names(report), title, &x, share)?;
    let agents = 0..report.agents.len();
    let pairs = agents.flat_map(|agent| (0..tiles.len()).map(move |place| (agent, place)));
    let bars = pairs.filter_map(|(agent, place)| Some((agent, place, bar(agent, tiles[place])?)));
    let bars: Vec<(usize, usize, Bar)> = bars.filter(|(_, _, (share, _))| *share > 0.0).collect();
    let most = bars.iter().map(|(_, _, (share, _))| *share);
    let scale = BAR / most.fold(0.0, f64::max);
    for (agent, place, (share, interval)) in bars {
        let floor = row_floor(agent, report.agents.len());
        let (middle, height) = (place as f64, floor + scale * share);
        let corners = [(middle - 0.3, floor), (middle + 0.3, height)];
        let filled = Rectangle::new(corners, colour(agent).mix(0.8).filled());
        chart.draw_series([filled]).map_err(text)?;
        let mut top = height;
        if let Some(ends) = interval {
            let [low, high] = ends.map(|share| floor + scale * share);
            let ends = vec![(middle, low), (middle, high)];
            let line = PathElement::new(ends, BLACK.stroke_width(canvas.points(1)));
            chart.draw_series([line]).map_err(text)?;
            top = high;
        }
        let number = format!("{:.1} %", 100.0 * share);
        let number = Text::new(number, (middle, top + 0.02), canvas.above());
        chart.draw_series([number]).map_err(text)?;
    }
    Ok(())
}
