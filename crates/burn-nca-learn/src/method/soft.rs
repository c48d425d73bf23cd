//! Soft NCA: neighbors with near targets, by f or g.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{
    GradientMethod, Learned, Method, Problem, Setting, Uses, Validation, kernel_r2_score, learn,
    mlkr,
};
use crate::data::{AgreementWidth, Agreements, RegressionData};
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::Result;
use crate::fit::{FitSession, HeldOutScore};
use crate::objective::{AgreementIndex, Criterion, SoftNcaLoss, SoftNcaLossConfig};

settings! {
    /// Soft matches of neighbors with near targets ([`SoftNcaLoss`]); the targets are taken as they are.
    SoftNca {
        /// F or G, as for classes
        criterion: Criterion = "Criterion::F",
        /// how far apart targets may be and still agree: Median, or {"Given": 2.5} in their units
        width: AgreementWidth = "AgreementWidth::Median",
    }
}

impl Method for SoftNca {
    const NAME: &'static str = "soft-nca";
    const LABEL: &'static str = "soft NCA";
    const TITLE: &'static str = "Soft neighborhood components analysis";
    const WHEN_TO_USE: &'static str =
        "a numeric target of which near values are to become near neighbors";
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = Uses::ALL_OF_PAIRS;
    type Data = RegressionData;

    fn recommended_l2(&self, _encoder: &EncoderConfig) -> f64 {
        mlkr::L2
    }

    fn learn(&self, problem: &Problem<'_, Self::Data>, session: FitSession<'_>) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for SoftNca {
    type Objective = SoftNcaLoss;

    fn objective(&self, _: &Device, _: DType) -> SoftNcaLoss {
        SoftNcaLossConfig::new().with_criterion(self.criterion).init()
    }

    fn target(&self, train: &RegressionData, device: &Device) -> Result<AgreementIndex> {
        let targets = train.targets();
        let agreements = Agreements::of_targets(targets.values(), targets.columns(), self.width)?;
        let index = AgreementIndex::new(&agreements, device)?;
        match train.weights() {
            Some(weights) => index.with_weights(weights),
            None => Ok(index),
        }
    }

    fn held_out_score<'a, E: Encoder>(
        &self,
        validation: Validation<'a, RegressionData>,
    ) -> Box<HeldOutScore<'a, E>> {
        kernel_r2_score(validation)
    }
}
