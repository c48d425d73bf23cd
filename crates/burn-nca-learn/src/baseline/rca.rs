//! Relevant component analysis.

use burn::config::Config;

use super::principal::Deviations;
use super::require::{require_two_classes, require_two_rows};
use super::whitening::inverse_root;
use super::{Groups, Projection};
use crate::data::Labeled;
use crate::error::{Error, Result};

/// Relevant component analysis: the map after which classes have unit covariance, `A = Σ_w^(-1/2)`.
///
/// ```text
/// Σ_w = 1/n Σ_c Σ_{i in c} (x_i - m_c)(x_i - m_c)ᵀ = V Λ Vᵀ,   A = Λ^(-1/2) Vᵀ
/// ```
/// The root is that of [`WhiteningConfig`](super::WhiteningConfig). Of chunklets (small groups of rows known to be alike,
/// while the others have no label) give the rows that belong to one, with the chunklets as classes.
///
/// # Numerics
/// Directions whose within-class variance is at most `tolerance` of the largest are dropped, and with them what classes
/// differ by along them: use fewer features (PCA first), or LDA with a shrinkage.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::RcaConfig;
/// use burn_nca_learn::data::{Features, Labeled};
///
/// let x = Features::unnamed(vec![0.0, 4.0, 10.0, 14.0], 1)?;
/// let map = RcaConfig::new().fit(&Labeled::from_labels(x, vec![0, 0, 1, 1])?)?;
/// assert_eq!(map.matrix(), [0.5]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # References
/// \[1\] A. Bar-Hillel, T. Hertz, N. Shental, D. Weinshall, Learning Distance Functions using Equivalence
/// Relations, ICML 2003.
#[derive(Config, Debug, PartialEq)]
pub struct RcaConfig {
    /// Variances up to this share of the largest count as none; from 0 to below 1.
    #[config(default = "1e-8")]
    pub tolerance: f64,
}

impl RcaConfig {
    /// Finds the map.
    ///
    /// # Errors
    /// A tolerance outside 0..1, fewer than two rows, fewer than two classes with rows, classes whose rows
    /// are all equal, or eigenvectors that do not converge.
    pub fn fit(&self, data: &Labeled) -> Result<Projection> {
        require_two_rows("RCA", data.rows())?;
        let groups = Groups::of_classes(data);
        require_two_classes("RCA", &groups, "use whitening, which needs no classes")?;
        let deviations = Deviations {
            rows: groups.rows(),
            rounding: groups.rounding().into(),
            divisor: groups.rows() as f64,
            fill: |row, target: &mut [f64]| groups.centered_row(row, target),
        };
        inverse_root("RCA", &deviations, self.tolerance)?.ok_or_else(|| {
            Error::data(
                "the rows of every class (or chunklet) are equal, so RCA has no within-class variance to \
                 scale; give classes of two or more different rows",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::{
        Reference, assert_close, assert_refused, random_labeled, sq_distances,
    };
    use crate::data::Features;

    #[test]
    fn distances_are_those_of_the_inverse_within_class_covariance_in_numpy() {
        for reference in Reference::all() {
            let data = reference.data();
            let within = Groups::of_classes(&data).within_covariance();
            assert_close(&within, &reference.numbers("within_covariance"), 1e-11);
            let map = RcaConfig::new().fit(&data).unwrap();
            let found = sq_distances(&map.apply(data.features()).unwrap());
            assert_close(&found, &reference.numbers("rca_sq_distances"), 1e-8);
        }
    }

    #[test]
    fn constant_columns_are_dropped_and_repeated_rows_change_nothing() {
        let data = random_labeled(20, 2, 2, 9);
        let rows = data.features().values().chunks_exact(2);
        let values = rows.flat_map(|row| [row[0], 3.3, row[1]]).collect();
        let features = Features::unnamed(values, 3).unwrap();
        let data = data.with_features(features).unwrap();
        let map = RcaConfig::new().fit(&data).unwrap();
        assert_eq!(map.shape(), [3, 2]);
        let twice: Vec<usize> = (0..20).chain(0..20).collect();
        let repeated = RcaConfig::new().fit(&data.select(&twice)).unwrap();
        assert_close(&repeated.weight(), &map.weight(), 1e-12);
    }

    #[test]
    fn one_class_and_classes_of_one_row_are_errors() {
        let features = Features::unnamed(vec![1.0, 2.0, 4.0], 1).unwrap();
        let fit =
            |labels| RcaConfig::new().fit(&Labeled::from_labels(features.clone(), labels).unwrap());
        assert_refused(fit(vec![0; 3]), &["two classes with rows, the data have 1"]);
        assert_refused(fit(vec![0, 1, 2]), &["no within-class variance"]);
    }
}
