//! A scatter plot of an embedding, a color and a mark per class.

use plotters::element::{Circle, Rectangle};
use plotters::style::{Color, RGBColor, WHITE};

use crate::frame::{ColorBar, Frame, Legend};
use crate::palette::{class_color, continuous_color};
use crate::text::{self, BODY, INK, Side};
use crate::{Canvas, Plot, Result};

const SIDE: u32 = 560;
const MARGIN: u32 = 14;
const OTHERS: RGBColor = RGBColor(150, 150, 150);
const FRAME: RGBColor = RGBColor(205, 205, 205);

/// Points in the plane, colored by class or by a number, with one scale for both axes.
///
/// Points that are not finite are left out. Neighboring rows are drawn apart in time, so that no class lies on
/// top of the others; more points have smaller marks.
///
/// # Examples
/// ```
/// use burn_nca_figures::{Plot, Scatter};
///
/// let points = [[0.0, 1.0], [2.0, 1.5], [2.1, 1.4]];
/// let names = ["left".to_string(), "right".to_string()];
/// let scatter = Scatter::by_class(&points, &[0, 1, 1], &names).with_title("two classes");
/// assert!(scatter.figure()?.svg().contains("two classes"));
/// # Ok::<(), burn_nca_figures::FigureError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scatter {
    points: Vec<[f64; 2]>,
    colors: Vec<RGBColor>,
    /// Points in gray, below the others.
    others: Vec<[f64; 2]>,
    /// Points whose color is weaker; none, or one entry a point.
    pale: Vec<bool>,
    /// Names that are in the picture.
    names: Vec<([f64; 2], String)>,
    frame: Frame,
    color_bar: Option<ColorBar>,
}

impl Scatter {
    /// More classes than this have no legend: its colors would repeat.
    pub const MOST_NAMES: usize = 10;

    /// Points colored by class, with a legend of up to [`MOST_NAMES`](Self::MOST_NAMES) class names.
    ///
    /// # Panics
    /// If there is not one label per point.
    pub fn by_class(points: &[[f64; 2]], labels: &[usize], names: &[String]) -> Self {
        assert_eq!(points.len(), labels.len(), "each point needs one label");
        let colors = labels.iter().map(|label| class_color(*label)).collect();
        let mut scatter = Self::colored(points, colors);
        if names.len() <= Self::MOST_NAMES {
            scatter.frame.legend = Legend::of_classes(names);
        }
        scatter
    }

    /// Points colored by a number, with a bar that tells the numbers of the colors.
    ///
    /// # Panics
    /// If there is not one value per point.
    pub fn by_value(points: &[[f64; 2]], values: &[f64], label: &str) -> Self {
        assert_eq!(points.len(), values.len(), "each point needs one value");
        let bar = ColorBar::over(values, label);
        let colors = values.iter().map(|value| continuous_color(bar.share(*value))).collect();
        Self { color_bar: Some(bar), ..Self::colored(points, colors) }
    }

    fn colored(points: &[[f64; 2]], colors: Vec<RGBColor>) -> Self {
        Self {
            points: points.to_vec(),
            colors,
            others: Vec::new(),
            pale: Vec::new(),
            names: Vec::new(),
            frame: Frame::with_margin(MARGIN),
            color_bar: None,
        }
    }

