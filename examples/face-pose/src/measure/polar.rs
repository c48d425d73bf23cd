//! The fit of a polar grid to embedded poses.

use crate::faces::Pose;
use serde::{Deserialize, Serialize};

use super::{Point, correlation};

/// Unknowns of the fit at a given winding: the center, and two complex numbers.
const UNKNOWNS: usize = 6;

/// Windings that are tried: at 4 a quarter turn of the head would be a full turn in the plane.
const WINDINGS: [f64; 2] = [0.25, 4.0];
const WINDING_STEP: f64 = 0.05;

/// Polar coordinates of rotation and size in the plane of a network's outputs.
///
/// ```text
/// z ≈ c + (a + b (h - h̄)) exp(i κ θ)          z, c, a, b complex; θ the rotation in radians, h the height
/// ```
/// κ, the winding, says how far a point goes around the center c while its face turns; it is negative where the
/// plane is a mirror image. |a| is the mean distance from the center, the direction of a that of upright faces.
/// For each κ, c, a and b are a linear least-squares problem; κ is found on a grid and refined by golden
/// section. The form is what the network is tested for, so correlations are measured by [`scores`](Self::scores)
/// without it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolarMap {
    /// The center c.
    pub center: Point,
    /// κ, turns in the plane a turn of the head.
    pub winding: f64,
    /// The direction of upright faces from the center, in radians.
    pub upright: f64,
    /// The mean distance of faces from the center.
    pub radius: f64,
}

/// How polar a plane is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolarScores {
    /// Correlation of the angle around the center with the rotation.
    pub angle: f64,
    /// Correlation of the distance from the center with the height; negative where large faces are inside.
    pub radius: f64,
}

impl PolarMap {
    /// The polar coordinates that fit these points best; `None` for points that determine none.
    ///
    /// # Panics
    /// If there is not one pose a point.
    pub fn fit(points: &[Point], poses: &[Pose]) -> Option<Self> {
        assert_eq!(points.len(), poses.len(), "every point has a pose");
        if points.iter().flatten().any(|value| !value.is_finite()) {
            return None;
        }
        let residual = |winding: f64| {
            Fit::at(winding, points, poses).map_or(f64::INFINITY, |fit| fit.residual)
        };
        let steps = ((WINDINGS[1] - WINDINGS[0]) / WINDING_STEP).round() as usize;
        let grid = (0..=steps).map(|step| WINDINGS[0] + WINDING_STEP * step as f64);
        let best = grid
            .flat_map(|winding| [winding, -winding])
            .min_by(|one, other| residual(*one).total_cmp(&residual(*other)))?;
        let winding = golden_section(best - WINDING_STEP, best + WINDING_STEP, residual);
        let [cx, cy, ax, ay, ..] = Fit::at(winding, points, poses)?.solution;
        Some(Self { center: [cx, cy], winding, upright: ay.atan2(ax), radius: ax.hypot(ay) })
    }

    /// The angle of a point around the center, from the direction of upright faces, in degrees within ±180;
    /// positive where the fit sees a clockwise turn of the head.
    pub fn angle(&self, point: &Point) -> f64 {
        let (dx, dy) = (point[0] - self.center[0], point[1] - self.center[1]);
        let (sine, cosine) = self.upright.sin_cos();
        let angle = (dy * cosine - dx * sine).atan2(dx * cosine + dy * sine);
        self.winding.signum() * angle.to_degrees()
    }

    /// The distance of a point from the center.
    pub fn distance(&self, point: &Point) -> f64 {
        (point[0] - self.center[0]).hypot(point[1] - self.center[1])
    }

    /// How well angle and distance of these points tell their poses.
    ///
    /// # Panics
    /// If there is not one pose a point.
    pub fn scores(&self, points: &[Point], poses: &[Pose]) -> PolarScores {
        let angles: Vec<f64> = points.iter().map(|point| self.angle(point)).collect();
        let distances: Vec<f64> = points.iter().map(|point| self.distance(point)).collect();
        let rotations: Vec<f64> = poses.iter().map(|pose| pose.rotation).collect();
        let heights: Vec<f64> = poses.iter().map(|pose| pose.height).collect();
        PolarScores {
            angle: correlation(&angles, &rotations),
            radius: correlation(&distances, &heights),
        }
    }
}

/// The least-squares fit at one winding.
struct Fit {
    /// Real and imaginary parts of c, a and b.
    solution: [f64; UNKNOWNS],
    residual: f64,
}

impl Fit {
    fn at(winding: f64, points: &[Point], poses: &[Pose]) -> Option<Self> {
        let mean = poses.iter().map(|pose| pose.height).sum::<f64>() / poses.len().max(1) as f64;
        let mut normal = [[0.0; UNKNOWNS + 1]; UNKNOWNS];
        let mut squares = 0.0;
        for (point, pose) in points.iter().zip(poses) {
            let (sine, cosine) = (winding * pose.rotation.to_radians()).sin_cos();
            let height = pose.height - mean;
            let rows = [
                ([1.0, 0.0, cosine, -sine, height * cosine, -height * sine], point[0]),
                ([0.0, 1.0, sine, cosine, height * sine, height * cosine], point[1]),
            ];
            for (row, value) in rows {
                squares += value * value;
                for (equation, factor) in normal.iter_mut().zip(row) {
                    for (cell, other) in equation.iter_mut().zip(row) {
                        *cell += factor * other;
                    }
                    equation[UNKNOWNS] += factor * value;
                }
            }
        }
        let right = normal.map(|equation| equation[UNKNOWNS]);
        let solution = solve(normal)?;
        let explained: f64 = solution.iter().zip(right).map(|(x, b)| x * b).sum();
        Some(Self { solution, residual: squares - explained })
    }
}

