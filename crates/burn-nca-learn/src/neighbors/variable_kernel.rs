//! The variable-kernel rule: few neighbors, weighted by a Gaussian as wide as they are far.

use burn::config::Config;
use burn::tensor::Tensor;

use super::ClassReferences;
use super::probabilities::ClassProbabilities;
use super::ranking::Neighbors;
use super::search::NearestConfig;
use crate::error::{Error, Result};

/// The variable-kernel rule of Lowe: class probabilities from the K nearest references, whose kernel is as wide as the
/// nearest of them are far.
///
/// ```text
/// p_i = Σ_k n_k s_ki / Σ_k n_k,   n_k = exp(-d_k² / 2σ²),   σ = (r / M) Σ_{m≤M} d_m        (section 3 of [1])
/// d_1 ≤ … ≤ d_K: distances in the embedding; s_ki: whether neighbor k is of class i
/// ```
/// It does not depend on the scale of the embedding. Where σ is 0, as the M nearest coincide with the query itself, or too
/// small for a second distance, the nearest alone decide, all with the same weight.
///
/// # References
/// \[1\] J. J. Naudé, M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel Classifier, 2002;
/// D. G. Lowe, Similarity Metric Learning for a Variable-Kernel Classifier, Neural Computation 7, 1995.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::{ClassReferences, VariableKernel};
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[1.0], [2.0], [50.0]], &device);
/// let queries = Tensor::<2>::from_floats([[0.0]], &device);
/// let rule = VariableKernel::new().with_neighbors(2).with_averaged(1);
/// let p = rule.probabilities(&queries, ClassReferences::new(&references, &[0, 1, 1], 2), None)?;
/// // σ = 1: exp(-1/2) against exp(-4/2)
/// assert!((p.probability(0, 1) - 1.0 / (1.0 + 1.5f64.exp())).abs() < 1e-12);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug, Copy, PartialEq)]
pub struct VariableKernel {
    /// Number of neighbors, K.
    #[config(default = 10)]
    pub neighbors: usize,
    /// Number of the nearest of them whose mean distance is the width, M.
    #[config(default = 5)]
    pub averaged: usize,
    /// The width as a multiple of that mean, r.
    #[config(default = 1.0)]
    pub width: f64,
}