    /// The same with a title above.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.frame.title = title.into();
        self
    }

    /// The same with a smaller line under the title.
    #[must_use]
    pub fn with_subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.frame.subtitle = subtitle.into();
        self
    }

    /// The same with further points in gray, below the others.
    #[must_use]
    pub fn with_others(mut self, others: Vec<[f64; 2]>) -> Self {
        self.others = others;
        self
    }

    /// The same with a weaker color where `pale` says so.
    ///
    /// # Panics
    /// If there is not one entry a point.
    #[must_use]
    pub fn with_pale(mut self, pale: &[bool]) -> Self {
        assert_eq!(self.points.len(), pale.len(), "each point needs one entry");
        self.pale = pale.to_vec();
        self
    }

    /// The same with the name of each class at the median of its points: for more classes than a legend holds.
    ///
    /// # Panics
    /// If there is not one label per point, or a label without a name.
    #[must_use]
    pub fn with_names_in_place(mut self, labels: &[usize], names: &[String]) -> Self {
        assert_eq!(self.points.len(), labels.len(), "each point needs one label");
        let mut of_class = vec![[Vec::new(), Vec::new()]; names.len()];
        for (point, label) in self.points.iter().zip(labels) {
            if point.iter().all(|coordinate| coordinate.is_finite()) {
                (0..2).for_each(|axis| of_class[*label][axis].push(point[axis]));
            }
        }
        let named = of_class.into_iter().zip(names);
        let placed = named.filter_map(|(places, name)| Some((median(places)?, name.clone())));
        self.names = placed.collect();
        self
    }

    /// The same without its legend, for panels that share one.
    #[must_use]
    pub fn without_legend(mut self) -> Self {
        self.frame.legend = Legend::default();
        self
    }

    fn bar_width(&self) -> u32 {
        self.color_bar.as_ref().map_or(0, |_| ColorBar::WIDTH)
    }

    fn draw_points(&self, area: &Canvas<'_>) -> Result<()> {
        let (width, height) = area.dim_in_pixel();
        let corners = [(0, 0), (width as i32 - 1, height as i32 - 1)];
        area.draw(&Rectangle::new(corners, FRAME.stroke_width(1)))?;
        let shown = [&self.points[..], &self.others].concat();
        let window = Window::around(&shown, (width, height));
        let radius = mark_radius(shown.len());
        for place in self.others.iter().filter_map(|point| window.place(point)) {
            area.draw(&Circle::new(place, radius, OTHERS.mix(0.5).filled()))?;
        }
        for row in scattered_order(self.points.len()) {
            if let Some(place) = window.place(&self.points[row]) {
                let strength = if self.pale.get(row) == Some(&true) { 0.3 } else { 0.75 };
                let strength = if self.pale.is_empty() { 0.65 } else { strength };
                area.draw(&Circle::new(place, radius, self.colors[row].mix(strength).filled()))?;
            }
        }
        self.draw_names(area, &window)
    }

    /// Writes the names from above to below, each as near to its place as the others let it.
    fn draw_names(&self, area: &Canvas<'_>, window: &Window) -> Result<()> {
        let half = (BODY / 2) as i32;
        let mut names: Vec<((i32, i32), &str)> = Vec::new();
        names.extend(self.names.iter().filter_map(|(at, name)| Some((window.place(at)?, &**name))));
        names.sort_by_key(|((x, y), _)| (*y, *x));
        let mut taken: Vec<[i32; 3]> = Vec::new();
        for ((x, mut y), name) in names {
            let wide = text::width(name, BODY) as i32 / 2;
            let meets = |y: i32| {
                let near = |[x2, y2, wide2]: &[i32; 3]| {
                    (x - x2).abs() < wide + wide2 + 4 && (y - y2).abs() < 2 * half
                };
                taken.iter().any(near)
            };
            while meets(y) {
                y += 2;
            }
            taken.push([x, y, wide]);
            let corners = [(x - wide - 2, y - half), (x + wide + 2, y + half)];
            area.draw(&Rectangle::new(corners, WHITE.mix(0.7).filled()))?;
            text::write(area, name, (x, y), (BODY, INK), Side::Middle)?;
        }
        Ok(())
    }
}

impl Plot for Scatter {
    fn size(&self) -> (u32, u32) {
        let width = SIDE + 2 * MARGIN + self.bar_width();
        (width, SIDE + self.frame.height(width) + 2 * MARGIN)
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<()> {
        let body = self.frame.draw(canvas)?;
        let plane = body.dim_in_pixel().0.saturating_sub(self.bar_width());
        let (points, bar) = body.split_horizontally(plane);
        self.draw_points(&points)?;
        self.color_bar.as_ref().map_or(Ok(()), |color_bar| color_bar.draw(&bar))
    }
}

fn median(mut places: [Vec<f64>; 2]) -> Option<[f64; 2]> {
    let mut middle = [0.0; 2];
    for (values, middle) in places.iter_mut().zip(&mut middle) {
        values.sort_by(f64::total_cmp);
        *middle = *values.get(values.len() / 2)?;
    }
    Some(middle)
}

fn mark_radius(points: usize) -> i32 {
    match points {
        0..=300 => 7,
        301..=1000 => 5,
        1001..=4000 => 4,
        _ => 3,
    }
}

/// Every row once, with neighboring rows far apart, by steps of the golden section.
fn scattered_order(rows: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|row| (*row as u32).wrapping_mul(0x9E37_79B9));
    order
}

/// The part of the plane that is shown: one scale for both axes, so that distances are what they look like.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    middle: [f64; 2],
    scale: f64,
    size: [f64; 2],
}

/// The share of an area that the points may fill; the rest keeps them off the frame.
const FILLED: f64 = 0.92;

