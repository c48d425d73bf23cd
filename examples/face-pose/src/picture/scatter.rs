//! Points of the plane as marks: segments of their rotation, circles of their size.

use std::fmt::Write;

use burn_nca_figures::palette::continuous_color;

use super::Shown;
use crate::measure::Point;

/// Width and height of a scatter.
pub const SIDE: f64 = 460.0;

/// Free space along its edges, for the marks.
const MARGIN: f64 = 22.0;

/// Half the length of a segment.
const ARM: f64 = 9.0;

/// The poses between which colors run.
const ROTATIONS: [f64; 2] = [-45.0, 45.0];
const HEIGHTS: [f64; 2] = [25.0, 35.0];

/// Which pose a scatter shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A segment turned as the face.
    Segment,
    /// A circle as large as the face.
    Circle,
}

/// From the plane to a square of [`SIDE`], the same scale in both directions.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    middle: Point,
    scale: f64,
}

impl Placement {
    /// All points within the square.
    pub fn of(points: &[Point]) -> Self {
        let range = |axis: usize| {
            let places = points.iter().map(|point| point[axis]);
            let least = places.clone().fold(f64::INFINITY, f64::min);
            [least, places.fold(f64::NEG_INFINITY, f64::max)]
        };
        let ranges = [range(0), range(1)];
        let span = ranges.map(|[least, most]| most - least).into_iter().fold(1e-9, f64::max);
        let middle = ranges.map(|[least, most]| 0.5 * (least + most));
        Self { middle, scale: (SIDE - 2.0 * MARGIN) / span }
    }

    /// Where a point is drawn; y runs down in a picture.
    pub fn place(&self, point: &Point) -> Point {
        [
            0.5 * SIDE + self.scale * (point[0] - self.middle[0]),
            0.5 * SIDE - self.scale * (point[1] - self.middle[1]),
        ]
    }
}

/// The marks of the shown faces as SVG elements.
pub fn marks(shown: &Shown<'_>, mark: Mark) -> String {
    let count = shown.count();
    let placement = Placement::of(&shown.points[..count]);
    let mut svg = String::new();
    for (point, pose) in shown.points.iter().zip(&shown.faces.poses).take(count) {
        let [x, y] = placement.place(point);
        // Writing to a string cannot fail.
        let _ = match mark {
            Mark::Segment => {
                let color = color(pose.rotation, ROTATIONS);
                let (sine, cosine) = pose.rotation.to_radians().sin_cos();
                let (dx, dy) = (ARM * sine, -ARM * cosine);
                writeln!(
                    svg,
                    "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>",
                    x - dx,
                    y - dy,
                    x + dx,
                    y + dy
                )
            }
            Mark::Circle => {
                let color = color(pose.height, HEIGHTS);
                // The circle's area would tell little of 25 against 35 pixels; its radius runs from 2 to 9.
                let radius = 2.0 + 7.0 * share(pose.height, HEIGHTS);
                writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" stroke=\"{color}\"/>"
                )
            }
        };
    }
    let (stroke, fill) = match mark {
        Mark::Segment => (1.6, "none"),
        Mark::Circle => (1.2, "none"),
    };
    format!("<g stroke-width=\"{stroke}\" stroke-linecap=\"round\" fill=\"{fill}\">\n{svg}</g>\n")
}

/// A bar of the colors of a scatter, `width` wide, with its two ends named.
pub fn color_bar(mark: Mark, width: f64) -> String {
    const STEPS: usize = 24;
    let ends = match mark {
        Mark::Segment => ["45° left", "45° right"],
        Mark::Circle => ["25 pixels", "35 pixels"],
    };
    let step = width / STEPS as f64;
    let mut svg = String::new();
    for place in 0..STEPS {
        let color = color((place as f64 + 0.5) / STEPS as f64, [0.0, 1.0]);
        let x = step * place as f64;
        // A little overlap hides the seams.
        let _ = write!(
            svg,
            "<rect x=\"{x:.2}\" y=\"0\" width=\"{:.2}\" height=\"7\" fill=\"{color}\"/>",
            step + 0.4
        );
    }
    let [left, right] = ends;
    format!(
        "{svg}\n<text x=\"-8\" y=\"8\" text-anchor=\"end\" class=\"small\">{left}</text>\
         <text x=\"{:.0}\" y=\"8\" class=\"small\">{right}</text>\n",
        width + 8.0
    )
}

fn share(value: f64, [least, most]: [f64; 2]) -> f64 {
    ((value - least) / (most - least)).clamp(0.0, 1.0)
}

fn color(value: f64, range: [f64; 2]) -> String {
    // The brightest tenth of the map is hard to see on white.
    let color = continuous_color(0.9 * share(value, range));
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_the_same_in_both_directions() {
        let placement = Placement::of(&[[0.0, 0.0], [4.0, 1.0]]);
        let [left, right] = [placement.place(&[0.0, 0.5]), placement.place(&[4.0, 0.5])];
        assert!((left[0] - MARGIN).abs() < 1e-9 && (right[0] - (SIDE - MARGIN)).abs() < 1e-9);
        let up = placement.place(&[0.0, 1.5]);
        assert!((left[1] - up[1] - (right[0] - left[0]) / 4.0).abs() < 1e-9);
    }
}
