//! Neighborhood components analysis of classes, of numbers (soft matches, MLKR) and of pairs.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Learned, Method, Names, Problem, Uses, Validation, learn};
use crate::data::{AgreementWidth, Agreements, Coincidences, Labeled, RegressionData};
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::fit::exact::value;
use crate::fit::{FitSession, HeldOutScore};
use crate::objective::{
    AgreementIndex, ClassIndex, Criterion, MlkrLoss, MlkrLossConfig, NcaLoss, NcaLossConfig,
    Objective, PairIndex, PairLoss, PairLossConfig, SoftNcaLoss, SoftNcaLossConfig, TargetIndex,
};
use burn_nca::MetricModel;

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
    const NAMES: Names = ["nca", "NCA", "Neighborhood components analysis"];
    const WHEN_TO_USE: &'static str =
        "classes; the method to begin with, to any number of dimensions";
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
}

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
    const NAMES: Names = ["soft-nca", "soft NCA", "Soft neighborhood components analysis"];
    const WHEN_TO_USE: &'static str =
        "a numeric target of which near values are to become near neighbors";
    const USES: &'static [Uses] = Uses::ALL_OF_PAIRS;
    type Data = RegressionData;

    fn recommended_l2(&self, _encoder: &EncoderConfig) -> f64 {
        L2
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
}

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
    const NAMES: Names = ["pairs", "pairs", "Neighborhood components analysis of pairs"];
    const WHEN_TO_USE: &'static str = "no target; it is known which rows belong together";
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
        Validation { x, held_out, fit, .. }: Validation<'a, Coincidences>,
    ) -> Box<HeldOutScore<'a, E>> {
        let index = PairIndex::new(held_out.pairs(), &x.device());
        let objective = self.objective(&x.device(), x.dtype()).with_sums(fit.sums());
        Box::new(move |encoder: &E| {
            let model = MetricModel::new(encoder.clone(), objective.clone());
            -value(&model, x, &index, &fit.blocks) / index.total_weight()
        })
    }
}

/// The default weight of the L2 penalty for numeric targets.
const L2: f64 = 0.02;

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
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    ///
    /// # References
    /// K. Weinberger and G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.
    Mlkr {}
}

impl Method for Mlkr {
    const NAMES: Names = ["mlkr", "MLKR", "Metric learning for kernel regression"];
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
