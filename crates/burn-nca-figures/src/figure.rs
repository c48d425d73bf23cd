//! What every plot can do, and a finished picture: an SVG text, and the file it is written to.

use std::path::{Path, PathBuf};

use burn_nca_files::write_atomically;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::WHITE;

/// Where a figure is drawn.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What can go wrong with a figure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The drawing itself failed.
    #[error("the figure could not be drawn: {0}")]
    Drawing(String),
    /// The picture could not be turned into pixels.
    #[error("the figure could not be turned into pixels: {0}")]
    Raster(String),
    /// A file could not be written.
    #[error("{} could not be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for FigureError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Drawing(error.to_string())
    }
}

/// The result of drawing.
pub type Result<T> = std::result::Result<T, FigureError>;

/// Units of a figure in a pixel of a page: plotters rounds places to whole units, and half pixels are fine enough.
pub(crate) const UNITS: u32 = 2;

/// A finished picture.
///
/// Its units are half a pixel of a page: a canvas of 1200 x 800 units shows as 600 x 400 pixels where the SVG
/// is in a page, and becomes a PNG of 1200 x 800 pixels.
///
/// # Examples
/// ```
/// use burn_nca_figures::Figure;
/// use burn_nca_figures::plotters::prelude::*;
///
/// let figure = Figure::draw((400, 200), |canvas| {
///     canvas.draw(&Circle::new((200, 100), 40, BLUE.filled()))?;
///     Ok(())
/// })?;
/// assert!(figure.svg().contains("<circle"));
/// # Ok::<(), burn_nca_figures::FigureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    svg: String,
}

impl Figure {
    /// Draws on a white canvas of `(width, height)` units.
    ///
    /// # Errors
    /// What the drawing reports.
    pub fn draw(size: (u32, u32), draw: impl FnOnce(&Canvas<'_>) -> Result<()>) -> Result<Self> {
        let mut svg = String::new();
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        canvas.fill(&WHITE)?;
        draw(&canvas)?;
        canvas.present()?;
        drop(canvas);
        let drawn = format!("<svg width=\"{}\" height=\"{}\"", size.0, size.1);
        let shown = [size.0, size.1].map(|units| f64::from(units) / f64::from(UNITS));
        let shown = format!("<svg width=\"{}\" height=\"{}\"", shown[0], shown[1]);
        Ok(Self { svg: svg.replacen(&drawn, &shown, 1) })
    }

    /// A picture whose SVG text was made elsewhere.
    pub fn from_svg(svg: String) -> Self {
        Self { svg }
    }

    /// The SVG text.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// Writes the SVG atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_svg(&self, path: &Path) -> Result<()> {
        write_file(path, self.svg.as_bytes())
    }
}

pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically(path, bytes)
        .map_err(|source| FigureError::Write { path: path.to_path_buf(), source })
}

/// Something that can be drawn into any area: alone as a figure, or as a part of [`Panels`](crate::Panels).
pub trait Plot {
    /// The width and height that suit it, in units of a [`Figure`].
    fn size(&self) -> (u32, u32);

    /// Draws it into the whole of an area.
    ///
    /// # Errors
    /// What the drawing reports.
    fn draw(&self, canvas: &Canvas<'_>) -> Result<()>;

    /// The figure that holds nothing else.
    ///
    /// # Errors
    /// What the drawing reports.
    fn figure(&self) -> Result<Figure> {
        Figure::draw(self.size(), |canvas| self.draw(canvas))
    }
}
