//! Metric learning for numeric targets.

use burn::config::Config;
use burn::tensor::Device;

use super::{Estimator, Fitted};
use crate::data::{AgreementWidth, RegressionData};
use crate::encoder::EncoderConfig;
use crate::error::Result;
use crate::fit::FitConfig;
use crate::method::{Mlkr, SoftNca};
use crate::objective::Criterion;

/// What a metric for numeric targets is learned by.
#[derive(Config, Debug, Copy, PartialEq)]
pub enum RegressionObjective {
    /// The squared leave-one-out error of the kernel rule ([`MlkrLoss`](crate::objective::MlkrLoss)), on
    /// targets standardized on the training rows.
    Mlkr,
    /// Soft matches of neighbors with near targets ([`SoftNcaLoss`](crate::objective::SoftNcaLoss)).
    Soft {
        /// Which of the paper's criteria.
        criterion: Criterion,
        /// How far apart targets may be and still agree, in the units of the targets.
        width: AgreementWidth,
    },
}

/// Metric learning for numeric targets: what to learn, and how.
///
/// Predictions are means of the targets of training rows: of all, weighted by `p_ij`
/// ([`Fitted::predict_kernel`]), or of the k nearest ([`Fitted::predict_numbers`]).
///
/// With [`RegressionObjective::Mlkr`] the targets are standardized on the rows that are learned from, column
/// by column, so that `l2` means the same in any unit; without a penalty `1 - value / (n m)` is the leave-one-out R².
/// With [`RegressionObjective::Soft`] they are taken as they are. The model keeps them in their own units.
///
/// Early stopping holds out rows at random and follows their R² by the kernel rule. The automatic start is
/// PCA where k < d, else the identity; LDA needs classes.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca_learn::RegressionConfig;
/// use burn_nca_learn::data::{Features, RegressionData};
///
/// // The target is the first feature; the second is noise.
/// let features = vec![0.0, 5.0, 1.0, 1.0, 2.0, 4.0, 3.0, 0.0, 4.0, 3.0, 5.0, 2.0];
/// let data = RegressionData::new(Features::unnamed(features, 2)?, "t", vec![0., 1., 2., 3., 4., 5.])?;
/// let fitted = RegressionConfig::new(2, 2).fit(&data, &Device::flex())?;
/// let predicted = fitted.predict_kernel(&Features::unnamed(vec![2.0, 0.0], 2)?)?;
/// assert!((predicted[0] - 2.0).abs() < 0.7);
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug)]
pub struct RegressionConfig {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k: below d for a low rank, d for a full metric, or more.
    pub d_output: usize,
    /// Which map.
    #[config(default = "EncoderConfig::Linear")]
    pub encoder: EncoderConfig,
    /// What is learned by.
    #[config(default = "RegressionObjective::Mlkr")]
    pub objective: RegressionObjective,
    /// How to fit; with an L2 penalty of [`RegressionConfig::L2`] by default.
    #[config(default = "FitConfig::new().with_l2(RegressionConfig::L2)")]
    pub fit: FitConfig,
}

impl RegressionConfig {
    /// The default weight of the L2 penalty.
    ///
    /// Without one MLKR fits the noise of a few hundred rows: on 70/30 splits of the Boston housing data and
    /// of scikit-learn's diabetes data it predicts no better, or far worse, than Euclidean neighbors.
    pub const L2: f64 = 0.02;

    /// The same settings as an [`Estimator`].
    pub fn estimator(&self) -> Estimator {
        self.with_method(self.objective.method())
    }

    fn with_method<M>(&self, method: M) -> Estimator<M> {
        Estimator::new(self.d_input, self.d_output, method)
            .with_encoder(self.encoder.clone())
            .with_fit(self.fit.clone())
    }

    /// Learns the metric of a measured table.
    ///
    /// # Errors
    /// As [`Estimator::fit_session`]: fewer than three rows, a target that is the same in all rows.
    pub fn fit(&self, data: &RegressionData, device: &Device) -> Result<Fitted> {
        match self.objective {
            RegressionObjective::Mlkr => self.with_method(Mlkr::new()).fit(data, device),
            RegressionObjective::Soft { criterion, width } => {
                self.with_method(SoftNca { criterion, width }).fit(data, device)
            }
        }
    }
}
