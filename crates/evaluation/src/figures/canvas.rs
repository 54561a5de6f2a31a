//! What all figures share: a title, axes, a colour for each agent, and the legend below.

use crate::Report;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::FontDesc;
use std::ops::Range;

/// Height of a line of the legend, in points.
pub(super) const LINE: u32 = 22;

/// A drawing area of which every length is scaled.
pub(super) struct Canvas<B: DrawingBackend> {
    root: DrawingArea<B, Shift>,
    scale: u32,
}

/// A chart that can be drawn into.
pub(super) type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// An axis.
pub(super) struct Axis<'a> {
    /// What it shows, with the unit.
    pub(super) name: &'a str,
    pub(super) range: Range<f64>,
    /// About how many labels there are.
    pub(super) labels: usize,
    /// What a label says.
    pub(super) label: &'a dyn Fn(&f64) -> String,
}

/// Colours that people who see them differently can tell apart (Okabe and Ito 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
];

/// The colour of an agent by its place in the report.
pub(super) fn colour(agent: usize) -> RGBColor {
    COLOURS[agent % COLOURS.len()]
}

impl<B: DrawingBackend> Canvas<B> {
    pub(super) fn new(backend: B, scale: u32) -> Result<Self, String> {
        let root = backend.into_drawing_area();
        root.fill(&WHITE).map_err(text)?;
        Ok(Canvas { root, scale })
    }

    pub(super) fn finish(&self) -> Result<(), String> {
        self.root.present().map_err(text)
    }

    /// A length in points.
    pub(super) fn points(&self, length: u32) -> u32 {
        self.scale * length
    }

    /// How an agent's lines are drawn.
    pub(super) fn line(&self, agent: usize) -> ShapeStyle {
        colour(agent).stroke_width(self.points(2))
    }

    fn font(&self, size: u32) -> FontDesc<'static> {
        ("sans-serif", self.points(size)).into_font()
    }

    /// A chart with a title and axes, and below it a legend of the agents.
    pub(super) fn chart(
        &self,
        report: &Report,
        title: &str,
        x: &Axis<'_>,
        y: &Axis<'_>,
    ) -> Result<Chart<'_, B>, String> {
        let legend = LINE * report.agents.len() as u32 + 8;
        let height = self.root.dim_in_pixel().1;
        let (plot, legend) = self.root.split_vertically(height - self.points(legend));
        for (number, agent) in report.agents.iter().enumerate() {
            let top = self.points(LINE * number as u32) as i32;
            let at = |x: u32, y: u32| (self.points(x) as i32, top + self.points(y) as i32);
            let mark = Rectangle::new([at(70, 4), at(90, 14)], colour(number).filled());
            legend.draw(&mark).map_err(text)?;
            let style = self.font(14).color(&BLACK);
            let plural = if agent.games == 1 { "" } else { "s" };
            let name = format!("{}, {} game{plural}", agent.agent, agent.games);
            legend.draw_text(&name, &style, at(100, 2)).map_err(text)?;
        }
        let mut builder = ChartBuilder::on(&plot);
        builder
            .caption(title, self.font(20))
            .margin(self.points(12))
            .x_label_area_size(self.points(48))
            .y_label_area_size(self.points(64));
        let chart = builder.build_cartesian_2d(x.range.clone(), y.range.clone());
        let mut chart = chart.map_err(text)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x.name)
            .y_desc(y.name)
            .x_labels(x.labels)
            .y_labels(y.labels)
            .x_label_formatter(x.label)
            .y_label_formatter(y.label)
            .label_style(self.font(13))
            .axis_desc_style(self.font(15))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12));
        mesh.draw().map_err(text)?;
        drop(mesh);
        Ok(chart)
    }
}

/// The label of a share.
pub(super) fn percent(share: &f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// An error of any backend.
pub(super) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
