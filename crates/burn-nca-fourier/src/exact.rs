//! Sums of single rows over all their references, in log space.

use pulp::Arch;
use rayon::prelude::*;

use crate::exp::exp;

/// Numbers that are added side by side.
const LANES: usize = 8;

/// References for which one task adds up what all rows push them by.
const CHUNK: usize = 2048;

/// Distances beyond the least of a row's from which a term counts as zero: `exp(-42) < 1e-18`.
const FARTHEST: f64 = 42.0;

/// References by coordinate; the second one is 0 where there is one dimension.
pub(crate) struct Columns([Vec<f64>; 2]);

/// What is known of a row: its place and its log sum; the reference that is the row itself, if one is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) at: [f64; 2],
    pub(crate) log_sum: f64,
    pub(crate) own: Option<usize>,
}

impl Columns {
    pub(crate) fn new(k: usize, coordinates: &[f64]) -> Self {
        let column = |axis: usize| -> Vec<f64> {
            let rows = coordinates.chunks_exact(k);
            rows.map(|row| row.get(axis).copied().unwrap_or(0.0)).collect()
        };
        Self([column(0), column(1)])
    }

    /// The parts without the row itself.
    fn parts(&self, own: Option<usize>) -> [[&[f64]; 2]; 2] {
        let ends = own.map_or((self.0[0].len(), self.0[0].len()), |own| (own, own + 1));
        [self.part(0, ends.0), self.part(ends.1, self.0[0].len())]
    }

    fn part(&self, start: usize, end: usize) -> [&[f64]; 2] {
        [&self.0[0][start..end], &self.0[1][start..end]]
    }

    /// `log Σ_j exp(-d_j)` and `Σ_j d_j exp(-d_j) / Σ_j exp(-d_j)` of the squared distances d of a point; -∞ and 0 where
    /// there is no reference.
    pub(crate) fn log_sum(&self, at: [f64; 2], own: Option<usize>) -> [f64; 2] {
        Arch::new().dispatch(|| {
            let mut least = f64::INFINITY;
            for part in self.parts(own) {
                least = least.min(least_distance(part, at));
            }
            if least == f64::INFINITY {
                return [f64::NEG_INFINITY, 0.0];
            }
            let (mut sum, mut moment) = (0.0, 0.0);
            for part in self.parts(own) {
                let found = sums(part, at, least);
                sum += found[0];
                moment += found[1];
            }
            [sum.ln() - least, least + moment / sum]
        })
    }

    /// The gradients by the rows and by the references of `Σ_i g_i s_i` with the log sums s of some rows.
    ///
    /// ```text
    /// dq_i = -2 g_i Σ_j p_ij (q_i - r_j),   dr_j = 2 Σ_i g_i p_ij (q_i - r_j),   p_ij = exp(-||q_i - r_j||² - s_i)
    /// ```
    pub(crate) fn gradients(&self, rows: &[Row], gradient: &[f64]) -> [Vec<[f64; 2]>; 2] {
        let of_rows = rows.par_iter().zip(gradient).map(|(row, g)| {
            Arch::new().dispatch(|| {
                let mut sum = [0.0; 2];
                for part in self.parts(row.own) {
                    let found = pulls(part, row);
                    sum = [sum[0] + found[0], sum[1] + found[1]];
                }
                sum.map(|sum| -2.0 * g * sum)
            })
        });
        let of_rows = of_rows.collect();
        let mut of_references = vec![[0.0; 2]; self.0[0].len()];
        of_references.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, sums)| {
            let start = chunk * CHUNK;
            let part = self.part(start, start + sums.len());
            Arch::new().dispatch(|| {
                for (row, g) in rows.iter().zip(gradient) {
                    // The row itself has the difference 0.
                    push(part, row, 2.0 * g, sums);
                }
            });
        });
        [of_rows, of_references]
    }
}

#[inline(always)]
fn sq_distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    x * x + y * y
}

/// Calls `each` with blocks of references, the last of which may be filled up by others at an infinite distance.
#[inline(always)]
fn in_lanes([xs, ys]: [&[f64]; 2], mut each: impl FnMut([f64; LANES], [f64; LANES])) {
    let (xs, rest_x) = xs.as_chunks::<LANES>();
    let (ys, rest_y) = ys.as_chunks::<LANES>();
    for (x, y) in xs.iter().zip(ys) {
        each(*x, *y);
    }
    if !rest_x.is_empty() {
        let mut last = [[f64::INFINITY; LANES]; 2];
        last[0][..rest_x.len()].copy_from_slice(rest_x);
        last[1][..rest_y.len()].copy_from_slice(rest_y);
        each(last[0], last[1]);
    }
}

#[inline(always)]
fn least_distance(part: [&[f64]; 2], at: [f64; 2]) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    in_lanes(part, |x, y| {
        for lane in 0..LANES {
            let distance = sq_distance([x[lane], y[lane]], at);
            least[lane] = if distance < least[lane] { distance } else { least[lane] };
        }
    });
    least.into_iter().fold(f64::INFINITY, f64::min)
}

/// `Σ_j exp(least - d_j)` and `Σ_j (d_j - least) exp(least - d_j)`.
#[inline(always)]
fn sums(part: [&[f64]; 2], at: [f64; 2], least: f64) -> [f64; 2] {
    let (mut sum, mut moment) = ([0.0; LANES], [0.0; LANES]);
    in_lanes(part, |x, y| {
        for lane in 0..LANES {
            let beyond = sq_distance([x[lane], y[lane]], at) - least;
            let term = if beyond > 2.0 * FARTHEST { 0.0 } else { exp(-beyond) };
            sum[lane] += term;
            moment[lane] += term * beyond.min(2.0 * FARTHEST);
        }
    });
    [sum.iter().sum(), moment.iter().sum()]
}

/// `Σ_j p_j (q - r_j)`.
#[inline(always)]
fn pulls(part: [&[f64]; 2], row: &Row) -> [f64; 2] {
    let mut sum = [[0.0; LANES]; 2];
    in_lanes(part, |x, y| {
        for lane in 0..LANES {
            let [dx, dy] = [row.at[0] - x[lane], row.at[1] - y[lane]];
            let beyond = dx * dx + dy * dy + row.log_sum;
            let term = exp((-beyond).min(0.0));
            sum[0][lane] += if beyond > FARTHEST { 0.0 } else { term * dx };
            sum[1][lane] += if beyond > FARTHEST { 0.0 } else { term * dy };
        }
    });
    sum.map(|sum| sum.iter().sum())
}

/// Adds `factor p_j (q - r_j)` to the sums of some references.
#[inline(always)]
fn push([xs, ys]: [&[f64]; 2], row: &Row, factor: f64, sums: &mut [[f64; 2]]) {
    for ((x, y), sum) in xs.iter().zip(ys).zip(sums) {
        let [dx, dy] = [row.at[0] - x, row.at[1] - y];
        let beyond = dx * dx + dy * dy + row.log_sum;
        // The row itself, at a difference of 0, may have any exponent.
        let weight = factor * exp((-beyond).min(0.0));
        sum[0] += if beyond > FARTHEST { 0.0 } else { weight * dx };
        sum[1] += if beyond > FARTHEST { 0.0 } else { weight * dy };
    }
}