impl VariableKernel {
    /// Checks the ranges.
    ///
    /// # Errors
    /// K of 0, M of 0 or more than K, or r that is not positive.
    pub fn check(&self) -> Result<()> {
        let Self { neighbors, averaged, width } = *self;
        if neighbors == 0 {
            return Err(Error::setting(
                "the variable kernel has 0 neighbors; give 1 or more, such as 10",
            ));
        }
        if averaged == 0 || averaged > neighbors {
            return Err(Error::setting(format!(
                "the variable kernel averages over {averaged} of {neighbors} neighbors; give 1 to {neighbors} of them"
            )));
        }
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::setting(format!(
                "the width of the variable kernel is {width} mean distances; give a positive number, such as 1"
            )));
        }
        Ok(())
    }

    /// The class probabilities of each query, each n_k times the weight of its reference; `own[i]` is the reference row that is
    /// query i, left out. A class without a row among the K nearest has probability 0.
    ///
    /// # Errors
    /// What [`VariableKernel::check`] and a search for the K nearest refuse, or labels that do not fit.
    pub fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let ClassReferences { embedding, labels, classes, weights, .. } = references;
        self.check()?;
        let search = NearestConfig::new(self.neighbors);
        let found = search.search_excluding(queries, embedding, references.exclude(own)?)?;
        let mut logs = Vec::with_capacity(found.rows() * classes);
        for row in 0..found.rows() {
            let kernel = self.weights(&found, row);
            let voters = || found.indices(row).iter().map(|&at| at as usize).zip(&kernel);
            let counted = |weights: &&[f64]| voters().any(|(at, n)| weights[at] * n > 0.0);
            let weights = weights.filter(counted);
            let mut shares = vec![0.0; classes];
            for (neighbor, n) in voters() {
                shares[labels[neighbor]] += n * weights.map_or(1.0, |weights| weights[neighbor]);
            }
            let sum: f64 = shares.iter().sum();
            logs.extend(shares.into_iter().map(|share| (share / sum).ln()));
        }
        Ok(ClassProbabilities::from_logs(logs, classes))
    }

    /// The weight of each of the K nearest, relative to the first.
    fn weights(&self, found: &Neighbors, row: usize) -> Vec<f64> {
        let squares = found.sq_distances(row);
        let mean: f64 =
            squares[..self.averaged].iter().map(|d2| d2.sqrt()).sum::<f64>() / self.averaged as f64;
        let sigma = self.width * mean;
        let weight = |d2: &f64| {
            if *d2 == squares[0] {
                return 1.0;
            }
            // Each distance over the width first, so that no square underflows.
            let (near, far) = (squares[0].sqrt() / sigma, d2.sqrt() / sigma);
            let log = -0.5 * (far - near) * (far + near);
            // Both are infinite, or the nearest coincides with the query: the kernel is too narrow for the farther one.
            if log.is_nan() { 0.0 } else { log.exp() }
        };
        squares.iter().map(weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::line;
    use super::*;

    #[test]
    fn probabilities_are_those_worked_by_hand_at_any_scale() {
        // Distances 1, 2, 4 of K = 3; M = 2, r = 2: σ = 3.
        let rule = VariableKernel::new().with_neighbors(3).with_averaged(2).with_width(2.0);
        let n = [1f64, 4.0, 16.0].map(|d2| (-d2 / 18.0).exp());
        for scale in [1.0, 1e-12, 1e12] {
            let references = line(&[2.0, -1.0, 100.0, 4.0].map(|x| x * scale));
            let references = ClassReferences::new(&references, &[1, 0, 2, 1], 3);
            let found = rule.probabilities(&line(&[0.0]), references, None).unwrap();
            let expected = n[0] / (n[0] + n[1] + n[2]);
            assert!((found.probability(0, 0) - expected).abs() < 1e-7);
            assert_eq!(found.probability(0, 2), 0.0);
        }
    }

    #[test]
    fn a_weight_counts_a_neighbor_as_often() {
        let rule = VariableKernel::new().with_neighbors(2).with_averaged(1);
        let (query, references) = (line(&[0.0]), line(&[1.0, -1.0, 9.0]));
        let share = |weights: Option<&[f64]>| {
            let of =
                ClassReferences { weights, ..ClassReferences::new(&references, &[0, 1, 1], 2) };
            rule.probabilities(&query, of, None).unwrap().probability(0, 1)
        };
        assert_eq!(share(None), 0.5);
        assert!((share(Some(&[1.0, 3.0, 9.0])) - 0.75).abs() < 1e-12);
        assert_eq!(share(Some(&[0.0, 1.0, 9.0])), 1.0, "the next two decide");
    }

    #[test]
    fn the_nearest_alone_decide_under_the_narrowest_kernel() {
        for width in [1e-320, 1e-300, 1e-12] {
            let rule = VariableKernel::new().with_neighbors(3).with_averaged(2).with_width(width);
            let (queries, references) = (line(&[0.0]), line(&[2.0, -1.0, 1.0]));
            let references = ClassReferences::new(&references, &[0, 1, 2], 3);
            let found = rule.probabilities(&queries, references, None).unwrap();
            let p = [0, 1, 2].map(|class| found.probability(0, class));
            assert_eq!(p, [0.0, 0.5, 0.5], "{width}");
        }
    }

    #[test]
    fn points_at_the_query_itself_decide_alone() {
        let rule = VariableKernel::new().with_neighbors(3).with_averaged(2);
        let points = line(&[0.0, 0.0, 0.0, 1.0]);
        let own = [0, 1, 2, 3];
        let references = ClassReferences::new(&points, &[0, 1, 1, 0], 2);
        let found = rule.probabilities(&points, references, Some(&own)).unwrap();
        assert_eq!([0, 1].map(|row| found.probability(row, 1)), [1.0, 0.5]);
        // The three that are 1 away weigh the same.
        assert!((found.probability(3, 1) - 2.0 / 3.0).abs() < 1e-12);
    }
}
