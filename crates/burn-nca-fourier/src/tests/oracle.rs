//! The definitions, pair by pair in log space.

use core::ops::Range;

/// Points `[n, k]`, each with the others in its range.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'a> {
    pub(super) z: &'a [f64],
    pub(super) k: usize,
    pub(super) spans: &'a [Range<usize>],
}

impl Pairs<'_> {
    fn others(&self, i: usize) -> impl Iterator<Item = usize> {
        self.spans[i].clone().filter(move |j| *j != i)
    }

    fn difference(&self, i: usize, j: usize, axis: usize) -> f64 {
        self.z[i * self.k + axis] - self.z[j * self.k + axis]
    }

    pub(super) fn distance(&self, i: usize, j: usize) -> f64 {
        (0..self.k).map(|axis| self.difference(i, j, axis).powi(2)).sum()
    }

    pub(super) fn log_sums(&self) -> Vec<f64> {
        let log_sum = |i: usize| {
            let distances = || self.others(i).map(|j| self.distance(i, j));
            let least = distances().fold(f64::INFINITY, f64::min);
            distances().map(|d| (least - d).exp()).sum::<f64>().ln() - least
        };
        (0..self.spans.len()).map(log_sum).collect()
    }

    /// The gradient of `Σ_i g_i s_i` by the points.
    pub(super) fn log_sums_gradient(&self, g: &[f64]) -> Vec<f64> {
        self.gradient(&self.log_sums(), |i, _| g[i])
    }

    /// Means of values `[n, c]`.
    pub(super) fn means(&self, values: &[f64], c: usize) -> Vec<f64> {
        let (sums, mut means) = (self.log_sums(), vec![0.0; values.len()]);
        for (i, sum) in sums.iter().enumerate() {
            for j in self.others(i) {
                let share = (-self.distance(i, j) - sum).exp();
                (0..c).for_each(|at| means[i * c + at] += share * values[j * c + at]);
            }
        }
        means
    }

    /// The gradient of `Σ_ic g_ic t_ic` by the points.
    pub(super) fn means_gradient(&self, values: &[f64], c: usize, g: &[f64]) -> Vec<f64> {
        let means = self.means(values, c);
        self.gradient(&self.log_sums(), |i, j| {
            (0..c).map(|at| g[i * c + at] * (values[j * c + at] - means[i * c + at])).sum()
        })
    }

    /// `2 Σ_ij p_ij f_ij (z_j - z_i)` to each of the two points.
    fn gradient(&self, sums: &[f64], factor: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut gradient = vec![0.0; self.z.len()];
        for (i, sum) in sums.iter().enumerate() {
            for j in self.others(i) {
                let weight = 2.0 * factor(i, j) * (-self.distance(i, j) - sum).exp();
                for axis in 0..self.k {
                    let part = weight * self.difference(i, j, axis);
                    gradient[i * self.k + axis] -= part;
                    gradient[j * self.k + axis] += part;
                }
            }
        }
        gradient
    }
}
