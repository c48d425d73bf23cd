//! Whitening: unit total covariance.

use burn::config::Config;

use super::Projection;
use super::means::mean;
use super::principal::{Deviations, deviations};
use super::require::require_two_rows;
use crate::data::Features;
use crate::error::{Error, Result};

/// Whitening: the map after which the data have unit covariance, `A = Σ^(-1/2)`.
///
/// ```text
/// Σ = 1/n Σ_i (x_i - m)(x_i - m)ᵀ = V Λ Vᵀ,   A = Λ^(-1/2) Vᵀ
/// ```
/// This root differs from the symmetric one, `V Λ^(-1/2) Vᵀ`, by a rotation, which changes no distance.
///
/// # Numerics
/// Directions whose variance is at most `tolerance` of the largest are dropped, so the map may have fewer
/// than d embedding dimensions: constant, repeated and collinear columns, or n ≤ d.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::WhiteningConfig;
/// use burn_nca_learn::data::Features;
///
/// let x = Features::unnamed(vec![0.0, 5.0, 8.0, 5.0], 2)?;
/// let map = WhiteningConfig::new().fit(&x)?;
/// assert_eq!(map.matrix(), [0.25, 0.0]); // the constant column is dropped
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # References
/// Section 4 of J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
#[derive(Config, Debug, PartialEq)]
pub struct WhiteningConfig {
    /// Variances up to this share of the largest count as none; from 0 to below 1.
    #[config(default = "1e-8")]
    pub tolerance: f64,
}

impl WhiteningConfig {
    /// Finds the map.
    ///
    /// # Errors
    /// A tolerance outside 0..1, fewer than two rows, rows that are all equal, or eigenvectors that do not
    /// converge.
    pub fn fit(&self, features: &Features) -> Result<Projection> {
        require_two_rows("whitening", features.rows())?;
        let mean = mean(features);
        let deviations = deviations(features, &mean, features.rows() as f64);
        inverse_root("whitening", &deviations, self.tolerance)?.ok_or_else(|| {
            Error::data(
                "all rows are equal, so whitening has no variance to scale; check how the data were read",
            )
        })
    }
}

/// The inverse root of a covariance without the directions of no variance; `None` if none is left.
pub(super) fn inverse_root<F: Fn(usize, &mut [f64]) + Sync>(
    method: &str,
    deviations: &Deviations<'_, F>,
    tolerance: f64,
) -> Result<Option<Projection>> {
    if !(0.0..1.0).contains(&tolerance) {
        return Err(Error::setting(format!(
            "the tolerance of {method} is {tolerance}; give a share from 0 to below 1, such as 1e-8"
        )));
    }
    let (principal, d) = (deviations.principal()?, deviations.rounding.len());
    // Below d times the precision of f64 an eigenvalue is rounding, whatever the tolerance.
    let smallest = tolerance.max(d as f64 * f64::EPSILON) * principal.variances()[0];
    let kept = principal.variances().iter().filter(|value| **value > smallest.max(0.0)).count();
    if kept == 0 {
        return Ok(None);
    }
    let mut weight = principal.leading(kept);
    for row in weight.chunks_exact_mut(kept) {
        row.iter_mut().zip(principal.variances()).for_each(|(x, variance)| *x /= variance.sqrt());
    }
    Ok(Some(Projection::new(weight, [d, kept])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::{
        Reference, assert_close, assert_identity, assert_refused, random_labeled, sq_distances,
        total_covariance,
    };

    #[test]
    fn distances_are_those_of_the_inverse_covariance_in_numpy() {
        for reference in Reference::all() {
            let features = reference.data().features().clone();
            let covariance = total_covariance(&features);
            assert_close(&covariance, &reference.numbers("total_covariance"), 1e-11);
            let map = WhiteningConfig::new().fit(&features).unwrap();
            let found = sq_distances(&map.apply(&features).unwrap());
            assert_close(&found, &reference.numbers("whitening_sq_distances"), 1e-8);
        }
    }

    #[test]
    fn constant_repeated_and_surplus_directions_are_dropped() {
        let data = random_labeled(30, 2, 2, 7);
        let rows = data.features().values().chunks_exact(2);
        let with_extras = rows.flat_map(|row| [row[0], 0.1, row[1], row[0], row[0] - 2.0 * row[1]]);
        let features = Features::unnamed(with_extras.collect(), 5).unwrap();
        let map = WhiteningConfig::new().fit(&features).unwrap();
        assert_eq!(map.shape(), [5, 2]);
        assert_identity(&total_covariance(&map.apply(&features).unwrap()), 2, 1e-10);

        let wide = random_labeled(4, 10, 2, 7);
        let map = WhiteningConfig::new().with_tolerance(0.0).fit(wide.features()).unwrap();
        assert_eq!(map.shape(), [10, 3]);
    }

    #[test]
    fn data_without_variance_and_a_wrong_tolerance_are_errors() {
        let equal = Features::unnamed([0.1, 0.7].repeat(5), 2).unwrap();
        assert_refused(WhiteningConfig::new().fit(&equal), &["all rows are equal"]);
        let config = WhiteningConfig::new().with_tolerance(1.5);
        assert_refused(config.fit(&equal), &["tolerance of whitening is 1.5"]);
    }
}
