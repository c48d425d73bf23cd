//! A grid of plots.

use crate::frame::{Frame, Legend};
use crate::{Canvas, Plot, Result};

const MARGIN: u32 = 10;

/// Plots in a grid, row by row, all cells of one size; itself a plot.
///
/// # Examples
/// ```
/// use burn_nca_figures::{Panels, Plot, Scatter};
///
/// let names = ["a".to_string(), "b".to_string()];
/// let plot = |title: &str| {
///     Scatter::by_class(&[[0.0, 0.0], [1.0, 1.0]], &[0, 1], &names).with_title(title).without_legend()
/// };
/// let panels = Panels::new(2).with(plot("PCA")).with(plot("NCA")).with_classes(&names);
/// assert!(panels.figure()?.svg().contains("NCA"));
/// # Ok::<(), burn_nca_figures::FigureError>(())
/// ```
pub struct Panels {
    columns: usize,
    plots: Vec<Box<dyn Plot>>,
    frame: Frame,
}

impl Panels {
    /// A grid of this many columns, without a plot yet.
    ///
    /// # Panics
    /// For no column.
    pub fn new(columns: usize) -> Self {
        assert!(columns > 0, "a grid needs a column");
        Self { columns, plots: Vec::new(), frame: Frame::with_margin(MARGIN) }
    }

    /// The same with a plot in the next cell.
    #[must_use]
    pub fn with(mut self, plot: impl Plot + 'static) -> Self {
        self.plots.push(Box::new(plot));
        self
    }

    /// The same with a title above.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.frame.title = title.into();
        self
    }

    /// The same with a smaller line under the title.
    #[must_use]
    pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.frame.subtitle = subtitle.into();
        self
    }

    /// The same with one legend of classes below all plots.
    #[must_use]
    pub fn with_classes(mut self, names: &[String]) -> Self {
        self.frame.legend = Legend::of_classes(names);
        self
    }

    fn rows(&self) -> usize {
        self.plots.len().div_ceil(self.columns)
    }
}

impl Plot for Panels {
    fn size(&self) -> (u32, u32) {
        let sizes = || self.plots.iter().map(|plot| plot.size());
        let cell_width = sizes().map(|size| size.0).max().unwrap_or(1);
        let cell_height = sizes().map(|size| size.1).max().unwrap_or(1);
        let width = cell_width * self.columns as u32 + 2 * MARGIN;
        let around = self.frame.height(width) + 2 * MARGIN;
        (width, cell_height * self.rows().max(1) as u32 + around)
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let grid = self.frame.draw(canvas)?;
        let cells = grid.split_evenly((self.rows().max(1), self.columns));
        self.plots.iter().zip(&cells).try_for_each(|(plot, cell)| plot.draw(cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curves;

    #[test]
    fn cells_fill_rows_and_grids_fit_in_grids() {
        let curve = |title: &str| {
            Curves::new("x", "y").with_line("", &[[0.0, 0.0], [1.0, 1.0]]).with_title(title)
        };
        let (width, height) = curve("t").size();
        let grid = Panels::new(2).with(curve("one")).with(curve("two")).with(curve("three"));
        assert_eq!(grid.size(), (2 * width + 2 * MARGIN, 2 * height + 2 * MARGIN));
        let nested = Panels::new(1).with(grid).with_title("all").figure().unwrap();
        for word in ["one", "two", "three", "all"] {
            assert!(nested.svg().contains(word), "{word} is missing");
        }
    }
}
