//! A bar chart.

use plotters::element::{PathElement, Rectangle};
use plotters::style::Color;

use crate::axes::{Axes, Plane, ticks};
use crate::frame::Frame;
use crate::palette::class_color;
use crate::text::{INK, PALE_INK};
use crate::{Canvas, Plot, Result};

const MARGIN: u32 = 14;
const HEIGHT: u32 = 460;
/// The width of a bar, and of the axis next to all bars.
const BAR: u32 = 26;
const AXIS: u32 = 160;
/// The share of a group's width that its bars fill.
const FILLED: f64 = 0.82;
/// Half the width of the caps of an error bar.
const CAP: i32 = 6;

/// A measured number and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the length of the error bar; 0 draws none.
    pub error: f64,
}

/// Groups of bars with error bars: a group for each set, say, and in it a bar for each method.
///
/// # Examples
/// ```
/// use burn_nca_figures::{Bars, Estimate, Plot};
///
/// let estimate = |mean, error| Some(Estimate { mean, error });
/// let bars = Bars::new(&["iris", "wine"], "test accuracy, %")
///     .with_series("NCA", &[estimate(96.0, 0.4), estimate(97.1, 0.3)])
///     .with_series("PCA", &[estimate(86.0, 0.8), None])
///     .with_range(50.0, 100.0);
/// assert!(bars.figure()?.svg().contains("wine"));
/// # Ok::<(), burn_nca_figures::FigureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bars {
    groups: Vec<String>,
    series: Vec<Vec<Option<Estimate>>>,
    frame: Frame,
    y_label: String,
    range: Option<[f64; 2]>,
}

impl Bars {
    /// Groups of these names, without a bar yet.
    pub fn new<S: AsRef<str>>(groups: &[S], y_label: impl Into<String>) -> Self {
        Self {
            groups: groups.iter().map(|name| name.as_ref().to_string()).collect(),
            series: Vec::new(),
            frame: Frame::with_margin(MARGIN),
            y_label: y_label.into(),
            range: None,
        }
    }

    /// The same with one bar more in each group; `None` leaves its place empty.
    ///
    /// # Panics
    /// If there is not one entry a group.
    #[must_use]
    pub fn with_series(mut self, name: impl Into<String>, bars: &[Option<Estimate>]) -> Self {
        assert_eq!(self.groups.len(), bars.len(), "each group needs one entry");
        self.frame.legend.push(name.into());
        self.series.push(bars.to_vec());
        self
    }

    /// The same with a title above.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.frame.title = title.into();
        self
    }

    /// The same with these ends of the axis, instead of 0 and the greatest value.
    ///
    /// # Panics
    /// If the range is empty or not finite.
    #[must_use]
    pub fn with_range(mut self, low: f64, high: f64) -> Self {
        assert!(low < high && (high - low).is_finite(), "{low} to {high} is no range");
        self.range = Some([low, high]);
        self
    }

    fn axes(&self) -> Axes<'_> {
        let estimates = || self.series.iter().flatten().flatten();
        let ends = estimates().map(|bar| bar.mean + bar.error).filter(|end| end.is_finite());
        let greatest = ends.fold(0.0, f64::max);
        let y = self.range.unwrap_or([0.0, if greatest > 0.0 { greatest } else { 1.0 }]);
        let middles = self.groups.iter().enumerate();
        Axes {
            x: [0.0, self.groups.len().max(1) as f64],
            y,
            x_ticks: middles.map(|(group, name)| (group as f64 + 0.5, name.clone())).collect(),
            y_ticks: ticks(y[0], y[1], 8),
            x_label: "",
            y_label: &self.y_label,
        }
    }

    fn draw_bar(
        &self,
        plane: &Plane<'_>,
        [series, group]: [usize; 2],
        bar: Estimate,
    ) -> Result<()> {
        let [low, high] = self.axes().y;
        let width = FILLED / self.series.len() as f64;
        let left = group as f64 + (1.0 - FILLED) / 2.0 + series as f64 * width;
        let inside = |value: f64| value.clamp(low, high);
        let corners = [plane.place(left, inside(bar.mean)), plane.place(left + width, low)];
        let [(x0, y0), (x1, y1)] = corners;
        let fill = class_color(series).mix(0.85).filled();
        plane.canvas.draw(&Rectangle::new([(x0 + 1, y0), (x1 - 1, y1)], fill))?;
        if bar.error > 0.0 {
            let middle = i32::midpoint(x0, x1);
            let [top, bottom] = [bar.mean + bar.error, bar.mean - bar.error]
                .map(|end| plane.place(left, inside(end)).1);
            for path in [
                [(middle, top), (middle, bottom)],
                [(middle - CAP, top), (middle + CAP, top)],
                [(middle - CAP, bottom), (middle + CAP, bottom)],
            ] {
                plane.canvas.draw(&PathElement::new(path.to_vec(), INK.stroke_width(2)))?;
            }
        }
        Ok(())
    }
}

impl Plot for Bars {
    fn size(&self) -> (u32, u32) {
        let bars = (self.groups.len() * self.series.len()) as f64 * f64::from(BAR) / FILLED;
        let names = self.groups.iter().map(|name| crate::text::width(name, crate::text::BODY) + 16);
        let names = names.max().unwrap_or(0) * self.groups.len() as u32;
        let width = AXIS + (bars.ceil() as u32).max(names).max(400);
        (width, HEIGHT + self.frame.height(width) + 2 * MARGIN)
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let plane = self.axes().draw(&self.frame.draw(canvas)?)?;
        for (series, bars) in self.series.iter().enumerate() {
            for (group, bar) in bars.iter().enumerate() {
                if let Some(bar) = bar.filter(|bar| bar.mean.is_finite()) {
                    self.draw_bar(&plane, [series, group], bar)?;
                }
            }
        }
        let (_, bottom) = plane.place(0.0, self.axes().y[0]);
        let right = plane.canvas.dim_in_pixel().0 as i32;
        let floor = PathElement::new(vec![(0, bottom), (right, bottom)], PALE_INK.stroke_width(2));
        plane.canvas.draw(&floor)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_reaches_its_mean_and_missing_ones_leave_a_place() {
        let bar = |mean, error| Some(Estimate { mean, error });
        let bars = Bars::new(&["iris", "wine"], "accuracy, %")
            .with_series("NCA", &[bar(50.0, 1.0), None])
            .with_series("PCA", &[bar(100.0, 0.0), bar(f64::NAN, 1.0)])
            .with_range(0.0, 100.0);
        let svg = bars.figure().unwrap().svg().to_string();
        let heights: Vec<i32> = svg
            .lines()
            .filter(|line| line.starts_with("<rect") && line.contains("opacity=\"0.85\""))
            .map(|line| {
                let height = line.split("height=\"").nth(1).unwrap();
                height.split('"').next().unwrap().parse().unwrap()
            })
            .collect();
        assert_eq!(heights.len(), 2);
        assert!((heights[1] - 2 * heights[0]).abs() <= 1, "{heights:?}");
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 3 + 1, "one error bar, one floor");
    }
}
