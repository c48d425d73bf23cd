//! Two axes with numbers and labels.

use plotters::coord::ranged1d::Ranged;
use plotters::coord::types::RangedCoordf64;
use plotters::element::PathElement;
use plotters::style::{Color, RGBColor};

use crate::text::{self, BODY, PALE_INK, Side};
use crate::{Canvas, Result};

const GRID: RGBColor = RGBColor(225, 225, 225);
const LINE: RGBColor = RGBColor(150, 150, 150);
const TICK: i32 = 8;
/// Room left of the plane for numbers and the turned label, and below it for numbers and the label.
const LEFT: u32 = 104;
const TICKS_BELOW: u32 = 40;
const LABEL_BELOW: u32 = 34;

/// What is written along the two axes, and which numbers their ends stand for.
pub(crate) struct Axes<'a> {
    pub(crate) x: [f64; 2],
    pub(crate) y: [f64; 2],
    pub(crate) x_ticks: Vec<(f64, String)>,
    pub(crate) y_ticks: Vec<(f64, String)>,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
}

pub(crate) struct Plane<'a> {
    pub(crate) canvas: Canvas<'a>,
    x: [f64; 2],
    y: [f64; 2],
}

impl Plane<'_> {
    pub(crate) fn place(&self, x: f64, y: f64) -> (i32, i32) {
        let (width, height) = self.canvas.dim_in_pixel();
        let share = |value: f64, [low, high]: [f64; 2]| (value - low) / (high - low);
        let across = share(x, self.x) * f64::from(width);
        let up = share(y, self.y) * f64::from(height);
        (across.round() as i32, (f64::from(height) - up).round() as i32)
    }

    fn line(&self, ends: [(i32, i32); 2], color: RGBColor) -> Result<()> {
        self.canvas.draw(&PathElement::new(ends.to_vec(), color.stroke_width(1)))?;
        Ok(())
    }
}

impl Axes<'_> {
    /// Draws the axes around what remains of the area, and gives that.
    pub(crate) fn draw<'c>(&self, canvas: &Canvas<'c>) -> Result<Plane<'c>> {
        let label_below = if self.x_label.is_empty() { 0 } else { LABEL_BELOW };
        let below = TICKS_BELOW + label_below;
        let plane =
            Plane { canvas: canvas.margin(14u32, below, LEFT, 20u32), x: self.x, y: self.y };
        let (width, height) = plane.canvas.dim_in_pixel();
        let (right, bottom) = (width as i32, height as i32);
        for (value, words) in &self.y_ticks {
            let y = plane.place(self.x[0], *value).1;
            plane.line([(0, y), (right, y)], GRID)?;
            text::write(&plane.canvas, words, (-12, y), (BODY, PALE_INK), Side::Right)?;
        }
        for (value, words) in &self.x_ticks {
            let x = plane.place(*value, self.y[0]).0;
            plane.line([(x, bottom), (x, bottom + TICK)], LINE)?;
            text::write(&plane.canvas, words, (x, bottom + 24), (BODY, PALE_INK), Side::Middle)?;
        }
        plane.line([(0, bottom), (right, bottom)], LINE)?;
        let below_middle = (right / 2, bottom + TICKS_BELOW as i32 + 14);
        text::write(&plane.canvas, self.x_label, below_middle, (BODY, PALE_INK), Side::Middle)?;
        let left_middle = (16 - LEFT as i32, bottom / 2);
        text::write(&plane.canvas, self.y_label, left_middle, (BODY, PALE_INK), Side::Turned)?;
        Ok(plane)
    }
}

/// At most `count` round numbers from `low` to `high`, with the digits they need.
pub(crate) fn ticks(low: f64, high: f64, count: usize) -> Vec<(f64, String)> {
    let places = RangedCoordf64::from(low..high).key_points(count);
    let step = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let step = if step.is_finite() { step } else { high - low };
    places.into_iter().map(|place| (place, text::number(place, step))).collect()
}

/// The least and the greatest of the finite values, apart by more than nothing.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => [low, high],
        Some(std::cmp::Ordering::Equal) => [low - 0.5, high + 0.5],
        _ => [0.0, 1.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside() {
        let words: Vec<String> = ticks(0.0, 100.0, 6).into_iter().map(|tick| tick.1).collect();
        assert_eq!(words, ["0", "20", "40", "60", "80", "100"]);
        assert!(ticks(0.31, 0.52, 5).iter().all(|(place, _)| (0.31..=0.52).contains(place)));
    }

    #[test]
    fn a_range_has_a_width() {
        assert_eq!(range([3.0, f64::NAN, 1.0].into_iter()), [1.0, 3.0]);
        assert_eq!(range([2.0].into_iter()), [1.5, 2.5]);
        assert_eq!(range(std::iter::empty()), [0.0, 1.0]);
    }
}
