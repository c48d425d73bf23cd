//! A plot as an SVG file, with the font that comes with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use burn_nca_files::write_atomically;
use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::style::WHITE;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// The font of every figure; the name that texts ask for does not matter.
const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
const FONT_FAMILY: &str = "DejaVu Sans";

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
const UNITS: u32 = 2;

/// A finished picture.
///
/// Its units are half a pixel of a page: a canvas of 1200 x 800 units shows as 600 x 400 pixels where the SVG
/// stands in a page, and becomes a PNG of 1200 x 800 pixels.
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
/// assert!(figure.png(2.0)?.starts_with(b"\x89PNG"));
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
        {
            let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            canvas.fill(&WHITE)?;
            draw(&canvas)?;
            canvas.present()?;
        }
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

    /// The picture as a PNG file's bytes, `scale` pixels for each pixel of a page; 2 gives one for each unit.
    ///
    /// # Errors
    /// An SVG text that cannot be read, or a picture without area.
    pub fn png(&self, scale: f32) -> Result<Vec<u8>> {
        let raster = |message: String| FigureError::Raster(message);
        let tree = Tree::from_str(&self.svg, &options()).map_err(|e| raster(e.to_string()))?;
        let size = tree.size().to_int_size().scale_by(scale);
        let size = size.ok_or_else(|| raster(format!("a scale of {scale} leaves no pixel")))?;
        let mut pixels = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| raster("the picture has no area".to_string()))?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|e| raster(e.to_string()))
    }

    /// Writes the SVG atomically.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_svg(&self, path: &Path) -> Result<()> {
        write_file(path, self.svg.as_bytes())
    }

    /// Writes a PNG of one pixel per unit atomically.
    ///
    /// # Errors
    /// As [`png`](Self::png), or the file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        write_file(path, &self.png(UNITS as f32)?)
    }

    /// Writes `STEM.svg` and `STEM.png`.
    ///
    /// # Errors
    /// As [`write_png`](Self::write_png).
    pub fn write(&self, stem: &Path) -> Result<()> {
        self.write_svg(&stem.with_extension("svg"))?;
        self.write_png(&stem.with_extension("png"))
    }
}

/// Every text in the one bundled font.
fn options() -> Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family(FONT_FAMILY);
    fonts.set_serif_family(FONT_FAMILY);
    fonts.set_monospace_family(FONT_FAMILY);
    Options { font_family: FONT_FAMILY.to_string(), fontdb: Arc::new(fonts), ..Options::default() }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically(path, bytes)
        .map_err(|source| FigureError::Write { path: path.to_path_buf(), source })
}

#[cfg(test)]
mod tests {
    use plotters::element::Rectangle;
    use plotters::style::{BLACK, Color};

    use super::*;

    fn square() -> Figure {
        Figure::draw((40, 20), |canvas| {
            canvas.draw(&Rectangle::new([(0, 0), (20, 20)], BLACK.filled()))?;
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn a_unit_is_half_a_pixel_of_a_page_and_one_of_the_png() {
        let figure = square();
        assert!(figure.svg().starts_with("<svg width=\"20\" height=\"10\" viewBox=\"0 0 40 20\""));
        let pixels = Pixmap::decode_png(&figure.png(2.0).unwrap()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (40, 20));
        let red = |x, y| pixels.pixel(x, y).unwrap().red();
        assert_eq!((red(19, 10), red(20, 10)), (0, 255));
    }

    #[test]
    fn words_become_pixels() {
        let figure = Figure::draw((200, 60), |canvas| {
            crate::text::write(canvas, "± Å", (100, 30), (28, BLACK), crate::text::Side::Middle)
        });
        let pixels = Pixmap::decode_png(&figure.unwrap().png(2.0).unwrap()).unwrap();
        assert!(pixels.pixels().iter().filter(|pixel| pixel.red() < 128).count() > 100);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_a_file_and_failures_leave_none() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        square().write(&folder.path().join("square")).unwrap();
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        for name in ["square.svg", "square.png"] {
            assert_eq!(mode(&folder.path().join(name)), mode(&plain), "{name}");
        }
        let error = square().write(&folder.path().join("no/square")).unwrap_err().to_string();
        assert!(error.contains("square.svg could not be written"), "{error}");
        assert!(Figure::from_svg("<svg".to_string()).png(1.0).is_err());
    }
}
