//! From a network trained elsewhere, in Burn's `Learner` or a loop of one's own, to a model and back.

use web_time::Instant;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{DType, Device, Tensor};

use super::known::{Known, ObjectiveCard, RegressionObjective};
use super::run::{RowCounts, Run, place, prepare, summarise};
use super::{Fitted, ModelCard};
use crate::data::{Features, Labelled, Measured, Scaling, ScalingKind};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitSession, Identified, Precision, Termination};
use crate::model::MetricModel;
use crate::objective::{
    ClassIndex, Criterion, MlkrLossConfig, NcaLoss, NcaLossConfig, Objective, TargetIndex,
};

impl<E: Encoder> Fitted<E> {
    /// A model of an encoder that was trained elsewhere, with the classes of its training rows: it predicts,
    /// evaluates and is saved like one that was fitted here.
    ///
    /// `scaling` is what the features went through before they came to the encoder
    /// ([`Scaling::fit`] on the training rows, or [`ScalingKind::None`]); `train` holds them unscaled. How the encoder
    /// was trained is not known here: the card and the summary say what f is on these rows
    /// ([`Termination::Elsewhere`]).
    ///
    /// # Errors
    /// Other columns than those of the scaling, no row, an encoder of another number of features where it says so
    /// ([`Encoder::d_input`]).
    ///
    /// # Panics
    /// Where the encoder panics on rows of this number of features.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::module::Module;
    /// use burn::optim::{GradientsParams, SgdConfig};
    /// use burn::tensor::{DType, Device, Int, Tensor};
    /// use burn_nca::data::{Features, Labelled, Scaling, ScalingKind};
    /// use burn_nca::{Fitted, NcaConfig};
    ///
    /// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
    /// let train = Labelled::from_labels(features, vec![0, 0, 1, 1])?;
    /// let scaling = Scaling::fit(ScalingKind::Standardise, train.features());
    ///
    /// // A loop of one's own.
    /// let device = Device::flex();
    /// let x = scaling.apply(train.features())?.to_tensor(&device, DType::F32).autodiff();
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
    /// let mut nca = NcaConfig::new(2, 2).init(&device.clone().autodiff());
    /// let mut optimizer = SgdConfig::new().init();
    /// for _ in 0..20 {
    ///     let loss = nca.loss(x.clone(), labels.clone());
    ///     let gradients = GradientsParams::from_grads(loss.backward(), &nca);
    ///     nca = optimizer.step(0.1, nca, gradients);
    /// }
    ///
    /// let fitted = Fitted::of_classes(nca.encoder, scaling, &train, &device)?;
    /// assert_eq!(fitted.predict(train.features(), 1)?, [0, 0, 1, 1]);
    /// // And back, to train on.
    /// let nca = fitted.to_nca().expect("a model of classes").train();
    /// # let _ = nca;
    /// # }
    /// # Ok::<(), burn_nca::Error>(())
    /// ```
    pub fn of_classes(
        encoder: E,
        scaling: Scaling,
        train: &Labelled,
        device: &Device,
    ) -> Result<Self> {
        let criterion = Criterion::F;
        let adopted = Adopted {
            known: train.into(),
            features: train.features(),
            data: train,
            objective: ObjectiveCard::Classes { criterion, repulsion: 0.0 },
        };
        let classes = ClassIndex::of(train, device)?;
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        let mut fitted = adopted.fitted(encoder, scaling, (loss, &classes), device)?;
        fitted.summary.singletons = classes.singletons().len();
        Ok(fitted)
    }

