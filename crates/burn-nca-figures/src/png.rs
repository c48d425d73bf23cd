//! A figure as a PNG file, its texts in the font that comes with this crate.

use std::path::Path;
use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::figure::{UNITS, write_file};
use crate::{Figure, FigureError, Result};

/// The font of every figure; the name that texts ask for does not matter.
const FONT: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
const FONT_FAMILY: &str = "DejaVu Sans";

/// With the feature `png`.
impl Figure {
    /// The picture as a PNG file's bytes, `scale` pixels for each pixel of a page; 2 gives one for each unit.
    ///
    /// # Errors
    /// An SVG text that cannot be read, or a picture without area.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_figures::Figure;
    ///
    /// let figure = Figure::draw((400, 200), |_| Ok(()))?;
    /// assert!(figure.png(2.0)?.starts_with(b"\x89PNG"));
    /// # Ok::<(), burn_nca_figures::FigureError>(())
    /// ```
    pub fn png(&self, scale: f32) -> Result<Vec<u8>> {
        let raster = |message: String| FigureError::Raster(message);
        let tree = Tree::from_str(self.svg(), &options()).map_err(|e| raster(e.to_string()))?;
        let size = tree.size().to_int_size().scale_by(scale);
        let size = size.ok_or_else(|| raster(format!("a scale of {scale} leaves no pixel")))?;
        let mut pixels = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| raster("the picture has no area".to_string()))?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|e| raster(e.to_string()))
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

#[cfg(test)]
mod tests {
    use plotters::element::Rectangle;
    use plotters::style::{BLACK, Color};

    use super::*;
    use crate::text::{Side, write};

    #[test]
    fn a_unit_is_one_pixel_and_words_become_pixels() {
        let figure = Figure::draw((200, 60), |canvas| {
            canvas.draw(&Rectangle::new([(0, 0), (20, 60)], BLACK.filled()))?;
            write(canvas, "± Å", (100, 30), (28, BLACK), Side::Middle)
        });
        let pixels = Pixmap::decode_png(&figure.unwrap().png(2.0).unwrap()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (200, 60));
        let red = |x, y| pixels.pixel(x, y).unwrap().red();
        assert_eq!((red(19, 10), red(20, 10)), (0, 255));
        let black = pixels.pixels().iter().filter(|pixel| pixel.red() < 128).count();
        assert!(black > 100 + 20 * 60, "{black}");
    }

    #[test]
    fn both_files_are_written_and_a_text_that_is_no_svg_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let stem = folder.path().join("empty");
        let figure = Figure::draw((40, 20), |_| Ok(())).unwrap();
        figure.write(&stem).unwrap();
        assert!(std::fs::read(stem.with_extension("png")).unwrap().starts_with(b"\x89PNG"));
        // A unit is half a pixel of a page.
        let svg = std::fs::read_to_string(stem.with_extension("svg")).unwrap();
        assert!(svg.starts_with("<svg width=\"20\" height=\"10\" viewBox=\"0 0 40 20\""));
        assert!(Figure::from_svg("<svg".to_string()).png(1.0).is_err());
        let error = figure.write(&folder.path().join("no/empty")).unwrap_err().to_string();
        assert!(error.contains("empty.svg could not be written"), "{error}");
    }
}
