//! The legend of a figure.

use plotters::element::Circle;
use plotters::style::{Color, RGBColor};

use crate::palette::class_color;
use crate::text::{self, BODY, PALE_INK, Side};
use crate::{Canvas, Result};

/// The height of a line of entries.
const LINE: u32 = 34;
const MARK: i32 = 8;
/// From a mark's left end to its name, and from a name to the next mark.
const INDENT: u32 = 26;
const GAP: u32 = 26;

/// Names next to marks of their colors, flowing over as many lines as a width asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legend {
    entries: Vec<(String, RGBColor)>,
}

impl Legend {
    /// Names in the colors of classes.
    pub(crate) fn of_classes<'a>(names: impl IntoIterator<Item = &'a String>) -> Self {
        Self { entries: names.into_iter().cloned().zip((0..).map(class_color)).collect() }
    }

    /// Adds a name in the color of the next class.
    pub(crate) fn push(&mut self, name: String) {
        self.entries.push((name, class_color(self.entries.len())));
    }

    pub(crate) fn height(&self, width: u32) -> u32 {
        self.lines(width).len() as u32 * LINE
    }

    /// Draws the entries, each line in the middle of the area.
    pub(crate) fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let (width, _) = canvas.dim_in_pixel();
        for (number, line) in self.lines(width).into_iter().enumerate() {
            let y = (number as u32 * LINE + LINE / 2) as i32;
            let mut x = (width.saturating_sub(line_width(line)) / 2) as i32;
            for (name, color) in line {
                canvas.draw(&Circle::new((x + MARK, y), MARK, color.filled()))?;
                text::write(canvas, name, (x + INDENT as i32, y), (BODY, PALE_INK), Side::Left)?;
                x += (entry_width(name) + GAP) as i32;
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
    words + GAP * (line.len() as u32).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_flow_over_lines() {
        let names = ["setosa", "versicolor", "virginica"].map(String::from);
        let legend = Legend::of_classes(&names);
        assert_eq!(legend.height(2000), LINE);
        assert_eq!(legend.height(10), 3 * LINE, "a line holds at least one entry");
        assert_eq!(Legend::default().height(100), 0);
    }
}