    /// A model of an encoder that was trained elsewhere, with the numeric targets of its training rows.
    ///
    /// As [`Fitted::of_classes`]; the card and the summary say what the MLKR objective is on these rows.
    ///
    /// # Errors
    /// As [`Fitted::of_classes`].
    ///
    /// # Panics
    /// As [`Fitted::of_classes`].
    pub fn of_numbers(
        encoder: E,
        scaling: Scaling,
        train: &Measured,
        device: &Device,
    ) -> Result<Self> {
        let adopted = Adopted {
            known: train.into(),
            features: train.features(),
            data: train,
            objective: ObjectiveCard::Numbers { regression: RegressionObjective::Mlkr },
        };
        let targets = train.targets();
        let standard = Scaling::fit(ScalingKind::Standardise, targets).apply(targets)?;
        let targets = TargetIndex::new(standard.values(), standard.columns(), device)?;
        adopted.fitted(encoder, scaling, (MlkrLossConfig::new().init(), &targets), device)
    }

    /// The encoder with the loss that it was fitted by, to be trained on: on the model's device, without autodiff
    /// until [`train`](Module::train). `None` for a model that was not learnt from classes.
    ///
    /// The module takes scaled features: `model.scaling().apply(..)`.
    pub fn to_nca(&self) -> Option<MetricModel<E, NcaLoss>> {
        let ObjectiveCard::Classes { criterion, repulsion } = self.card.objective else {
            return None;
        };
        let loss = NcaLossConfig::new().with_criterion(criterion).with_repulsion(repulsion).init();
        Some(MetricModel::new(self.encoder.clone(), loss))
    }
}

/// The training rows of an encoder that was trained elsewhere.
struct Adopted<'a> {
    known: Known,
    features: &'a Features,
    data: &'a dyn Identified,
    objective: ObjectiveCard,
}

impl Adopted<'_> {
    /// The model, from a fit that takes no step.
    fn fitted<E: Encoder, O: Objective>(
        self,
        encoder: E,
        scaling: Scaling,
        (objective, target): (O, &O::Target),
        device: &Device,
    ) -> Result<Fitted<E>> {
        let started = Instant::now();
        if self.features.rows() == 0 {
            return Err(Error::data(
                "there is no training row to hold new rows against; give one or more",
            ));
        }
        let fit = FitConfig::new()
            .with_scaling(scaling.kind())
            .with_precision(precision_of(&encoder))
            .with_stop_at(Some(0));
        let (device, dtype) = place(&fit, device)?;
        let x = scaling.apply(self.features)?.to_tensor(&device, dtype);
        let encoder = prepare(encoder, dtype, &device);
        let mut card = ModelCard {
            d_input: self.features.columns(),
            d_output: output_width(&encoder, &x)?,
            encoder: encoder.config(),
            objective: self.objective,
            fit,
        };
        let run = Run { encoder, objective, x: &x, target, held_out: None, data: self.data };
        let solution = run.fit(&card, FitSession::new())?;
        card.fit.stop_at = None;
        let rows = RowCounts { train: self.features.rows(), ..RowCounts::default() };
        let (encoder, mut summary) = summarise(solution, None, rows, started);
        summary.termination = Termination::Elsewhere;
        summary.evaluations = 0;
        let references = encoder.forward(x);
        Ok(Fitted { encoder, card, scaling, known: self.known, references, summary })
    }
}

/// The number of dimensions that an encoder embeds in.
fn output_width<E: Encoder>(encoder: &E, x: &Tensor<2>) -> Result<usize> {
    let [_, d] = x.dims();
    if let Some(d_input) = encoder.d_input().filter(|&d_input| d_input != d) {
        return Err(Error::setting(format!(
            "the encoder takes {d_input} features, but the data have {d}; give the rows that it was trained on"
        )));
    }
    Ok(encoder.forward(x.clone().slice([0..1])).dims()[1])
}

/// The number type of a module's parameters: f64 where one is, else f32.
fn precision_of<M: Module>(module: &M) -> Precision {
    struct Widest(Precision);
    impl ModuleVisitor for Widest {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if param.dtype() == DType::F64 {
                self.0 = Precision::F64;
            }
        }
    }
    let mut widest = Widest(Precision::F32);
    module.visit(&mut widest);
    widest.0
}
