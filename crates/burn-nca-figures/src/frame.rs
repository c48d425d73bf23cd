//! The layout around a plot: heading, legend and margins.

use crate::heading::Heading;
use crate::legend::Legend;
use crate::{Canvas, Result};

/// What surrounds a plot: a heading above it, a legend below, and a margin around all three.
pub(crate) struct Frame<'a> {
    pub(crate) heading: &'a Heading,
    pub(crate) legend: Legend,
    pub(crate) margin: u32,
}

impl Frame<'_> {
    /// The height of heading and legend where the whole is so wide.
    pub(crate) fn height(&self, width: u32) -> u32 {
        self.heading.height() + self.legend.height(width - 2 * self.margin)
    }

    /// Draws heading and legend, and gives the area between them.
    pub(crate) fn draw<'c>(&self, canvas: &Canvas<'c>) -> Result<Canvas<'c>> {
        let inner = canvas.margin(self.margin, self.margin, self.margin, self.margin);
        self.heading.draw(&inner)?;
        let (width, height) = inner.dim_in_pixel();
        let above_legend = height.saturating_sub(self.legend.height(width));
        let (body, legend_area) = inner.split_vertically(above_legend);
        self.legend.draw(&legend_area)?;
        Ok(body.margin(self.heading.height(), 0u32, 0u32, 0u32))
    }
}
