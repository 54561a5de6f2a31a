//! Pictures of a report: what a mean hides. Score distributions are staircases, one step for each large tile that
//! was or was not made.

mod canvas;
mod scores;
mod tiles;

use crate::Report;
use canvas::Canvas;
use plotters::prelude::*;
use std::io::Cursor;

/// A kind of picture. A new one is a function, and a line in each of the lists below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
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

/// Width and height for a single agent, in points; each one more needs a line of the legend.
const SIZE: (u32, u32) = (960, 540);

/// Pixels of a point.
const PIXELS: u32 = 2;

impl Figure {
    /// All kinds.
    pub const ALL: [Figure; 5] = [
        Figure::Histogram,
        Figure::Cumulative,
        Figure::Quantiles,
        Figure::Reach,
        Figure::EndTiles,
    ];

    /// What it is called, as a file too.
    pub fn name(self) -> &'static str {
        match self {
            Figure::Histogram => "scores",
            Figure::Cumulative => "scores-cumulative",
            Figure::Quantiles => "scores-quantiles",
            Figure::Reach => "reach",
            Figure::EndTiles => "end-tiles",
        }
    }

    fn draw<B: DrawingBackend>(self, backend: B, scale: u32, report: &Report) -> Drawn {
        let canvas = Canvas::new(backend, scale)?;
        match self {
            Figure::Histogram => scores::histogram(&canvas, report),
            Figure::Cumulative => scores::cumulative(&canvas, report),
            Figure::Quantiles => scores::quantiles(&canvas, report),
            Figure::Reach => tiles::reach(&canvas, report),
            Figure::EndTiles => tiles::end_tiles(&canvas, report),
        }?;
        canvas.finish()
    }

    /// The picture as an SVG text.
    ///
    /// # Errors
    /// When the plotting library fails.
    pub fn svg(self, report: &Report) -> Result<String, FigureError> {
        self.with_font()?;
        let mut text = String::new();
        let backend = SVGBackend::with_string(&mut text, size(report, 1));
        self.explained(self.draw(backend, 1, report))?;
        Ok(text)
    }

    /// The picture as a PNG file's bytes, two pixels a point.
    ///
    /// # Errors
    /// When the plotting library fails.
    pub fn png(self, report: &Report) -> Result<Vec<u8>, FigureError> {
        self.with_font()?;
        let (width, height) = size(report, PIXELS);
        let mut pixels = vec![0; 3 * width as usize * height as usize];
        let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
        self.explained(self.draw(backend, PIXELS, report))?;
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

fn size(report: &Report, scale: u32) -> (u32, u32) {
    let (width, height) = SIZE;
    let lines = report.agents.len() as u32;
    (scale * width, scale * (height + canvas::LINE * lines))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn every_figure_can_be_drawn_of_any_match() {
        for (agents, games) in [(1, 1), (1, 100), (3, 2), (9, 30)] {
            let report = report(agents, games);
            for figure in Figure::ALL {
                let svg = figure.svg(&report).expect("SVG");
                assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
                assert_eq!(svg.matches("random, ").count(), agents, "{}", figure.name());
                let png = figure.png(&report).expect("PNG");
                let image = image::load_from_memory(&png)
                    .expect("a picture")
                    .into_rgb8();
                assert_eq!(image.dimensions(), size(&report, PIXELS));
                let ink = image.pixels().filter(|pixel| pixel.0 != [255; 3]).count();
                assert!(ink > 5_000, "{} {ink}", figure.name());
            }
        }
    }
}
