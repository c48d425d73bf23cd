//! Metric learning for kernel regression: the squared leave-one-out error of the kernel rule.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Learned, Method, Problem, Uses, learn};
use crate::data::RegressionData;
use crate::encoder::EncoderConfig;
use crate::error::Result;
use crate::fit::FitSession;
use crate::objective::{MlkrLoss, MlkrLossConfig, TargetIndex};

/// The default weight of the L2 penalty for numeric targets.
pub(super) const L2: f64 = 0.02;

settings! {
    /// Metric learning for kernel regression ([`MlkrLoss`]), on targets standardized on the training rows.
    ///
    /// Predictions are means of the targets of training rows: of all, weighted by `p_ij`
    /// ([`Fitted::predict_kernel`](crate::Fitted::predict_kernel)), or of the k nearest
    /// ([`Fitted::predict_numbers`](crate::Fitted::predict_numbers)). The targets are standardized column by column, so that `l2`
    /// means the same in any unit; without a penalty `1 - value / (n m)` is the leave-one-out R². The model keeps them in their own
    /// units. Early stopping holds out rows at random and follows their R² by the kernel rule. The automatic start is PCA where
    /// k < d, else the identity; LDA needs classes.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::Device;
    /// use burn_nca_learn::Estimator;
    /// use burn_nca_learn::data::{Features, RegressionData};
    /// use burn_nca_learn::method::Mlkr;
    ///
    /// // The target is the first feature; the second is noise.
    /// let features = vec![0.0, 5.0, 1.0, 1.0, 2.0, 4.0, 3.0, 0.0, 4.0, 3.0, 5.0, 2.0];
    /// let data = RegressionData::new(Features::unnamed(features, 2)?, "t", vec![0., 1., 2., 3., 4., 5.])?;
    /// let fitted = Estimator::recommended(2, 2, Mlkr::new()).fit(&data, &Device::flex())?;
    /// let predicted = fitted.predict_kernel(&Features::unnamed(vec![2.0, 0.0], 2)?)?;
    /// assert!((predicted[0] - 2.0).abs() < 0.7);
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    ///
    /// # References
    /// K. Weinberger and G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.
    Mlkr {}
}

impl Method for Mlkr {
    const NAME: &'static str = "mlkr";
    const LABEL: &'static str = "MLKR";
    const TITLE: &'static str = "Metric learning for kernel regression";
    const WHEN_TO_USE: &'static str = "a numeric target; the method to begin with";
    const USES: &'static [Uses] = Uses::ALL_OF_MEANS;
    type Data = RegressionData;

    fn recommended_l2(&self, _encoder: &EncoderConfig) -> f64 {
        L2
    }

    fn learn(&self, problem: &Problem<'_, Self::Data>, session: FitSession<'_>) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for Mlkr {
    type Objective = MlkrLoss;

    fn objective(&self, _: &Device, _: DType) -> MlkrLoss {
        MlkrLossConfig::new().init()
    }

    fn target(&self, train: &RegressionData, device: &Device) -> Result<TargetIndex> {
        TargetIndex::of(train, device)
    }
}
