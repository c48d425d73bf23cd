//! The title of a figure.

use crate::text::{self, BODY, INK, PALE_INK, Side, TITLE};
use crate::{Canvas, Result};

const TITLE_LINE: u32 = 40;
const SUBTITLE_LINE: u32 = 30;
const GAP: u32 = 8;

/// A title, and perhaps a smaller line under it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heading {
    pub(crate) title: String,
    pub(crate) subtitle: String,
}

impl Heading {
    pub(crate) fn height(&self) -> u32 {
        let title = if self.title.is_empty() { 0 } else { TITLE_LINE };
        let subtitle = if self.subtitle.is_empty() { 0 } else { SUBTITLE_LINE };
        if title + subtitle == 0 { 0 } else { title + subtitle + GAP }
    }

    /// Draws the lines in the middle of the area's top.
    pub(crate) fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let middle = (canvas.dim_in_pixel().0 / 2) as i32;
        let mut top = 0;
        if !self.title.is_empty() {
            let place = (middle, TITLE_LINE as i32 / 2);
            text::write(canvas, &self.title, place, (TITLE, INK), Side::Middle)?;
            top = TITLE_LINE as i32;
        }
        if !self.subtitle.is_empty() {
            let place = (middle, top + SUBTITLE_LINE as i32 / 2);
            text::write(canvas, &self.subtitle, place, (BODY, PALE_INK), Side::Middle)?;
        }
        Ok(())
    }
}
