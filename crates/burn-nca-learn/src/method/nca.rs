//! Neighborhood components analysis: the expected number of rows whose neighbor is of their class, or its log.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{
    GradientMethod, Learned, Method, Problem, Setting, Uses, Validation, expected_accuracy_score,
    learn,
};
use crate::data::Labeled;
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::fit::{FitSession, HeldOutScore};
use crate::objective::{ClassIndex, Criterion, NcaLoss, NcaLossConfig};

settings! {
    /// Neighborhood components analysis ([`NcaLoss`]).
    ///
    /// # References
    /// J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
    Nca {
        /// F, the expected number of rows classified correctly, or G, the log probability that all are
        criterion: Criterion = "Criterion::F",
        /// weight of the hinge that keeps classes apart
        ///
        /// 0 leaves it out.
        repulsion: f64 = 0.0,
    }
}

impl Nca {
    pub(crate) fn loss(&self) -> NcaLossConfig {
        NcaLossConfig::new().with_criterion(self.criterion).with_repulsion(self.repulsion)
    }
}

impl Method for Nca {
    const NAME: &'static str = "nca";
    const LABEL: &'static str = "NCA";
    const TITLE: &'static str = "Neighborhood components analysis";
    const WHEN_TO_USE: &'static str =
        "classes; the method to begin with, to any number of dimensions";
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = Uses::EVERY;
    type Data = Labeled;

    /// Criterion g: the exact optimum of f overfits, and networks end early under it.
    fn recommended() -> Self {
        Self::new().with_criterion(Criterion::G)
    }

    /// 0.01, and 0.001 for a network: the weights of all its layers pay.
    fn recommended_l2(&self, encoder: &EncoderConfig) -> f64 {
        match encoder {
            EncoderConfig::Linear | EncoderConfig::Diagonal => 0.01,
            EncoderConfig::Mlp(_) | EncoderConfig::Modern(_) => 0.001,
        }
    }

    fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
        if self.repulsion > 0.0 && problem.data.unlabeled().is_some() {
            return Err(Error::setting(
                "the repulsion keeps classes apart, and rows without a class are among the neighbors; leave the \
                 repulsion at 0, or those rows out",
            ));
        }
        if self.repulsion >= 0.0 && self.repulsion.is_finite() {
            return Ok(());
        }
        Err(Error::setting(format!(
            "the repulsion is {}; give a finite weight that is not negative",
            self.repulsion
        )))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for Nca {
    type Objective = NcaLoss;

    fn objective(&self, _: &Device, _: DType) -> NcaLoss {
        self.loss().init()
    }

    fn target(&self, train: &Labeled, device: &Device) -> Result<ClassIndex> {
        ClassIndex::of(train, device)
    }

    fn held_out_score<'a, E: Encoder>(
        &self,
        validation: Validation<'a, Labeled>,
    ) -> Box<HeldOutScore<'a, E>> {
        expected_accuracy_score(validation)
    }
}
