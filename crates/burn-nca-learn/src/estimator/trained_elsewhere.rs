//! From a network trained elsewhere, in Burn's `Learner` or a loop of one's own, to a model and back.

use web_time::Instant;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{DType, Device, Tensor};

use super::estimate::ScaledData;
use super::{Fitted, ModelCard};
use crate::data::{Coincidences, Labeled, RegressionData, Scaling, TensorFeatures, TrainingData};
use crate::encoder::{Encoder, EncoderConfig, output_width};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitSession, FitSummary, Precision, Termination, identity};
use crate::method::gradient::{GradientFit, prepare, resolve_device};
use crate::method::{AnyMethod, GradientMethod, Learned, Mlkr, Nca, PairNca};
use crate::objective::NcaLoss;
use burn_nca::MetricModel;

impl<E: Encoder> Fitted<E> {
    /// A model of an encoder that was trained elsewhere, with the classes of its training rows: it predicts,
    /// evaluates and is saved like one that was fitted here.
    ///
    /// `scaling` is what the features went through before they came to the encoder ([`Scaling::fit`] on the training rows,
    /// or [`Scaling::unscaled`] where they came as they are); `train` holds them unscaled. How the encoder was trained is
    /// not known here: the card and the summary say what f is on these rows ([`Termination::Elsewhere`]), with those
    /// without a class ([`Labeled::with_unlabeled`]) as neighbors.
    ///
    /// # Errors
    /// Other columns than those of the scaling, no row, an encoder of another number of features
    /// ([`Encoder::d_input`]).
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::module::Module;
    /// use burn::optim::{GradientsParams, SgdConfig};
    /// use burn::tensor::{DType, Device, Int, Tensor};
    /// use burn_nca_learn::data::{Features, Labeled, Scaling, ScalingKind, TensorFeatures};
    /// use burn_nca_learn::{Fitted, NcaConfig};
    ///
    /// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
    /// let train = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
    /// let scaling = Scaling::fit(ScalingKind::Standardize, train.features());
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
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn of_classes(
        encoder: E,
        scaling: Scaling,
        train: &Labeled,
        device: &Device,
    ) -> Result<Self> {
        adopted(&Nca::new(), encoder, scaling, (train, device))
    }

    /// A model of an encoder that was trained elsewhere, with the numeric targets of its training rows.
    ///
    /// As [`Fitted::of_classes`]; the card and the summary say what the MLKR objective is on these rows.
    ///
    /// # Errors
    /// As [`Fitted::of_classes`].
    pub fn of_numbers(
        encoder: E,
        scaling: Scaling,
        train: &RegressionData,
        device: &Device,
    ) -> Result<Self> {
        adopted(&Mlkr::new(), encoder, scaling, (train, device))
    }

    /// A model of an encoder that was trained elsewhere, with the rows of its training pairs.
    ///
    /// As [`Fitted::of_classes`]; the card and the summary say what equation 8 is on these rows.
    ///
    /// # Errors
    /// As [`Fitted::of_classes`].
    pub fn of_pairs(
        encoder: E,
        scaling: Scaling,
        train: &Coincidences,
        device: &Device,
    ) -> Result<Self> {
        adopted(&PairNca::new(), encoder, scaling, (train, device))
    }

    /// The encoder with the loss that it was fitted by, to be trained on: on the model's device, without autodiff
    /// until [`train`](Module::train). `None` for a model of another method than NCA.
    ///
    /// The module takes scaled features: `model.scaling().apply(..)`.
    pub fn to_nca(&self) -> Option<MetricModel<E, NcaLoss>> {
        let AnyMethod::Nca(method) = &self.card.method else { return None };
        Some(MetricModel::new(self.encoder.clone(), method.loss().init()))
    }
}

/// The model of an encoder as it is, from a fit that takes no step.
fn adopted<M: GradientMethod, E: Encoder>(
    method: &M,
    encoder: E,
    scaling: Scaling,
    (train, device): (&M::Data, &Device),
) -> Result<Fitted<E>> {
    let started = Instant::now();
    let features = train.features();
    if features.rows() == 0 {
        return Err(Error::data(
            "there is no training row to hold new rows against; give one or more",
        ));
    }
    let fit = FitConfig::new()
        .with_scaling(scaling.kind())
        .with_precision(precision_of(&encoder))
        .with_stop_at(Some(0));
    // Its sums over pairs are chosen automatically, which every number of dimensions has.
    let (device, dtype) = resolve_device(&fit, device, 1)?;
    let scaled = train.scaled(&scaling)?;
    let x = scaled.features().to_tensor(&device, dtype);
    let all = match scaled.unlabeled() {
        Some(others) => Tensor::cat(vec![x.clone(), others.to_tensor(&device, dtype)], 0),
        None => x.clone(),
    };
    let encoder = prepare(encoder, dtype, &device);
    let d_output = output_width(&encoder, x.clone().slice([0..1]))?;
    let config = EncoderConfig::of(&encoder);
    let run = GradientFit {
        encoder,
        objective: method.objective(&device, dtype),
        x: (&all).into(),
        target: &method.target(&scaled, &device)?,
        held_out: None,
        identity: &|| identity(train.as_any_data(), &"trained elsewhere"),
    };
    let (model, summary) =
        FitSummary::of(run.fit(d_output, &fit, FitSession::new())?, None, started);
    let summary = FitSummary { termination: Termination::Elsewhere, evaluations: 0, ..summary };
    let card = ModelCard {
        d_input: features.columns(),
        d_output,
        encoder: config,
        method: method.clone().into(),
        fit: fit.with_stop_at(None),
    };
    let (rule, summary) = (method.rule(&model.objective), summary.with_rows(train, train));
    let learned = Learned { encoder: model.encoder, rule, summary };
    ScaledData { scaling, scaled, device, dtype }.fitted(learned, card)
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
