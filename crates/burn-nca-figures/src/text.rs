//! Lettering in the one font and the few sizes of all figures.

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, IntoFont, RGBColor, TextStyle};

use crate::{Canvas, Result};

/// The size of a title, in units of a figure.
pub const TITLE: u32 = 28;
/// The size of all other words.
pub const BODY: u32 = 22;

/// The color of titles.
pub const INK: RGBColor = RGBColor(40, 40, 40);
/// The color of all other words.
pub const PALE_INK: RGBColor = RGBColor(90, 90, 90);

/// The width of a letter of average width, as a share of the font's size.
const LETTER: f64 = 0.58;
/// plotters writes fonts smaller by this factor than they were asked for.
const SHRINKING: f64 = 1.24;

/// Which side of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The text begins there, its middle line at that height.
    Left,
    /// The text's middle is there.
    Middle,
    /// The text ends there, its middle line at that height.
    Right,
    /// The text's middle is there, read from below to above.
    Turned,
}

/// Writes one line of text.
///
/// # Errors
/// What the drawing reports.
pub fn write(
    canvas: &Canvas<'_>,
    line: &str,
    place: (i32, i32),
    (size, ink): (u32, RGBColor),
    side: Side,
) -> Result<()> {
    let horizontal = match side {
        Side::Left => HPos::Left,
        Side::Middle | Side::Turned => HPos::Center,
        Side::Right => HPos::Right,
    };
    let mut font = ("sans-serif", f64::from(size) * SHRINKING).into_font();
    if side == Side::Turned {
        font = font.transform(FontTransform::Rotate270);
    }
    let style = TextStyle::from(font).color(&ink);
    canvas.draw_text(line, &style.pos(Pos::new(horizontal, VPos::Center)), place)?;
    Ok(())
}

/// About how wide a line of text becomes.
pub fn width(line: &str, size: u32) -> u32 {
    (line.chars().count() as f64 * LETTER * f64::from(size)).ceil() as u32
}

/// A number in as few digits as distinguish values that lie `step` apart.
pub fn number(value: f64, step: f64) -> String {
    let digits = if step > 0.0 && step < 1.0 { (-step.log10()).ceil() as usize } else { 0 };
    // Rounding may leave a minus before a zero.
    let text = format!("{value:.digits$}");
    if text.trim_start_matches(['-', '0', '.']).is_empty() {
        return text.trim_start_matches('-').to_string();
    }
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_their_step() {
        assert_eq!(number(0.30000000000000004, 0.1), "0.3");
        assert_eq!(number(50.0, 10.0), "50");
        assert_eq!(number(-0.001, 0.5), "0.0");
        assert_eq!(number(-2.5, 0.5), "−2.5");
    }
}
