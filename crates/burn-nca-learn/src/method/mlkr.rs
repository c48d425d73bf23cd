//! Metric learning for kernel regression: the squared leave-one-out error of the kernel rule.

use burn::config::Config;
use burn::tensor::Device;

use super::{GradientMethod, Learned, Method, Problem, SplitData, Uses, kernel_r2_score, learn};
use crate::data::RegressionData;
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::Result;
use crate::fit::{FitConfig, FitSession, HeldOutScore};
use crate::objective::{MlkrLoss, MlkrLossConfig, TargetIndex};

/// The default weight of the L2 penalty for numeric targets.
pub(super) const L2: f64 = 0.02;

/// Metric learning for kernel regression ([`MlkrLoss`]), on targets standardized on the training rows.
///
/// # References
/// K. Weinberger and G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.
#[derive(Config, Debug, PartialEq)]
pub struct Mlkr {}

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

    fn learn(
        &self,
        problem: &Problem<'_, RegressionData>,
        session: FitSession<'_>,
    ) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for Mlkr {
    type Objective = MlkrLoss;

    fn objective(&self) -> MlkrLoss {
        MlkrLossConfig::new().init()
    }

    fn target(&self, train: &RegressionData, device: &Device) -> Result<TargetIndex> {
        TargetIndex::of(train, device)
    }

    fn held_out_score<'a, E: Encoder>(
        &self,
        train: SplitData<'a, RegressionData>,
        held_out: SplitData<'a, RegressionData>,
        fit: &'a FitConfig,
        _device: &Device,
    ) -> Box<HeldOutScore<'a, E>> {
        kernel_r2_score(train, held_out, fit.sums())
    }
}
