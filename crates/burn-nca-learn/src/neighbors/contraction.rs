//! Points in few coordinates, between which no distance is longer than between the points themselves.

use rayon::prelude::*;

use super::candidate_filter::center_and_scale;
use super::points::Points;
use crate::baseline::{PcaConfig, Projection, product};
use crate::data::Features;

/// The most coordinates of a contracted point.
const MAX_COORDINATES: usize = 64;

/// The most rows, and numbers in these, that the directions are computed from: any are right, good ones are fast.
const SAMPLE_ROWS: usize = 4096;
const SAMPLE_VALUES: usize = 1 << 22;

/// Rows that are mapped together; bounds the memory of their copy.
const ROW_BLOCK: usize = 1024;

/// A map of points to coordinates in f32 that never lengthens a distance (but for rounding).
///
/// ```text
/// x' = s (x - c)                             c = mean of the references, s = a power of two: |x'| <= 1
/// t(x) = (v_1·x', …, v_l·x', r),   r² = ||x'||² - Σ_a (v_a·x')²
/// ||t(x) - t(y)|| <= s ||x - y||
/// ```
/// The v are orthonormal: the leading principal directions of (a sample of) the references, so that a distance in the
/// first coordinates alone is long already. r is the length of what they leave of a point (two such lengths differ by no
/// more than the vectors do); up to 64 dimensions all directions are kept, and r is not there.
///
/// # Numerics
/// Mapped in f64, kept in f32. With unit rounding u = 2^-24 each coordinate errs by at most u of itself, and r besides by
/// `sqrt((2 d + 128) 2^-52) ||x'||` for the cancellation under its root.
pub(super) struct Contraction {
    center: Vec<f64>,
    /// s, which brings all coordinates of references and queries, centered, into -1..1.
    pub(super) scale: f64,
    /// The transpose of the directions, `[d, l]`.
    directions: Vec<f64>,
    kept: usize,
}

/// Contracted points, row-major.
pub(super) struct Contracted {
    pub(super) coordinates: Vec<f32>,
    /// Coordinates of a point.
    pub(super) width: usize,
    /// The largest `||x'||`.
    largest_norm: f64,
}

impl Contraction {
    /// The map for these queries and references.
    pub(super) fn of(queries: &Points, references: &Points) -> Self {
        let (center, scale) = center_and_scale(queries, references);
        let d = references.dimensions();
        let kept = if d <= MAX_COORDINATES { d } else { MAX_COORDINATES - 1 };
        let m = references.rows();
        let size = m.min(SAMPLE_ROWS).min((SAMPLE_VALUES / d).max(2 * MAX_COORDINATES));
        let sample: Vec<usize> = (0..size).map(|at| at * m / size).collect();
        let rows = sample.iter().map(|&row| references.row(row));
        let sample = centered(rows, &center, scale);
        let pca = Features::unnamed(sample, d).and_then(|sample| PcaConfig::new(kept).fit(&sample));
        let directions = match pca {
            Ok(pca) => pca.projection.into_weight(),
            // Where principal directions cannot be had, those of the first features.
            Err(_) => Projection::rectangular_identity(d, kept).into_weight(),
        };
        Self { center, scale, directions, kept }
    }

    /// How much longer a contracted distance of two points may be than the distance itself.
    pub(super) fn slack(&self, queries: &Contracted, references: &Contracted) -> f64 {
        let d = self.center.len();
        let canceled = ((2 * d + 128) as f64 * 2f64.powi(-52)).sqrt();
        let relative = 2f64.powi(-23) + if self.is_isometric() { 0.0 } else { canceled };
        relative * (queries.largest_norm + references.largest_norm)
    }

    /// Whether all directions are kept, so that no distance is shortened either.
    pub(super) fn is_isometric(&self) -> bool {
        self.kept == self.center.len()
    }

    /// The points under the map.
    pub(super) fn map(&self, points: &Points) -> Contracted {
        let (d, kept) = (points.dimensions(), self.kept);
        let width = kept + usize::from(kept < d);
        let mut coordinates = vec![0.0; points.rows() * width];
        // Writes the coordinates of some points; gives the largest `||x'||²`.
        let write = |(block, coordinates): (usize, &mut [f32])| {
            let first = block * ROW_BLOCK;
            let rows = (first..first + coordinates.len() / width).map(|row| points.row(row));
            let rows = centered(rows, &self.center, self.scale);
            let along = product(&rows, &self.directions, d);
            let rows = rows.chunks_exact(d).zip(along.chunks_exact(kept));
            let mut largest = 0.0;
            for (to, (row, along)) in coordinates.chunks_exact_mut(width).zip(rows) {
                let norm = squared_norm(row);
                largest = f64::max(largest, norm);
                to.iter_mut().zip(along).for_each(|(to, &x)| *to = x as f32);
                if kept < d {
                    to[kept] = (norm - squared_norm(along)).max(0.0).sqrt() as f32;
                }
            }
            largest
        };
        let blocks = coordinates.par_chunks_mut(ROW_BLOCK * width).enumerate();
        let largest_norm = blocks.map(write).reduce(|| 0.0, f64::max).sqrt();
        Contracted { coordinates, width, largest_norm }
    }
}

impl Contracted {
    /// The coordinates of row `index`.
    pub(super) fn row(&self, index: usize) -> &[f32] {
        &self.coordinates[index * self.width..(index + 1) * self.width]
    }
}

/// `scale (row - center)` of each row.
fn centered<'p>(rows: impl Iterator<Item = &'p [f64]>, center: &[f64], scale: f64) -> Vec<f64> {
    rows.flat_map(|row| row.iter().zip(center).map(|(x, c)| (x - c) * scale)).collect()
}

fn squared_norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::random_points;
    use super::super::points::sq_distance;
    use super::*;

    /// Features of unlike spread, as those of images are.
    fn random(rows: usize, d: usize, offset: f64) -> Points {
        random_points([rows, d], d as u64, |c, x| offset + x / (1.0 + c as f64))
    }

    #[test]
    fn no_distance_becomes_longer_and_all_are_kept_in_few_dimensions() {
        for (d, offset) in [(1, 0.0), (3, 1e3), (64, 0.0), (65, 0.0), (200, 1e3)] {
            let points = random(60, d, offset);
            let map = Contraction::of(&points, &points);
            let short = map.map(&points);
            let slack = map.slack(&short, &short);
            assert!(slack < 1e-4, "{d} dimensions: {slack:e}");
            for i in 0..60 {
                for j in 0..60 {
                    let coordinates = short.row(i).iter().zip(short.row(j));
                    let contracted: f64 =
                        coordinates.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
                    let full = map.scale * sq_distance(points.row(i), points.row(j)).sqrt();
                    assert!(contracted.sqrt() <= full + slack, "{d} dimensions, {i} and {j}");
                    if d <= MAX_COORDINATES {
                        assert!(contracted.sqrt() >= full - slack, "{d} dimensions, {i} and {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_row_is_no_trouble() {
        let points = random(1, 70, 0.0);
        let short = Contraction::of(&points, &points).map(&points);
        assert_eq!((short.width, short.row(0)), (64, [0.0; 64].as_slice()));
    }
}
