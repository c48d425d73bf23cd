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

/// Numbers of the columns, `[c]`.
type Columns<T> = Vec<T>;

impl<T: Real> BatchNorm<'_, T> {
    /// The output `[n, c]`, the means and the variances, by n.
    pub(crate) fn normalize(&self, beta: &[T]) -> [Vec<T>; 3] {
        let mean = self.mean_of(self.x, |sums, x, _| {
            sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum = *sum + x);
        });
        let variance = self.mean_of(self.x, |sums, x, _| {
            for ((sum, &x), &mean) in sums.iter_mut().zip(x).zip(&mean) {
                *sum = *sum + (x - mean) * (x - mean);
            }
        });
        let mut output = self.x.to_vec();
        let scales: Columns<T> = self.scales(&variance).map(|[_, scale]| scale).collect();
        self.for_each_row(&mut output, |row, _| {
            for (((x, &mean), &scale), &beta) in row.iter_mut().zip(&mean).zip(&scales).zip(beta) {
                *x = (*x - mean) * scale + beta;
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
        let [of_beta, products] = [
            self.mean_of(gradient, |sums, _, g| {
                sums.iter_mut().zip(g).for_each(|(sum, &g)| *sum = *sum + g);
            }),
            self.mean_of(gradient, |sums, x, g| {
                for (((sum, &x), &g), &mean) in sums.iter_mut().zip(x).zip(g).zip(mean) {
                    *sum = *sum + g * (x - mean);
                }
            }),
        ];
        let [roots, scales]: [Columns<T>; 2] =
            [0, 1].map(|part| self.scales(variance).map(|both| both[part]).collect());
        let of_gamma: Columns<T> =
            products.iter().zip(&roots).map(|(&x, &root)| x / root).collect();
        // Of x less its mean.
        let factors: Columns<T> = of_gamma.iter().zip(&roots).map(|(&x, &root)| x / root).collect();
        let mut of_x = gradient.to_vec();
        self.for_each_row(&mut of_x, |row, x| {
            let columns = scales.iter().zip(&of_beta).zip(mean).zip(&factors);
            for ((g, &x), (((&scale, &of_beta), &mean), &factor)) in
                row.iter_mut().zip(x).zip(columns)
            {
                *g = scale * (*g - of_beta - (x - mean) * factor);
            }
        });
        let n = T::from_f64(self.rows() as f64);
        let [of_gamma, of_beta] =
            [of_gamma, of_beta].map(|of| of.into_iter().map(|mean| mean * n).collect());
        [of_x, of_gamma, of_beta]
    }

    fn rows(&self) -> usize {
        self.x.len() / self.gamma.len().max(1)
    }

    /// `sqrt(variance + ε)` of each column, and γ over it.
    fn scales(&self, variance: &[T]) -> impl Iterator<Item = [T; 2]> {
        let root = |&variance: &T| (variance + T::from_f64(self.epsilon)).sqrt();
        variance.iter().map(root).zip(self.gamma).map(|(root, &gamma)| [root, gamma / root])
    }

    /// The mean over the rows of what `add` adds of each row of x and of others `[n, c]`.
    fn mean_of(&self, others: &[T], add: impl Fn(&mut [T], &[T], &[T]) + Sync) -> Columns<T> {
        let (c, size) = (self.gamma.len().max(1), (GROUP * self.gamma.len()).max(1));
        let groups = self.x.par_chunks(size).zip(others.par_chunks(size));
        let sums: Vec<Columns<T>> = groups
            .map(|(x, others)| {
                let mut sums = vec![T::ZERO; c];
                let rows = x.chunks_exact(c).zip(others.chunks_exact(c));
                rows.for_each(|(x, others)| add(&mut sums, x, others));
                sums
            })
            .collect();
        let n = T::from_f64(self.rows() as f64);
        (0..self.gamma.len())
            .map(|column| sums.iter().fold(T::ZERO, |sum, part| sum + part[column]) / n)
            .collect()
    }

    /// Changes each of other rows `[n, c]`, given that of x.
    fn for_each_row(&self, others: &mut [T], change: impl Fn(&mut [T], &[T]) + Sync) {
        let (c, size) = (self.gamma.len().max(1), (GROUP * self.gamma.len()).max(1));
        others.par_chunks_mut(size).zip(self.x.par_chunks(size)).for_each(|(others, x)| {
            others.chunks_exact_mut(c).zip(x.chunks_exact(c)).for_each(|(row, x)| change(row, x));
        });
    }
}
