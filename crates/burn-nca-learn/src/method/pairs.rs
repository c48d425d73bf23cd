//! NCA of pairs: which rows belong together is all that is known.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Learned, Method, Problem, Setting, Uses, Validation, learn};
use crate::data::Coincidences;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::fit::exact::value;
use crate::fit::{FitSession, HeldOutScore};
use crate::objective::{Objective, PairIndex, PairLoss, PairLossConfig};
use burn_nca::MetricModel;

settings! {
    /// Equation 8 of the NCA paper, over weighted pairs ([`PairLoss`]).
    ///
    /// # References
    /// J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004, section 6.
    PairNca {
        /// whether the normalizer counts each point with itself
        include_self: bool = true,
    }
}

impl Method for PairNca {
    const NAME: &'static str = "pairs";
    const LABEL: &'static str = "pairs";
    const TITLE: &'static str = "Neighborhood components analysis of pairs";
    const WHEN_TO_USE: &'static str = "no target; it is known which rows belong together";
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = Uses::ALL_OF_PAIRS;
    type Data = Coincidences;

    fn learn(&self, problem: &Problem<'_, Self::Data>, session: FitSession<'_>) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for PairNca {
    type Objective = PairLoss;

    fn objective(&self, _: &Device, _: DType) -> PairLoss {
        PairLossConfig::new().with_include_self(self.include_self).init()
    }

    fn target(&self, train: &Coincidences, device: &Device) -> Result<PairIndex> {
        Ok(PairIndex::new(train.pairs(), device))
    }

    /// The weighted mean log-probability `-||z_a - z_b||² - log Z` of the pairs held out.
    fn held_out_score<'a, E: Encoder>(
        &self,
        validation: Validation<'a, Coincidences>,
    ) -> Box<HeldOutScore<'a, E>> {
        let Validation { x, held_out, fit, .. } = validation;
        let index = PairIndex::new(held_out.pairs(), &x.device());
        let objective = self.objective(&x.device(), x.dtype()).with_sums(fit.sums());
        Box::new(move |encoder: &E| {
            let model = MetricModel::new(encoder.clone(), objective.clone());
            -value(&model, x, &index, &fit.blocks) / index.total_weight()
        })
    }
}
