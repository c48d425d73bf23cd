//! The layout around a plot: title, legends and margins.

use plotters::element::{Circle, Rectangle};
use plotters::style::{Color, RGBColor};

use crate::axes::{range, ticks};
use crate::palette::{class_color, continuous_color};
use crate::text::{self, BODY, INK, PALE_INK, Side, TITLE};
use crate::{Canvas, Result};

const TITLE_LINE: u32 = 40;
const SUBTITLE_LINE: u32 = 30;
const GAP: u32 = 8;

/// What surrounds a plot: a title and perhaps a smaller line above it, a legend below, and a margin around all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) legend: Legend,
    pub(crate) margin: u32,
}

impl Frame {
    pub(crate) fn with_margin(margin: u32) -> Self {
        Self { margin, ..Self::default() }
    }

    /// The height of title and legend where the whole is so wide.
    pub(crate) fn height(&self, width: u32) -> u32 {
        self.heading() + self.legend.height(width - 2 * self.margin)
    }

    fn heading(&self) -> u32 {
        let title = if self.title.is_empty() { 0 } else { TITLE_LINE };
        let subtitle = if self.subtitle.is_empty() { 0 } else { SUBTITLE_LINE };
        if title + subtitle == 0 { 0 } else { title + subtitle + GAP }
    }

    /// Draws title and legend, and gives the area between them.
    pub(crate) fn draw<'c>(&self, canvas: &Canvas<'c>) -> Result<Canvas<'c>> {
        let inner = canvas.margin(self.margin, self.margin, self.margin, self.margin);
        let (width, height) = inner.dim_in_pixel();
        let lines = [
            (&self.title, TITLE_LINE, (TITLE, INK)),
            (&self.subtitle, SUBTITLE_LINE, (BODY, PALE_INK)),
        ];
        let mut top = 0;
        for (line, high, (size, ink)) in lines.into_iter().filter(|(line, ..)| !line.is_empty()) {
            let place = ((width / 2) as i32, (top + high / 2) as i32);
            // A line that is wider than the picture is written smaller.
            let fitting = size * width / text::width(line, size).max(1);
            text::write(&inner, line, place, (size.min(fitting), ink), Side::Middle)?;
            top += high;
        }
        let above_legend = height.saturating_sub(self.legend.height(width));
        let (body, legend_area) = inner.split_vertically(above_legend);
        self.legend.draw(&legend_area)?;
        Ok(body.margin(self.heading(), 0u32, 0u32, 0u32))
    }
}

const LEGEND_LINE: u32 = 34;
const MARK: i32 = 8;
/// From a mark's left end to its name, and from a name to the next mark.
const INDENT: u32 = 26;
const ENTRY_GAP: u32 = 26;

/// Names next to marks of their colors, flowing over as many lines as a width asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legend {
    entries: Vec<(String, RGBColor)>,
}

impl Legend {
    pub(crate) fn of_classes<'a>(names: impl IntoIterator<Item = &'a String>) -> Self {
        Self { entries: names.into_iter().cloned().zip((0..).map(class_color)).collect() }
    }

    pub(crate) fn push(&mut self, name: String) {
        self.entries.push((name, class_color(self.entries.len())));
    }

    pub(crate) fn height(&self, width: u32) -> u32 {
        self.lines(width).len() as u32 * LEGEND_LINE
    }

    pub(crate) fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let (width, _) = canvas.dim_in_pixel();
        for (number, line) in self.lines(width).into_iter().enumerate() {
            let y = (number as u32 * LEGEND_LINE + LEGEND_LINE / 2) as i32;
            let mut x = (width.saturating_sub(line_width(line)) / 2) as i32;
            for (name, color) in line {
                canvas.draw(&Circle::new((x + MARK, y), MARK, color.filled()))?;
                text::write(canvas, name, (x + INDENT as i32, y), (BODY, PALE_INK), Side::Left)?;
                x += (entry_width(name) + ENTRY_GAP) as i32;
            }
        }
        Ok(())
    }

    fn lines(&self, width: u32) -> Vec<&[(String, RGBColor)]> {
        let mut lines = Vec::new();
        let mut rest = &self.entries[..];
        while !rest.is_empty() {
            let fits = |entries: &usize| line_width(&rest[..*entries]) <= width;
            let entries = (2..=rest.len()).take_while(fits).last().unwrap_or(1);
            let (line, others) = rest.split_at(entries);
            lines.push(line);
            rest = others;
        }
        lines
    }
}

fn entry_width(name: &str) -> u32 {
    INDENT + text::width(name, BODY)
}

fn line_width(line: &[(String, RGBColor)]) -> u32 {
    let words: u32 = line.iter().map(|(name, _)| entry_width(name)).sum();
    words + ENTRY_GAP * (line.len() as u32).saturating_sub(1)
}

/// The colors of a range of numbers, with the numbers next to them.
#[derive(Clone, Debug)]
pub(crate) struct ColorBar {
    low: f64,
    high: f64,
    label: String,
}

/// From the plot to the bar.
const BAR_LEFT: i32 = 20;
const THICKNESS: i32 = 24;
const STEPS: i32 = 128;

impl ColorBar {
    /// The width that a bar, its numbers and its label need.
    pub(crate) const WIDTH: u32 = 160;

    pub(crate) fn over(values: &[f64], label: &str) -> Self {
        let [low, high] = range(values.iter().copied());
        Self { low, high, label: label.to_string() }
    }

    /// The place of a value between the least (0) and the greatest (1); 1/2 where all are equal.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    pub(crate) fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let height = canvas.dim_in_pixel().1 as i32;
        for step in 0..STEPS {
            let (top, bottom) = (height * step / STEPS, height * (step + 1) / STEPS);
            let color = continuous_color(1.0 - (f64::from(step) + 0.5) / f64::from(STEPS));
            let corners = [(BAR_LEFT, top), (BAR_LEFT + THICKNESS, bottom)];
            canvas.draw(&Rectangle::new(corners, color.filled()))?;
        }
        for (tick, words) in ticks(self.low, self.high, 6) {
            let y = (f64::from(height) * (1.0 - self.share(tick))).round() as i32;
            let place = (BAR_LEFT + THICKNESS + 10, y.clamp(10, height - 10));
            text::write(canvas, &words, place, (BODY, PALE_INK), Side::Left)?;
        }
        let place = (Self::WIDTH as i32 - 16, height / 2);
        text::write(canvas, &self.label, place, (BODY, PALE_INK), Side::Turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_flow_over_lines() {
        let names = ["setosa", "versicolor", "virginica"].map(String::from);
        let legend = Legend::of_classes(&names);
        assert_eq!(legend.height(2000), LEGEND_LINE);
        assert_eq!(legend.height(10), 3 * LEGEND_LINE, "a line holds at least one entry");
        assert_eq!(Legend::default().height(100), 0);
    }
}
