//! What a run shows: figure 3 and the four faces of the paper, and a page to explore.

mod data_url;
mod figure;
mod page;
mod panel;
mod raster;
mod scatter;

use crate::faces::{FacePairs, Pose, PosedFaces};
use anyhow::Result;
use burn_nca_figures::Figure;
use burn_nca_program::{RunFolder, write_file};

use crate::measure::Point;
use crate::results::Results;

/// Faces that a picture shows; more would hide one another.
const FACES: usize = 400;

/// The test faces in the plane.
pub struct Shown<'a> {
    /// Where they are.
    pub points: &'a [Point],
    /// What they look like.
    pub faces: &'a PosedFaces,
    /// What their neighbors in the plane say of their poses.
    pub predicted: &'a [Pose],
}

impl Shown<'_> {
    /// Number of faces that are drawn.
    fn count(&self) -> usize {
        self.points.len().min(FACES)
    }
}

/// Writes `figure3` and `four-faces`, as SVG and PNG, and `faces.html`.
///
/// # Errors
/// A file that cannot be written.
pub fn write(
    folder: &RunFolder,
    shown: &Shown<'_>,
    test: &FacePairs,
    results: &Results,
) -> Result<()> {
    Figure::from_svg(figure::svg(shown, results)).write(&folder.file("figure3"))?;
    Figure::from_svg(panel::svg(test)).write(&folder.file("four-faces"))?;
    write_file(&folder.file("faces.html"), page::render(shown, results)?.as_bytes())
}
