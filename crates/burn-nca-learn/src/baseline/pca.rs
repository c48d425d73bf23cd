//! Principal component analysis.

use burn::config::Config;

use super::means::mean;
use super::principal::{Principal, deviations};
use super::require::{require_dimensions, require_two_rows};
use super::scatter::clear_constant_columns;
use super::{Groups, Projection};
use crate::data::Features;
use crate::error::{Error, Result};

/// Principal component analysis: the k orthogonal directions of largest variance.
///
/// ```text
/// S = 1/(n-1) Σ_i (x_i - m)(x_i - m)ᵀ,   S v_j = λ_j v_j,   λ_1 ≥ λ_2 ≥ …,   A = [v_1 … v_k]ᵀ
/// ```
/// # Numerics
/// Eigenvectors of the covariance in f64; with fewer rows than features, of the covariance of the rows' coordinates in
/// their span, n x n. The directions of variances that are rounding noise are still orthonormal (and arbitrary), so k may
/// exceed the rank of the data.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::PcaConfig;
/// use burn_nca_learn::data::Features;
///
/// let x = Features::unnamed(vec![0.0, 1.0, 2.0, 1.0, 4.0, 1.0], 2)?;
/// let pca = PcaConfig::new(1).fit(&x)?;
/// assert_eq!(pca.explained_variance, [4.0]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug, PartialEq)]
pub struct PcaConfig {
    /// Number of directions, k.
    pub d_output: usize,
}

/// The result of a principal component analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// The map onto the directions.
    pub projection: Projection,
    /// The mean of each feature, `[d]`; the map does not subtract it (distances do not depend on it).
    pub mean: Vec<f64>,
    /// The variance along each direction, divisor n - 1, falling.
    pub explained_variance: Vec<f64>,
    /// The share of each direction in the variance of all d features, 0..1.
    pub explained_variance_ratio: Vec<f64>,
}

impl PcaConfig {
    /// Finds the directions.
    ///
    /// # Errors
    /// Fewer than two rows, k = 0, k > d, or eigenvectors that do not converge.
    pub fn fit(&self, features: &Features) -> Result<Pca> {
        self.check(features)?;
        let mean = mean(features);
        let principal = deviations(features, &mean, (features.rows() - 1) as f64).principal()?;
        Ok(self.of(&principal, mean))
    }

    /// Finds the directions of rows whose classes are known: their covariance serves PCA and
    /// [LDA](super::LdaConfig::fit_or_shrink_groups).
    ///
    /// # Errors
    /// As [`PcaConfig::fit`].
    pub fn fit_groups(&self, groups: &Groups<'_>) -> Result<Pca> {
        let (features, n) = (groups.features(), groups.rows());
        // Fewer rows than features are cheaper in their span.
        if n < features.columns() {
            return self.fit(features);
        }
        self.check(features)?;
        let (mut scatter, d) = (groups.total_covariance(), features.columns());
        scatter.iter_mut().for_each(|x| *x *= n as f64 / (n - 1) as f64);
        clear_constant_columns(&mut scatter, groups.rounding());
        Ok(self.of(&Principal::of_scatter(&scatter, d, None)?, groups.mean()))
    }

    fn check(&self, features: &Features) -> Result<()> {
        let (n, d, k) = (features.rows(), features.columns(), self.d_output);
        require_two_rows("PCA", n)?;
        require_dimensions("PCA", k)?;
        if k > d {
            return Err(Error::setting(format!(
                "PCA was asked for {k} dimensions of {d} features; ask for {d} or fewer"
            )));
        }
        Ok(())
    }

    fn of(&self, principal: &Principal, mean: Vec<f64>) -> Pca {
        let (k, d) = (self.d_output, mean.len());
        let variance = |j: usize| principal.variances().get(j).map_or(0.0, |v| v.max(0.0));
        let explained_variance: Vec<f64> = (0..k).map(variance).collect();
        let total = principal.total;
        let share = |variance: &f64| if total > 0.0 { variance / total } else { 0.0 };
        Pca {
            projection: Projection::new(principal.leading(k), [d, k]),
            explained_variance_ratio: explained_variance.iter().map(share).collect(),
            explained_variance,
            mean,
        }
    }
}

/// The k orthogonal directions along which the rows lie farthest from a center, not from their mean: the transpose of
/// A, row-major `[d, k]`.
pub(crate) fn directions_about(features: &Features, center: &[f64], k: usize) -> Result<Vec<f64>> {
    require_dimensions("PCA", k)?;
    Ok(deviations(features, center, features.rows().max(1) as f64).principal()?.leading(k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::{Reference, assert_close, assert_refused, random_labeled};

    #[test]
    fn directions_and_variances_are_those_of_scikit_learn_to_sign() {
        for reference in Reference::all() {
            let pca = PcaConfig::new(2).fit(reference.data().features()).unwrap();
            assert_close(&pca.projection.weight(), &reference.numbers("pca_directions"), 1e-10);
            assert_close(&pca.explained_variance, &reference.numbers("pca_variance"), 1e-10);
            let ratio = reference.numbers("pca_variance_ratio");
            assert_close(&pca.explained_variance_ratio, &ratio, 1e-10);
        }
    }

    #[test]
    fn the_covariance_of_classes_gives_the_same_directions() {
        for (n, d) in [(40, 5), (4, 9)] {
            let data = random_labeled(n, d, 3, 3);
            let (pca, groups) = (PcaConfig::new(3), Groups::of_classes(&data));
            let (found, expected) = (pca.fit_groups(&groups), pca.fit(data.features()));
            let (found, expected) = (found.unwrap(), expected.unwrap());
            assert_close(&found.projection.weight(), &expected.projection.weight(), 1e-10);
            assert_close(&found.explained_variance, &expected.explained_variance, 1e-12);
            assert_close(&found.mean, &expected.mean, 1e-14);
        }
    }

    #[test]
    fn all_directions_keep_every_distance_also_with_more_features_than_rows() {
        let data = random_labeled(5, 9, 2, 3);
        let pca = PcaConfig::new(9).fit(data.features()).unwrap();
        let weight = &pca.projection;
        let gram = weight.then(&Projection::new(weight.matrix(), [9, 9]));
        assert_close(&gram.weight(), &Projection::euclidean(9).weight(), 1e-13);
        assert!(pca.explained_variance[4..].iter().all(|variance| *variance < 1e-14));
    }

    #[test]
    fn rows_that_are_all_equal_have_no_variance_and_no_nan() {
        let features = Features::unnamed([0.1, 7.0].repeat(3), 2).unwrap();
        let pca = PcaConfig::new(1).fit(&features).unwrap();
        assert_eq!((pca.explained_variance, pca.explained_variance_ratio), (vec![0.0], vec![0.0]));
        assert!(pca.projection.weight().iter().all(|x| x.is_finite()));
    }

    #[test]
    fn more_directions_than_features_are_refused() {
        let features = Features::unnamed(vec![1.0, 2.0, 3.0, 5.0], 2).unwrap();
        let refused = "PCA was asked for 3 dimensions of 2 features; ask for 2 or fewer";
        assert_refused(PcaConfig::new(3).fit(&features), &[refused]);
    }
}