/// Solves linear equations (the last column is the right side) by elimination with pivots; `None` where they
/// are singular.
fn solve(mut rows: [[f64; UNKNOWNS + 1]; UNKNOWNS]) -> Option<[f64; UNKNOWNS]> {
    let largest = rows.iter().flatten().fold(0.0_f64, |largest, cell| largest.max(cell.abs()));
    for column in 0..UNKNOWNS {
        let pivot = (column..UNKNOWNS)
            .max_by(|&one, &other| rows[one][column].abs().total_cmp(&rows[other][column].abs()))?;
        rows.swap(column, pivot);
        if rows[column][column].abs() <= 1e-13 * largest {
            return None;
        }
        let leading = rows[column];
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / leading[column];
            for (cell, above) in row.iter_mut().zip(leading).skip(column) {
                *cell -= factor * above;
            }
        }
    }
    let mut solution = [0.0; UNKNOWNS];
    for column in (0..UNKNOWNS).rev() {
        let known: f64 =
            (column + 1..UNKNOWNS).map(|other| rows[column][other] * solution[other]).sum();
        solution[column] = (rows[column][UNKNOWNS] - known) / rows[column][column];
    }
    Some(solution)
}

/// The least point of a function between two bounds, to a 1e-8 of their distance.
fn golden_section(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const ROUNDS: usize = 38;
    let share = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..ROUNDS {
        let (left, right) = (high - share * (high - low), low + share * (high - low));
        if value(left) <= value(right) {
            high = right;
        } else {
            low = left;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Poses on a grid of the ranges of the paper.
    fn poses() -> Vec<Pose> {
        let angle = |i: usize| -45.0 + 2.25 * i as f64;
        let heights = [25.0, 28.0, 31.5, 35.0];
        (0..=40).flat_map(|i| heights.map(|height| Pose { rotation: angle(i), height })).collect()
    }

    fn polar_points(winding: f64, upright: f64) -> Vec<Point> {
        let at = |pose: &Pose| {
            let angle = upright + winding * pose.rotation.to_radians();
            let radius = 4.0 - 0.05 * pose.height;
            [7.0 + radius * angle.cos(), -3.0 + radius * angle.sin()]
        };
        poses().iter().map(at).collect()
    }

    #[test]
    fn an_exact_polar_map_is_found_and_scores_one() {
        for (winding, upright) in [(3.2, 0.7), (-1.5, 3.0), (0.5, -2.0), (2.0, 1.6)] {
            let points = polar_points(winding, upright);
            let map = PolarMap::fit(&points, &poses()).unwrap();
            assert!((map.winding - winding).abs() < 1e-5, "{map:?}");
            assert!((map.center[0] - 7.0).abs() < 1e-4 && (map.center[1] + 3.0).abs() < 1e-4);
            assert!((map.upright - upright).abs() < 1e-4, "{map:?}");
            // The mean height is 29.875.
            assert!((map.radius - (4.0 - 0.05 * 29.875)).abs() < 1e-4);
            let scores = map.scores(&points, &poses());
            assert!((scores.angle - 1.0).abs() < 1e-9, "{scores:?}");
            assert!((scores.radius + 1.0).abs() < 1e-6, "{scores:?}");
        }
    }

    #[test]
    fn angles_are_degrees_from_upright_clockwise_as_the_head() {
        let map = PolarMap { center: [1.0, 1.0], winding: -2.0, upright: 0.0, radius: 1.0 };
        assert!((map.angle(&[2.0, 1.0])).abs() < 1e-12);
        // A quarter turn to positive angles; the plane is a mirror image.
        assert!((map.angle(&[1.0, 3.0]) + 90.0).abs() < 1e-12);
        assert!((map.distance(&[1.0, 3.0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_plane_without_poses_scores_near_zero() {
        let poses = poses();
        let points: Vec<Point> = (0..poses.len())
            .map(|i| [((i * 7919) % 97) as f64 / 97.0, ((i * 104_729) % 89) as f64 / 89.0])
            .collect();
        let scores = PolarMap::fit(&points, &poses).unwrap().scores(&points, &poses);
        assert!(scores.angle.abs() < 0.4 && scores.radius.abs() < 0.4, "{scores:?}");
    }

    #[test]
    fn points_that_determine_no_center_have_no_map() {
        assert!(PolarMap::fit(&[], &[]).is_none());
        let pose = Pose { rotation: 3.0, height: 30.0 };
        assert!(PolarMap::fit(&[[0.0, 1.0]; 5], &[pose; 5]).is_none());
        assert!(PolarMap::fit(&[[f64::NAN, 1.0]], &[pose]).is_none());
    }
}
