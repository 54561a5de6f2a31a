//! Pictures of reports and of learning. A mean hides much: score distributions are staircases, one step for each large
//! tile that was or was not made.

mod canvas;
mod curves;
mod scores;
mod tiles;

#[cfg(test)]
mod tests;

pub use curves::{Curve, CurvePoint, EvaluationPoint, Horizontal};
pub use scores::ScoreAxis;

use crate::Report;
use canvas::Canvas;
use plotters::prelude::*;
use std::io::Cursor;

/// A kind of picture of a report. A new one is a function, and a line in each of the lists below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// How many games scored what.
    Histogram,
    /// How many games scored at most so much.
    Cumulative,
    /// Quartiles and more of the scores.
    Quantiles,
    /// How many games made each tile.
    Reach,
    /// The largest tiles at the ends of games.
    EndTiles,
}

impl Kind {
    const ALL: [Kind; 5] = [
        Kind::Histogram,
        Kind::Cumulative,
        Kind::Quantiles,
        Kind::Reach,
        Kind::EndTiles,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Histogram => "scores",
            Kind::Cumulative => "scores-cumulative",
            Kind::Quantiles => "scores-quantiles",
            Kind::Reach => "reach",
            Kind::EndTiles => "end-tiles",
        }
    }
}

/// A picture, to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a>(Drawing<'a>);

#[derive(Clone, Copy, Debug)]
enum Drawing<'a> {
    OfReport(Kind, &'a Report, ScoreAxis),
    OfRuns(Horizontal, &'a [Curve]),
}

/// Errors of all backends, as text.
type Drawn = Result<(), String>;

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot draw {name}: {reason}")]
pub struct FigureError {
    /// The figure.
    pub name: &'static str,
    /// What the plotting library says.
    pub reason: String,
}

/// The typeface of all text; see `fonts`.
const FONT: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf");

/// Width of all figures, in points.
const WIDTH: u32 = 960;

/// Height without a legend, in points.
const HEIGHT: u32 = 518;

/// Height of a figure with rows but without the rows themselves, and of a row, in points.
const ROWS: (u32, u32) = (120, 72);

/// Pixels of a point.
const PIXELS: u32 = 2;

impl<'a> Figure<'a> {
    /// The names of all figures of a report.
    pub fn names_of_report() -> impl Iterator<Item = &'static str> {
        Kind::ALL.into_iter().map(Kind::name)
    }

    /// All figures of a report with at least one agent.
    pub fn of_report(report: &'a Report, axis: ScoreAxis) -> impl Iterator<Item = Figure<'a>> {
        let kinds = Kind::ALL.into_iter();
        kinds.map(move |kind| Figure(Drawing::OfReport(kind, report, axis)))
    }

    /// The curves of some runs over games, moves and time.
    pub fn of_runs(runs: &'a [Curve]) -> impl Iterator<Item = Figure<'a>> {
        let axes = Horizontal::ALL.into_iter();
        axes.map(move |axis| Figure(Drawing::OfRuns(axis, runs)))
    }

    /// What it is called, as a file too.
    pub fn name(self) -> &'static str {
        match self.0 {
            Drawing::OfReport(kind, ..) => kind.name(),
            Drawing::OfRuns(axis, _) => axis.figure_name(),
        }
    }

    /// Width and height, in points.
    fn size(self) -> (u32, u32) {
        let (lines, rows) = match self.0 {
            Drawing::OfReport(Kind::Cumulative, report, _) => (report.agents.len() as u32, 0),
            Drawing::OfReport(_, report, _) => (0, report.agents.len() as u32),
            Drawing::OfRuns(_, runs) => (runs.len() as u32, 0),
        };
        let height = match rows {
            0 => HEIGHT + canvas::LINE * lines,
            rows => ROWS.0 + ROWS.1 * rows,
        };
        (WIDTH, height)
    }

    fn draw<B: DrawingBackend>(self, backend: B, scale: u32) -> Drawn {
        let canvas = Canvas::new(backend, scale)?;
        match self.0 {
            Drawing::OfReport(kind, report, axis) => match kind {
                Kind::Histogram => scores::histogram(&canvas, report, axis),
                Kind::Cumulative => scores::cumulative(&canvas, report, axis),
                Kind::Quantiles => scores::quantiles(&canvas, report, axis),
                Kind::Reach => tiles::reach(&canvas, report),
                Kind::EndTiles => tiles::end_tiles(&canvas, report),
            },
            Drawing::OfRuns(axis, runs) => curves::draw(&canvas, axis, runs),
        }?;
        canvas.finish()
    }

    /// The picture as an SVG text.
    ///
    /// # Errors
    /// When the plotting library fails.
    pub fn svg(self) -> Result<String, FigureError> {
        self.with_font()?;
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, self.size());
        self.explained(self.draw(backend, 1))?;
        Ok(text)
    }

    /// The picture as a PNG file's bytes, two pixels a point.
    ///
    /// # Errors
    /// When the plotting library fails.
    pub fn png(self) -> Result<Vec<u8>, FigureError> {
        self.with_font()?;
        let (width, height) = self.size();
        let (width, height) = (PIXELS * width, PIXELS * height);
        let mut pixels = vec![0; 3 * width as usize * height as usize];
        let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
        self.explained(self.draw(backend, PIXELS))?;
        let mut file = Vec::new();
        let image = image::RgbImage::from_raw(width, height, pixels);
        let image = image.ok_or_else(|| "the picture has another size".to_owned());
        self.explained(image.and_then(|image| {
            let written = image.write_to(&mut Cursor::new(&mut file), image::ImageFormat::Png);
            written.map_err(|error| error.to_string())
        }))?;
        Ok(file)
    }

    fn with_font(self) -> Result<(), FigureError> {
        let registered = plotters::style::register_font("sans-serif", FontStyle::Normal, FONT);
        self.explained(registered.map_err(|_| "its font cannot be read".to_owned()))
    }

    fn explained<T>(self, result: Result<T, String>) -> Result<T, FigureError> {
        result.map_err(|reason| FigureError {
            name: self.name(),
            reason,
        })
    }
}

/// What the figures call the agents of a report.
fn names(report: &Report) -> Vec<String> {
    let agents = report.agents.iter();
    let name = |agent: &crate::AgentReport| {
        let games = crate::report::grouped(agent.games as f64);
        let plural = if agent.games == 1 { "" } else { "s" };
        format!("{}, {games} game{plural}", agent.agent)
    };
    agents.map(name).collect()
}
