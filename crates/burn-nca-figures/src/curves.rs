//! A line chart.

use plotters::element::{Circle, PathElement};
use plotters::style::Color;

use crate::axes::{Axes, range, ticks};
use crate::frame::{Frame, Legend};
use crate::palette::class_color;
use crate::{Canvas, Plot, Result};

const SIZE: (u32, u32) = (1000, 560);
const MARGIN: u32 = 14;
/// Half the width of a point that no line leads to or from.
const MARK: i32 = 5;

/// One or more lines over two axes with numbers.
///
/// # Examples
/// ```
/// use burn_nca_figures::{Curves, Plot};
///
/// let curves = Curves::new("epoch", "error, %")
///     .with_line("linear", &[[1.0, 9.0], [2.0, 4.0]])
///     .with_line("network", &[[1.0, 8.0], [2.0, 2.0]]);
/// assert!(curves.figure()?.svg().contains("network"));
/// # Ok::<(), burn_nca_figures::FigureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Curves {
    lines: Vec<(String, Vec<[f64; 2]>)>,
    frame: Frame,
    x_label: String,
    y_label: String,
    x_ticks: Option<Vec<(f64, String)>>,
}

impl Curves {
    /// Axes without a line yet.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self {
            lines: Vec::new(),
            frame: Frame::with_margin(MARGIN),
            x_label: x_label.into(),
            y_label: y_label.into(),
            x_ticks: None,
        }
    }

    /// The same with one line more; points that are not finite leave a gap, and a point between gaps is a mark.
    #[must_use]
    pub fn with_line(mut self, name: impl Into<String>, points: &[[f64; 2]]) -> Self {
        self.lines.push((name.into(), points.to_vec()));
        self
    }

    /// The same with a title above.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.frame.title = title.into();
        self
    }

    /// The same with these numbers along the first axis and what is written there, instead of round ones: for a scale of
    /// powers, say.
    #[must_use]
    pub fn with_x_ticks(mut self, ticks: Vec<(f64, String)>) -> Self {
        self.x_ticks = Some(ticks);
        self
    }

    /// The frame, with a legend where there are several lines.
    fn frame(&self) -> Frame {
        let mut frame = self.frame.clone();
        if self.lines.len() > 1 {
            frame.legend = Legend::of_classes(self.lines.iter().map(|(name, _)| name));
        }
        frame
    }

    fn axes(&self) -> Axes<'_> {
        let points = || self.lines.iter().flat_map(|(_, points)| points);
        let x = range(points().map(|point| point[0]));
        let [low, high] = range(points().map(|point| point[1]));
        let room = 0.05 * (high - low);
        let y = [low - room, high + room];
        let inside = |(place, _): &(f64, String)| (x[0]..=x[1]).contains(place);
        let chosen = self.x_ticks.as_ref();
        Axes {
            x,
            y,
            x_ticks: chosen.map_or_else(
                || ticks(x[0], x[1], 10),
                |ticks| ticks.iter().filter(|tick| inside(tick)).cloned().collect(),
            ),
            y_ticks: ticks(y[0], y[1], 7),
            x_label: &self.x_label,
            y_label: &self.y_label,
        }
    }
}

impl Plot for Curves {
    fn size(&self) -> (u32, u32) {
        (SIZE.0, SIZE.1 + self.frame().height(SIZE.0))
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let plane = self.axes().draw(&self.frame().draw(canvas)?)?;
        for (number, (_, points)) in self.lines.iter().enumerate() {
            let color = class_color(number);
            for run in points.split(|point| !point.iter().all(|value| value.is_finite())) {
                let places: Vec<_> = run.iter().map(|[x, y]| plane.place(*x, *y)).collect();
                match places[..] {
                    [] => {}
                    [place] => plane.canvas.draw(&Circle::new(place, MARK, color.filled()))?,
                    _ => plane.canvas.draw(&PathElement::new(places, color.stroke_width(3)))?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(curves: &Curves) -> String {
        curves.figure().unwrap().svg().to_string()
    }

    #[test]
    fn every_line_is_drawn_and_named_gaps_stay_open_and_a_point_between_them_is_a_mark() {
        let gap = [[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, 0.0]];
        let curves = Curves::new("step", "value").with_line("a", &gap);
        assert!(!svg(&curves).contains("\na\n"), "a single line needs no legend");
        let svg = svg(&curves.with_line("b", &gap[1..4]).with_title("t"));
        assert_eq!(svg.matches("stroke-width=\"3\"").count(), 2);
        // Two marks of the second line, and the two of the legend.
        assert_eq!(svg.matches("<circle").count(), 4);
        for word in ["step", "value", "\nt\n", "\na\n", "\nb\n"] {
            assert!(svg.contains(word), "{word:?} is not in the figure");
        }
    }

    #[test]
    fn numbers_along_the_first_axis_may_be_chosen() {
        let doubled = [1.0, 2.0, 3.0, 9.0].map(|at: f64| (at, format!("p{}", at.exp2())));
        let curves = Curves::new("p", "error").with_line("a", &[[1.0, 4.0], [3.0, 2.0]]);
        let svg = svg(&curves.with_x_ticks(doubled.to_vec()));
        let shown = ["p2", "p4", "p8", "p512"].map(|words| svg.contains(words));
        assert_eq!(shown, [true, true, true, false], "{svg}");
    }
}
