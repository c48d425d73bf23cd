//! The visible part of the plane.

/// The part of the plane that is shown: one scale for both axes, so that distances are what they look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    middle: [f64; 2],
    scale: f64,
    size: [f64; 2],
}

/// The share of an area that the points may fill; the rest keeps them off the frame.
const FILLED: f64 = 0.92;

impl Window {
    /// The window around the finite points, for an area of `(width, height)`.
    pub(crate) fn around(points: &[[f64; 2]], (width, height): (u32, u32)) -> Self {
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
    pub(crate) fn place(&self, point: &[f64; 2]) -> Option<(i32, i32)> {
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

    #[test]
    fn both_axes_have_one_scale() {
        let points = [[0.0, 0.0], [10.0, 0.0], [0.0, 5.0], [f64::NAN, 1e9]];
        let window = Window::around(&points, (100, 100));
        let at = |x, y| window.place(&[x, y]).unwrap();
        assert_eq!((at(0.0, 0.0), at(10.0, 0.0), at(0.0, 5.0)), ((4, 73), (96, 73), (4, 27)));
        assert_eq!(window.place(&points[3]), None);
    }

    #[test]
    fn a_single_point_and_none_are_shown_in_the_middle() {
        let window = Window::around(&[[3.0, 4.0]], (100, 60));
        assert_eq!(window.place(&[3.0, 4.0]), Some((50, 30)));
        assert_eq!(Window::around(&[], (100, 60)).place(&[0.0, 0.0]), Some((50, 30)));
    }
}
