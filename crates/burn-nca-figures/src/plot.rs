//! What every plot can do.

use crate::{Canvas, Figure, Result};

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
