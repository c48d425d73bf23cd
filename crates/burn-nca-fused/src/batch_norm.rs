//! Batch normalization of rows and its gradient, in few passes: sums of columns are taken row by row, as rows lie in memory.

use rayon::prelude::*;

use crate::Real;

/// Rows of a group; a fixed number, for the order of sums.
const GROUP: usize = 256;

/// What `(x - mean) / sqrt(variance + ε) γ + β` is computed of, mean and variance being those of the columns of x.
#[derive(Clone, Copy)]
pub(crate) struct BatchNorm<'a, T> {
    /// `[n, c]`.
    pub(crate) x: &'a [T],
    /// `[c]`.
    pub(crate) gamma: &'a [T],
    pub(crate) epsilon: f64,
}

impl<T: Real> BatchNorm<'_, T> {
    /// The output `[n, c]`, the means and the variances, by n.
    pub(crate) fn normalize(&self, beta: &[T]) -> [Vec<T>; 3] {
        let mean = self.means(self.sums(self.x, |sums, x, _| {
            sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum = *sum + x);
        }));
        let variance = self.means(self.sums(self.x, |sums, x, _| {
            for ((sum, &x), &mean) in sums.iter_mut().zip(x).zip(&mean) {
                *sum = *sum + (x - mean) * (x - mean);
            }
        }));
        let scales = self.scales(&self.roots(&variance));
        let output = self.rows_of(self.x, |y, x, _| {
            let columns = mean.iter().zip(&scales).zip(beta);
            for ((y, &x), ((&mean, &scale), &beta)) in y.iter_mut().zip(x).zip(columns) {
                *y = (x - mean) * scale + beta;
            }
        });
        [output, mean, variance]
    }

    /// The gradients of x, γ and β, from means, variances and the gradient of the output.
    ///
    /// ```text
    /// x̂ = (x - mean) / sqrt(variance + ε):   ∂β = Σ g,   ∂γ = Σ g x̂,   ∂x = γ / sqrt(variance + ε) (g - ∂β / n - x̂ ∂γ / n)
    /// ```
    pub(crate) fn gradients(&self, [mean, variance]: [&[T]; 2], gradient: &[T]) -> [Vec<T>; 3] {
        let of_beta = self.sums(gradient, |sums, _, g| {
            sums.iter_mut().zip(g).for_each(|(sum, &g)| *sum = *sum + g);
        });
        let mut of_gamma = self.sums(gradient, |sums, x, g| {
            for (((sum, &x), &g), &mean) in sums.iter_mut().zip(x).zip(g).zip(mean) {
                *sum = *sum + g * (x - mean);
            }
        });
        let roots = self.roots(variance);
        of_gamma.iter_mut().zip(&roots).for_each(|(of, &root)| *of = *of / root);
        let [means, products] = [&of_beta, &of_gamma].map(|sums| self.means(sums.clone()));
        let scales = self.scales(&roots);
        // Of x less its mean.
        let factors: Vec<T> = products.iter().zip(&roots).map(|(&x, &root)| x / root).collect();
        let of_x = self.rows_of(gradient, |of_x, x, g| {
            let columns = scales.iter().zip(&means).zip(mean).zip(&factors);
            for (((of, &x), &g), (((&scale, &of_g), &mean), &factor)) in
                of_x.iter_mut().zip(x).zip(g).zip(columns)
            {
                *of = scale * (g - of_g - (x - mean) * factor);
            }
        });
        [of_x, of_gamma, of_beta]
    }

    /// `sqrt(variance + ε)` of each column.
    fn roots(&self, variance: &[T]) -> Vec<T> {
        variance.iter().map(|&variance| (variance + T::from_f64(self.epsilon)).sqrt()).collect()
    }

    /// γ over the roots.
    fn scales(&self, roots: &[T]) -> Vec<T> {
        self.gamma.iter().zip(roots).map(|(&gamma, &root)| gamma / root).collect()
    }

    /// Sums of the columns over the number of rows.
    fn means(&self, sums: Vec<T>) -> Vec<T> {
        let n = T::from_f64((self.x.len() / sums.len().max(1)) as f64);
        sums.into_iter().map(|sum| sum / n).collect()
    }

    /// The sums `[c]` of what `add` adds of each row of x and of others `[n, c]`.
    fn sums(&self, others: &[T], add: impl Fn(&mut [T], &[T], &[T]) + Sync) -> Vec<T> {
        let c = self.gamma.len();
        let size = (GROUP * c).max(1);
        let groups: Vec<Vec<T>> = (self.x.par_chunks(size).zip(others.par_chunks(size)))
            .map(|(x, others)| {
                let mut sums = vec![T::ZERO; c];
                let rows = x.chunks_exact(c).zip(others.chunks_exact(c));
                rows.for_each(|(x, others)| add(&mut sums, x, others));
                sums
            })
            .collect();
        (0..c).map(|column| groups.iter().fold(T::ZERO, |sum, part| sum + part[column])).collect()
    }

    /// The rows `[n, c]` that `write` writes of each row of x and of others `[n, c]`.
    fn rows_of(&self, others: &[T], write: impl Fn(&mut [T], &[T], &[T]) + Sync) -> Vec<T> {
        let c = self.gamma.len();
        let size = (GROUP * c).max(1);
        let mut rows = vec![T::ZERO; self.x.len()];
        let groups = rows.par_chunks_mut(size).zip(self.x.par_chunks(size));
        groups.zip(others.par_chunks(size)).for_each(|((rows, x), others)| {
            let inputs = x.chunks_exact(c).zip(others.chunks_exact(c));
            rows.chunks_exact_mut(c)
                .zip(inputs)
                .for_each(|(row, (x, others))| write(row, x, others));
        });
        rows
    }
}
