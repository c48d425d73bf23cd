//! Shrinkage of the within-class covariance.

use burn::config::Config;

use super::Groups;
use crate::error::{Error, Result};

/// The share s by which the within-class covariance is drawn toward a multiple of the identity.
///
/// ```text
/// Σ_w(s) = (1 - s) Σ_w + s (tr Σ_w / d) I
/// ```
/// The identity weighs all features alike: bring them to one scale first. Only Σ_w is shrunk here;
/// scikit-learn takes Σ_b as the shrunk total less the shrunk Σ_w, which adds a multiple of I to it.
#[derive(Config, Debug, Copy, PartialEq)]
pub enum Shrinkage {
    /// s = 0.
    None,
    /// A given s.
    Fixed {
        /// s, from 0 to 1.
        amount: f64,
    },
    /// The s of least expected squared error, estimated from the rows less their class means (O. Ledoit,
    /// M. Wolf, A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices, Journal of
    /// Multivariate Analysis 88, 2004).
    LedoitWolf,
}

impl Shrinkage {
    /// Shrinks the within-class covariance of the groups and returns the share s.
    ///
    /// d is the number of features: where the data are coordinates of a span of fewer directions, the others
    /// have no variance but count in the mean.
    pub(super) fn apply(self, groups: &Groups<'_>, within: &mut [f64], d: usize) -> Result<f64> {
        let columns = groups.features().columns();
        let level = within.iter().step_by(columns + 1).sum::<f64>() / d as f64;
        let amount = match self {
            Self::None => 0.0,
            Self::Fixed { amount } if (0.0..=1.0).contains(&amount) => amount,
            Self::Fixed { amount } => {
                return Err(Error::setting(format!(
                    "the shrinkage is {amount}; give a share from 0 to 1, such as 0.01"
                )));
            }
            Self::LedoitWolf => ledoit_wolf(groups, within, d, level),
        };
        within.iter_mut().for_each(|x| *x *= 1.0 - amount);
        within.iter_mut().step_by(columns + 1).for_each(|x| *x += amount * level);
        Ok(amount)
    }

    /// Whether the covariance stays as it is.
    pub(super) fn is_none(self) -> bool {
        matches!(self, Self::None | Self::Fixed { amount: 0.0 })
    }
}

/// The share s of Ledoit and Wolf, for rows u_i less their class means.
///
/// ```text
/// μ = tr Σ_w / d,   δ² = ||Σ_w - μ I||² / d,   β² = 1/(d n) (1/n Σ_i ||u_i||⁴ - ||Σ_w||²),   s = min(β², δ²) / δ²
/// ```
fn ledoit_wolf(groups: &Groups<'_>, within: &[f64], d: usize, level: f64) -> f64 {
    let n = groups.rows() as f64;
    let mut centered = vec![0.0; groups.features().columns()];
    let mut fourth_powers = 0.0;
    for row in 0..groups.rows() {
        groups.centered_row(row, &mut centered);
        fourth_powers += centered.iter().map(|u| u * u).sum::<f64>().powi(2);
    }
    let squares: f64 = within.iter().map(|x| x * x).sum();
    let spread = (squares - d as f64 * level * level) / d as f64;
    let error = (fourth_powers / n - squares) / (d as f64 * n);
    if spread <= 0.0 || error <= 0.0 { 0.0 } else { error.min(spread) / spread }
}