impl Window {
    /// The window around the finite points, for an area of `(width, height)`.
    fn around(points: &[[f64; 2]], (width, height): (u32, u32)) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for point in points.iter().filter(|point| is_shown(point)) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let size = [f64::from(width), f64::from(height)];
        if low[0] > high[0] {
            return Self { middle: [0.0; 2], scale: 1.0, size };
        }
        // Half the ends first: the sum of two large numbers may not be finite.
        let middle = [0, 1].map(|axis| low[axis] / 2.0 + high[axis] / 2.0);
        let scales = [0, 1].map(|axis| FILLED * size[axis] / (high[axis] - low[axis]));
        let scale = scales[0].min(scales[1]);
        Self { middle, scale: if scale.is_finite() { scale } else { 1.0 }, size }
    }

    /// Where a point falls, the second axis pointing up; `None` for one that is not finite.
    fn place(&self, point: &[f64; 2]) -> Option<(i32, i32)> {
        is_shown(point).then(|| {
            let x = self.size[0] / 2.0 + self.scale * (point[0] - self.middle[0]);
            let y = self.size[1] / 2.0 - self.scale * (point[1] - self.middle[1]);
            (x.round() as i32, y.round() as i32)
        })
    }
}

fn is_shown(point: &[f64; 2]) -> bool {
    point.iter().all(|coordinate| coordinate.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(plot: &Scatter) -> String {
        plot.figure().unwrap().svg().to_string()
    }

    #[test]
    fn every_finite_point_has_a_mark_and_every_class_a_name() {
        let points = [[0.0, 0.0], [1.0, 2.0], [f64::NAN, 0.0]];
        let names = ["a".to_string(), "b & c".to_string()];
        let scatter = Scatter::by_class(&points, &[0, 1, 1], &names);
        let with_names = svg(&scatter);
        assert_eq!(with_names.matches("<circle").count(), 2 + 2, "two points, two in the legend");
        assert!(with_names.contains("b &amp; c"));
        assert_eq!(svg(&scatter.without_legend()).matches("<circle").count(), 2);
    }

    #[test]
    fn a_title_wider_than_the_picture_is_written_smaller() {
        let size = |title: &str| -> f64 {
            let svg = svg(&Scatter::by_class(&[[0.0, 0.0]], &[0], &[]).with_title(title));
            let mut sizes = svg.split('"').skip_while(|word| !word.ends_with("font-size="));
            sizes.nth(1).unwrap().parse().unwrap()
        };
        let of_one = size("t");
        assert!(size(&"word ".repeat(10)) <= of_one && size(&"word ".repeat(40)) < 0.3 * of_one);
    }

    #[test]
    fn many_classes_have_no_legend_and_are_named_where_they_are_and_apart() {
        let names: Vec<String> = (0..12).map(|class| format!("n{class}")).collect();
        let labels: Vec<usize> = (0..36).map(|row| row % 12).collect();
        let points: Vec<[f64; 2]> = labels.iter().map(|label| [*label as f64 / 1e3, 0.0]).collect();
        let scatter = Scatter::by_class(&points, &labels, &names);
        let are_named = |svg: String| names.iter().all(|name| svg.contains(&format!("\n{name}\n")));
        assert!(!svg(&scatter).contains("\nn"));
        assert!(are_named(svg(&scatter.with_names_in_place(&labels, &names))));
    }

    #[test]
    fn other_points_are_gray_and_pale_ones_weak() {
        let points = [[0.0, 0.0], [1.0, 2.0]];
        let names = ["a".to_string()];
        let scatter = Scatter::by_class(&points, &[0, 0], &names).with_pale(&[true, false]);
        let svg = svg(&scatter.with_others(vec![[5.0, 5.0]]));
        assert_eq!(svg.matches("#969696").count(), 1);
        assert!(svg.contains("opacity=\"0.3\"") && svg.contains("opacity=\"0.75\""), "{svg}");
    }

    #[test]
    fn values_have_a_bar() {
        let svg = svg(&Scatter::by_value(&[[0.0, 0.0], [1.0, 1.0]], &[10.0, 20.0], "price"));
        assert!(svg.contains("price") && svg.contains("20"));
        assert!(svg.contains("#440154") && svg.contains("#FDE725"), "both ends of the colors");
    }

    #[test]
    fn both_axes_have_one_scale_and_a_single_point_is_in_the_middle() {
        let points = [[0.0, 0.0], [10.0, 0.0], [0.0, 5.0], [f64::NAN, 1e9]];
        let window = Window::around(&points, (100, 100));
        let places = points.map(|point| window.place(&point));
        assert_eq!(places, [Some((4, 73)), Some((96, 73)), Some((4, 27)), None]);
        assert_eq!(Window::around(&[[3.0, 4.0]], (100, 60)).place(&[3.0, 4.0]), Some((50, 30)));
        assert_eq!(Window::around(&[], (100, 60)).place(&[0.0, 0.0]), Some((50, 30)));
    }
}
