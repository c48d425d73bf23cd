//! The layout around a plot: title, legend and margins.

use crate::legend::Legend;
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

    /// The height of the lines above the plot.
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
