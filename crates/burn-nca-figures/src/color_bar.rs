//! The legend of a color scale.

use plotters::element::Rectangle;
use plotters::style::Color;

use crate::axes::{range, ticks};
use crate::palette::continuous_color;
use crate::text::{self, BODY, PALE_INK, Side};
use crate::{Canvas, Result};

/// The colors of a range of numbers, with the numbers next to them.
#[derive(Clone, Debug)]
pub(crate) struct ColorBar {
    low: f64,
    high: f64,
    label: String,
}

const LEFT: i32 = 20;
const THICKNESS: i32 = 24;
/// Number of steps of color.
const STEPS: i32 = 128;

impl ColorBar {
    /// The width that a bar, its numbers and its label need.
    pub(crate) const WIDTH: u32 = 160;

    /// The bar of the finite ones of these values.
    pub(crate) fn over(values: &[f64], label: &str) -> Self {
        let [low, high] = range(values.iter().copied());
        Self { low, high, label: label.to_string() }
    }

    /// The place of a value between the least (0) and the greatest (1); 1/2 where all are equal.
    pub(crate) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    pub(crate) fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let height = canvas.dim_in_pixel().1 as i32;
        for step in 0..STEPS {
            let (top, bottom) = (height * step / STEPS, height * (step + 1) / STEPS);
            let color = continuous_color(1.0 - (f64::from(step) + 0.5) / f64::from(STEPS));
            let corners = [(LEFT, top), (LEFT + THICKNESS, bottom)];
            canvas.draw(&Rectangle::new(corners, color.filled()))?;
        }
        for (tick, words) in ticks(self.low, self.high, 6) {
            let y = (f64::from(height) * (1.0 - self.share(tick))).round() as i32;
            let place = (LEFT + THICKNESS + 10, y.clamp(10, height - 10));
            text::write(canvas, &words, place, (BODY, PALE_INK), Side::Left)?;
        }
        let place = (Self::WIDTH as i32 - 16, height / 2);
        text::write(canvas, &self.label, place, (BODY, PALE_INK), Side::Turned)
    }
}
