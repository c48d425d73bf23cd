//! The rule of latent coincidence analysis: the class whose mean a query most likely coincides with.

use burn::tensor::Tensor;
use burn_nca_fused::coincidence::Model;
use serde::{Deserialize, Serialize};

use super::kernel::log_sum;
use super::{ClassProbabilities, Points};
use crate::error::{Error, Result};

/// One latent space per class, side by side in the embedding, and a mean in each.
///
/// ```text
/// P(y_c = 1 | x) = (1 + 2σ_c²)^(-p/2) exp( -||W_c (x - μ_c)||² / 2(1 + 2σ_c²) ),   ŷ = argmax_c      (22)
/// ```
/// The events y_c are not exclusive, so (22) does not add up to 1; as probabilities of the classes they are divided by
/// their sum. References have no say beyond the means, which they cannot be left out of: k and `own` are ignored.
///
/// # References
/// M. Der, L. K. Saul, Latent Coincidence Analysis, NIPS 2012, section 3.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoincidenceRule {
    /// The class of each latent space.
    pub classes: Vec<usize>,
    /// Number of dimensions of each latent space, p.
    pub latent: usize,
    /// The mean of each class in its own space, row-major `[classes, p]`.
    pub means: Vec<f64>,
    /// σ² of each space.
    pub sigma_sq: Vec<f64>,
}

impl CoincidenceRule {
    /// log P(y_c = 1 | x) of each query and latent space, row-major `[m, classes]`.
    ///
    /// # Errors
    /// An embedding of other dimensions, or a coordinate that is not finite.
    pub fn log_probabilities(&self, queries: &Tensor<2>) -> Result<Vec<f64>> {
        let points = Points::read(queries, "queries")?;
        let (maps, p) = (self.classes.len(), self.latent);
        // Both come from a file, and their product may be none.
        let dimensions = maps.checked_mul(p);
        if dimensions != Some(points.dimensions())
            || dimensions != Some(self.means.len())
            || self.sigma_sq.len() != maps
        {
            return Err(Error::data(format!(
                "the queries have {} dimensions, the rule {maps} spaces of {p}; embed them with the map of the \
                 model",
                points.dimensions()
            )));
        }
        if let Some(bad) = self.sigma_sq.iter().find(|value| !(**value >= 0.0 && value.is_finite()))
        {
            return Err(Error::data(format!(
                "σ² of a latent space is {bad}, not a number from 0 up; fit the model again"
            )));
        }
        let mut logs = Vec::with_capacity(points.rows() * maps);
        for row in 0..points.rows() {
            let spaces = points.row(row).chunks_exact(p).zip(self.means.chunks_exact(p));
            for ((z, mean), sigma_sq) in spaces.zip(&self.sigma_sq) {
                let sq_distance = z.iter().zip(mean).map(|(z, m)| (z - m) * (z - m)).sum();
                let model = Model { k: p, sigma_sq: *sigma_sq, kappa_sq: 1.0 };
                logs.push(model.log_alike(sq_distance));
            }
        }
        Ok(logs)
    }

    /// The probability of each class.
    pub(crate) fn probabilities(
        &self,
        queries: &Tensor<2>,
        classes: usize,
    ) -> Result<ClassProbabilities> {
        if let Some(class) = self.classes.iter().find(|class| **class >= classes) {
            return Err(Error::data(format!(
                "the rule has a space for class {class}, but there are {classes} classes, counted from 0; give \
                 the classes of the model"
            )));
        }
        let logs = self.log_probabilities(queries)?;
        let mut normalized = vec![f64::NEG_INFINITY; queries.dims()[0] * classes];
        let rows = normalized.chunks_exact_mut(classes.max(1));
        for (row, logs) in rows.zip(logs.chunks_exact(self.classes.len())) {
            let sum = log_sum(logs);
            for (class, log) in self.classes.iter().zip(logs) {
                // Beyond all scales from every mean none is likelier than another.
                let none = sum == f64::NEG_INFINITY;
                row[*class] = if none { -(logs.len() as f64).ln() } else { log - sum };
            }
        }
        Ok(ClassProbabilities::from_logs(normalized, classes))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::neighbors::{ClassReferences, Rule};

    fn rule() -> CoincidenceRule {
        let (means, sigma_sq) = (vec![0.0, 3.0], vec![0.5, 2.0]);
        CoincidenceRule { classes: vec![0, 2], latent: 1, means, sigma_sq }
    }

    #[test]
    fn the_most_likely_mean_decides_by_equation_22() {
        let queries = Tensor::<2>::from_floats([[0.2, 0.5], [4.0, 2.0]], &Device::flex());
        let found = rule().log_probabilities(&queries).unwrap();
        let expected = |sq: f64, sigma_sq: f64| {
            let v = 1.0 + 2.0 * sigma_sq;
            v.powf(-0.5).ln() - sq / (2.0 * v)
        };
        assert!((found[0] - expected(0.04, 0.5)).abs() < 1e-6);
        assert!((found[1] - expected(6.25, 2.0)).abs() < 1e-6);
        let (rule, references) =
            (Rule::Coincidence(rule()), ClassReferences::new(&queries, &[0, 2], 3));
        assert_eq!(rule.classes(&queries, references, &[1, 5], None).unwrap(), [[0, 2], [0, 2]]);
        let shares = rule.shares(&queries, references, 1, None).unwrap();
        assert!((shares[0] - found[0].exp() / (found[0].exp() + found[1].exp())).abs() < 1e-12);
        assert_eq!(shares[1], 0.0);
        assert!((shares[3..].iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_embedding_of_other_spaces_is_refused() {
        let queries = Tensor::<2>::from_floats([[0.2, 0.5]], &Device::flex());
        let damaged = CoincidenceRule { latent: usize::MAX, ..rule() };
        assert!(damaged.log_probabilities(&queries).is_err());
        let far = CoincidenceRule { means: vec![1e300, -1e300], ..rule() };
        let found = far.probabilities(&queries, 3).unwrap();
        assert!((found.probability(0, 0) - 0.5).abs() < 1e-12 && found.probability(0, 1) == 0.0);
    }
}
