//! The grid for a set of points, and what it costs.

use core::f64::consts::PI;

use crate::window::{DIGITS, Window};

/// Grid points at most, of 16 bytes each.
const MAX_GRID: f64 = (1 << 24) as f64;

/// Nanoseconds on one core: of a grid point of a window, of a grid point per level of a transform, of a pair.
const WINDOW_POINT: f64 = 0.35;
const TRANSFORM_POINT: f64 = 1.2;
pub(crate) const PAIR: f64 = 3.0;

#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// The lowest coordinate of the points.
    low: f64,
    /// Grid points, N; the period is N times the spacing.
    pub(crate) points: usize,
    /// `c_h / φ^(h)²` of the modes `0..=H`.
    pub(crate) factors: Vec<f64>,
    /// `2π / P`.
    pub(crate) frequency: f64,
}

/// The grid of one or two axes; of one, the second has one point.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) window: Window,
    pub(crate) axes: [Axis; 2],
    pub(crate) k: usize,
    pub(crate) digits: i32,
}

/// The lowest and highest coordinate per axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    ends: [(f64, f64); 2],
    /// Whether all coordinates are finite, and there is one.
    pub(crate) is_finite: bool,
}

impl Bounds {
    pub(crate) fn of(k: usize, coordinates: &[&[f64]]) -> Self {
        let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        let mut zero = 0.0;
        for row in coordinates.iter().flat_map(|part| part.chunks_exact(k)) {
            for (end, &x) in ends.iter_mut().zip(row) {
                *end = (end.0.min(x), end.1.max(x));
                zero += 0.0 * x;
            }
        }
        Self { ends, is_finite: zero == 0.0 && ends[0].0 <= ends[0].1 }
    }

    fn range(&self, axis: usize) -> f64 {
        self.ends[axis].1 - self.ends[axis].0
    }
}

impl Axis {
    fn new(window: &Window, low: f64, points: usize) -> Self {
        let period = window.spacing * points as f64;
        let factors = (0..points.div_ceil(2)).map(|mode| {
            let decay = (PI * mode as f64 / period).powi(2);
            PI.sqrt() / period * (-decay).exp() / window.transform(mode, points).powi(2)
        });
        Self { low, points, factors: factors.collect(), frequency: 2.0 * PI / period }
    }

    fn single() -> Self {
        Self { low: 0.0, points: 1, factors: vec![1.0], frequency: 0.0 }
    }

    /// The first grid point of the window about a coordinate, and the place within it, from -1 to 1.
    #[inline]
    pub(crate) fn place(&self, spacing: f64, x: f64) -> (u32, f64) {
        let at = (x - self.low) / spacing;
        let first = at.ceil();
        (first as u32, 2.0 * (first - at) - 1.0)
    }
}

impl Plan {
    /// The cheapest grid for an error of `10^-digits` of the kernel, with its cost in nanoseconds; `None` where the
    /// points are spread too widely, or have coordinates that are not finite.
    pub(crate) fn choose(
        k: usize,
        bounds: &Bounds,
        work: Work,
        digits: i32,
    ) -> Option<(Choice, f64)> {
        let mut best: Option<(Choice, f64)> = None;
        for window in Window::choices(digits) {
            let Some(points) = grid_points(k, &window, bounds, digits) else { continue };
            let cost = work.cost(&window, k, points);
            if best.as_ref().is_none_or(|(_, least)| cost < *least) {
                best = Some((Choice { window, points, digits }, cost));
            }
        }
        best
    }

    pub(crate) fn new(k: usize, bounds: &Bounds, choice: &Choice) -> Self {
        let Choice { window, points, digits } = *choice;
        let axis = |at: usize| {
            if at < k { Axis::new(&window, bounds.ends[at].0, points[at]) } else { Axis::single() }
        };
        Self { window, axes: [axis(0), axis(1)], k, digits }
    }

    /// Grid points per row of the grid, and rows.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.axes[0].points, self.axes[1].points]
    }
}

/// A window and the grid points per axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    window: Window,
    points: [usize; 2],
    digits: i32,
}

/// How often points are spread or interpolated, and planes of numbers are transformed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) point_passes: usize,
    pub(crate) transforms: usize,
}

impl Work {
    fn cost(&self, window: &Window, k: usize, points: [usize; 2]) -> f64 {
        let grid = (points[0] * points[1]) as f64;
        // The polynomials of an axis take about as long as a few rows of the window.
        let per_point = (window.width.pow(k as u32) + 10 * k * window.width) as f64;
        WINDOW_POINT * per_point * self.point_passes as f64
            + TRANSFORM_POINT * grid * (grid.log2() + 1.0) * self.transforms as f64
    }
}

/// Grid points of each axis, if there are not too many.
fn grid_points(k: usize, window: &Window, bounds: &Bounds, digits: i32) -> Option<[usize; 2]> {
    let pad = (f64::from(digits.clamp(DIGITS.0, DIGITS.1)) * 10f64.ln()).sqrt();
    let mut points = [1; 2];
    let mut grid = 1.0;
    if !bounds.is_finite {
        return None;
    }
    for (axis, points) in points.iter_mut().enumerate().take(k) {
        let range = bounds.range(axis) / window.spacing;
        let least = (range + pad / window.spacing).max(range + window.width as f64 + 2.0);
        grid *= least;
        if grid > MAX_GRID {
            return None;
        }
        *points = smooth(least.ceil() as usize);
    }
    Some(points)
}

/// The least even number with the factors 2, 3 and 5 alone that is at least `n`.
fn smooth(n: usize) -> usize {
    let mut even = n.next_multiple_of(2);
    loop {
        let mut rest = even;
        for factor in [2, 3, 5] {
            while usize::is_multiple_of(rest, factor) {
                rest /= factor;
            }
        }
        if rest == 1 {
            return even;
        }
        even += 2;
    }
}
