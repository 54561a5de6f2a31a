//! What all figures share: a title, axes, colours, and names below or in rows.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::FontDesc;
use plotters::style::text_anchor::{HPos, Pos, VPos};
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

/// The colour of an agent or a run by its place. From the eighth on they come again, darker.
pub(super) fn colour(number: usize) -> RGBColor {
    let RGBColor(red, green, blue) = COLOURS[number % COLOURS.len()];
    match (number / COLOURS.len()) % 2 {
        0 => RGBColor(red, green, blue),
        _ => RGBColor(red / 2, green / 2, blue / 2),
    }
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

    /// How an agent's or a run's lines are drawn.
    pub(super) fn line(&self, number: usize) -> ShapeStyle {
        colour(number).stroke_width(self.points(2))
    }

    fn font(&self, size: u32) -> FontDesc<'static> {
        ("sans-serif", self.points(size)).into_font()
    }

    /// The style of small text whose foot is centred on a point.
    pub(super) fn above(&self) -> TextStyle<'static> {
        let foot = Pos::new(HPos::Center, VPos::Bottom);
        self.font(11).color(&BLACK).pos(foot)
    }

    /// A chart with a title and axes, and below it a legend with a name for each colour.
    pub(super) fn chart(
        &self,
        names: &[String],
        title: &str,
        x: &Axis<'_>,
        y: &Axis<'_>,
    ) -> Result<Chart<'_, B>, String> {
        let legend = LINE * names.len() as u32 + 8;
        let height = self.root.dim_in_pixel().1;
        let (plot, legend) = self.root.split_vertically(height - self.points(legend));
        for (number, name) in names.iter().enumerate() {
            let top = self.points(LINE * number as u32) as i32;
            let at = |x: u32, y: u32| (self.points(x) as i32, top + self.points(y) as i32);
            let mark = Rectangle::new([at(70, 4), at(90, 14)], colour(number).filled());
            legend.draw(&mark).map_err(text)?;
            let style = self.font(14).color(&BLACK);
            legend.draw_text(name, &style, at(100, 2)).map_err(text)?;
        }
        self.chart_on(&plot, title, x, y, true)
    }

    /// A chart with a row of height 1 for each name, the first on top, see [`row_floor`]. What belongs to a row may fill it
    /// up to [`ROW`], above that stands its name.
    pub(super) fn rows(
        &self,
        names: &[String],
        title: &str,
        x: &Axis<'_>,
        y_name: &str,
    ) -> Result<Chart<'_, B>, String> {
        let y = Axis {
            name: y_name,
            range: 0.0..names.len() as f64,
            labels: 1,
            label: &|_| String::new(),
        };
        let mut chart = self.chart_on(&self.root, title, x, &y, false)?;
        let (left, right) = (x.range.start, x.range.end);
        for (number, name) in names.iter().enumerate() {
            let floor = row_floor(number, names.len());
            let top = floor + 1.0;
            let floor = PathElement::new(
                vec![(left, floor), (right, floor)],
                BLACK.mix(0.4).stroke_width(self.points(1)),
            );
            chart.draw_series([floor]).map_err(text)?;
            let style = self.font(13).color(&BLACK);
            let at = EmptyElement::at((left, top));
            let offset = (self.points(6) as i32, self.points(5) as i32);
            let name = at + Text::new(name.clone(), offset, style);
            chart.draw_series([name]).map_err(text)?;
        }
        Ok(chart)
    }

    fn chart_on<'a>(
        &self,
        area: &DrawingArea<B, Shift>,
        title: &str,
        x: &Axis<'_>,
        y: &Axis<'_>,
        y_labels: bool,
    ) -> Result<Chart<'a, B>, String> {
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(title, self.font(20))
            .margin(self.points(12))
            .margin_right(self.points(32))
            .x_label_area_size(self.points(48))
            .y_label_area_size(self.points(if y_labels { 64 } else { 30 }));
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
        if !y_labels {
            mesh.disable_y_mesh();
        }
        mesh.draw().map_err(text)?;
        drop(mesh);
        Ok(chart)
    }
}

/// Where row `number` of so many begins.
pub(super) fn row_floor(number: usize, rows: usize) -> f64 {
    (rows - number) as f64 - 1.0
}

/// Height of a row that drawings may fill; the rest is for its name.
pub(super) const ROW: f64 = 0.62;

/// The label of a share.
pub(super) fn percent(share: &f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// An error of any backend.
pub(super) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
