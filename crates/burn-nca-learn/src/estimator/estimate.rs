//! The one way from data to a fitted model, whatever the method and whatever it learns from.

use burn::tensor::{DType, Device};
use burn_nca::Sums;

use super::fitted::embed;
use super::{Fitted, ModelCard};
use crate::data::{AnyData, Scaling, TrainingData};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitIdentity, FitSession, OptimizerConfig, Start, identity};
use crate::method::gradient::resolve_device;
use crate::method::start::check_sizes;
use crate::method::{
    AnyMethod, GradientMethod, Holds, Learned, Method, MethodInfo, Problem, Uses, learn_encoder,
};

/// A method with the settings that all methods share: what to learn, and how.
///
/// [`NcaConfig`](crate::NcaConfig) is a shorthand for the method of the NCA paper.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca_learn::data::{Features, Labeled};
/// use burn_nca_learn::estimator::Estimator;
/// use burn_nca_learn::method::{AnyMethod, Lda};
///
/// let features = vec![0.0, 5.0, 0.2, 1.0, 0.1, 2.0, 1.0, 4.0, 1.2, 0.0, 0.8, 3.0];
/// let data = Labeled::from_labels(Features::unnamed(features, 2)?, vec![0, 0, 0, 1, 1, 1])?;
/// let fitted = Estimator::new(2, 1, Lda::new()).fit(&data, &Device::flex())?;
/// assert_eq!(fitted.predict(data.features(), 1)?, [0, 0, 0, 1, 1, 1]);
/// // The same, the method chosen at run time.
/// let fitted = Estimator::new(2, 1, AnyMethod::named("lda")?).fit(&data, &Device::flex())?;
/// assert_eq!(fitted.card().method.info().label, "LDA");
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimator<M = AnyMethod> {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// Which map.
    pub encoder: EncoderConfig,
    /// The method.
    pub method: M,
    /// How to fit.
    pub fit: FitConfig,
}

/// A method that learns from data of this type: a [`Method`] from its own, checked by the compiler; an [`AnyMethod`] from
/// any, checked when it is called.
///
/// # Examples
/// LDA learns from classes; a table of numbers is no argument of its fit.
/// ```compile_fail
/// # fn fit(numbers: &burn_nca_learn::data::RegressionData, device: &burn::tensor::Device) {
/// use burn_nca_learn::{Estimator, method::Lda};
///
/// Estimator::new(4, 2, Lda::new()).fit(numbers, device);
/// # }
/// ```
pub trait LearnsFrom<D>: Clone + Into<AnyMethod> {
    /// Checks that there is enough to learn from.
    ///
    /// # Errors
    /// Data of another kind than the method learns from, or too few.
    fn check_data(&self, data: &D) -> Result<()>;

    /// [`Method::check`], then [`Method::learn`].
    ///
    /// # Errors
    /// As these.
    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned>;
}

impl<M: Method, D: Holds<M::Data>> LearnsFrom<D> for M {
    fn check_data(&self, data: &D) -> Result<()> {
        data.held().check()
    }

    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned> {
        let problem = problem.with_data(problem.data.held());
        self.check(&problem)?;
        self.learn(&problem, session)
    }
}

impl<D: TrainingData> LearnsFrom<D> for AnyMethod {
    fn check_data(&self, data: &D) -> Result<()> {
        Self::check_data(self, data.as_any_data())
    }

    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned> {
        self.learn(&problem.with_data(&problem.data.as_any_data()), session)
    }
}

impl<M> Estimator<M> {
    /// A method for d features and k dimensions: a linear map, the defaults of [`FitConfig`].
    pub fn new(d_input: usize, d_output: usize, method: M) -> Self {
        let (encoder, fit) = (EncoderConfig::Linear, FitConfig::new());
        Self { d_input, d_output, encoder, method, fit }
    }

    /// The same with the penalty that the method recommends.
    ///
    /// Without one MLKR fits the noise of a few hundred rows: on 70/30 splits of the Boston housing data and of scikit-learn's
    /// diabetes data it predicts no better, or far worse, than Euclidean neighbors.
    pub fn recommended(d_input: usize, d_output: usize, method: M) -> Self
    where
        M: Method,
    {
        let fit = FitConfig::new().with_l2(method.recommended_l2(&EncoderConfig::Linear));
        Self::new(d_input, d_output, method).with_fit(fit)
    }

    /// The same with this map.
    #[must_use]
    pub fn with_encoder(self, encoder: EncoderConfig) -> Self {
        Self { encoder, ..self }
    }

    /// The same with these settings of the fit.
    #[must_use]
    pub fn with_fit(self, fit: FitConfig) -> Self {
        Self { fit, ..self }
    }
}

impl Estimator {
    /// What distinguishes a fit of these data with these settings from any other: the limits that only end it are no part of it,
    /// nor are the parameters that it starts from.
    pub fn identity(&self, data: AnyData<'_>) -> FitIdentity {
        let card = ModelCard { fit: self.fit.without_limits(), ..self.card() };
        identity(data, &card)
    }
}

impl<M> Estimator<M> {
    /// Learns the metric of a table.
    ///
    /// # Errors
    /// See [`Estimator::fit_session`].
    pub fn fit<D: TrainingData>(&self, data: &D, device: &Device) -> Result<Fitted>
    where
        M: LearnsFrom<D>,
    {
        self.fit_session(data, device, FitSession::new())
    }

    /// Learns the metric of a table, with callbacks and a checkpoint.
    ///
    /// # Errors
    /// Data of other columns than `d_input`, of another kind than a method that was chosen at run time learns from, or too
    /// few of them; settings out of range or without a use, a precision the device does not have, a checkpoint that cannot
    /// be used.
    pub fn fit_session<D: TrainingData>(
        &self,
        data: &D,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted>
    where
        M: LearnsFrom<D>,
    {
        let counting = counting(data)?;
        let data = counting.as_ref().unwrap_or(data);
        self.check(data, false)?;
        self.learn(None, self.ready(data, device)?, session)
    }

    /// Continues from an encoder that is already fitted (a warm start): its weights replace the start.
    ///
    /// # Errors
    /// As [`Estimator::fit_session`], or an encoder of another size.
    pub fn fit_from<D: TrainingData>(
        &self,
        encoder: AnyEncoder,
        data: &D,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted>
    where
        M: LearnsFrom<D>,
    {
        let counting = counting(data)?;
        let data = counting.as_ref().unwrap_or(data);
        self.check(data, true)?;
        self.learn(Some(encoder), self.ready(data, device)?, session)
    }

    /// The model of [`fit_session`](Self::fit_session), or of [`fit_from`](Self::fit_from) where there is a `start`, of rows that
    /// `scaling` has scaled already, without a second table: see [`TrainingData::scale`].
    ///
    /// # Errors
    /// As [`fit_session`](Self::fit_session); or a scaling of another kind than that of the settings, or of other columns.
    pub fn fit_scaled<D: TrainingData>(
        &self,
        start: Option<AnyEncoder>,
        (data, scaling): (D, Scaling),
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted>
    where
        M: LearnsFrom<D>,
    {
        let data = counting(&data)?.unwrap_or(data);
        self.check(&data, start.is_some())?;
        scaling.check_columns(data.features().names())?;
        if scaling.kind() != self.fit.scaling {
            return Err(Error::setting(format!(
                "the rows are scaled by {:?}, and the settings ask for {:?}; give both alike",
                scaling.kind(),
                self.fit.scaling
            )));
        }
        let (device, dtype) = resolve_device(&self.fit, device, self.d_output)?;
        self.learn(start, ScaledData { scaling, scaled: data, device, dtype }, session)
    }

    fn learn<D: TrainingData>(
        &self,
        start: Option<AnyEncoder>,
        ready: ScaledData<D>,
        session: FitSession<'_>,
    ) -> Result<Fitted>
    where
        M: LearnsFrom<D>,
    {
        let problem = self.problem(start, &ready);
        let learned = self.method.learn_from(&problem, session)?;
        let encoder = EncoderConfig::of(&learned.encoder);
        ready.fitted(learned, ModelCard { encoder, ..self.card() })
    }

    /// Checks all that can be checked before anything is computed.
    pub(crate) fn check<D: TrainingData>(&self, data: &D, warm_start: bool) -> Result<()>
    where
        M: LearnsFrom<D>,
    {
        check_sizes(&self.encoder, [self.d_input, self.d_output], data.features().columns())?;
        let info = self.method.clone().into().info();
        self.check_uses(&info, (warm_start, data.unlabeled().is_some()))?;
        self.method.check_data(data)
    }

    /// Refuses settings that the method has no use for.
    fn check_uses(&self, info: &MethodInfo, (warm_start, unlabeled): (bool, bool)) -> Result<()> {
        let (fit, label) = (&self.fit, info.label);
        let other_optimizer = !matches!(fit.optimizer, OptimizerConfig::Lbfgs(_));
        let given = [
            (Uses::Encoder, self.encoder != EncoderConfig::Linear),
            (Uses::Start, warm_start || fit.start != Start::Auto),
            (Uses::L2, fit.l2 != 0.0),
            (Uses::Optimizer, other_optimizer || fit.stop_at.is_some()),
            (Uses::EarlyStopping, fit.early_stopping.is_some()),
            (Uses::Sums, fit.sums.is_some()),
            (Uses::FourierSums, matches!(fit.sums, Some(Sums::Fourier(_)))),
        ];
        if unlabeled && !info.uses.contains(&Uses::Unlabeled) {
            return Err(Error::setting(format!(
                "{label} has no use for rows without a class; leave them out"
            )));
        }
        let useless = given.into_iter().find(|(uses, given)| *given && !info.uses.contains(uses));
        if let Some((useless, _)) = useless {
            return Err(Error::setting(format!(
                "{label} has no use for the setting of the {}; leave it at its default",
                useless.noun()
            )));
        }
        let (d, k) = (self.d_input, self.d_output);
        if d != k && !info.uses.contains(&Uses::Dimensions) {
            return Err(Error::setting(format!(
                "{label} keeps the {d} dimensions of the features, and {k} are asked for; ask for {d}, or choose \
                 another method"
            )));
        }
        Ok(())
    }

    fn ready<D: TrainingData>(&self, data: &D, device: &Device) -> Result<ScaledData<D>> {
        let scaling = Scaling::fit(self.fit.scaling, data.features());
        let scaled = data.scaled(&scaling)?;
        let (device, dtype) = resolve_device(&self.fit, device, self.d_output)?;
        Ok(ScaledData { scaling, scaled, device, dtype })
    }

    /// What the method is given, without a score to follow.
    pub(super) fn problem<'a, D>(
        &'a self,
        start: Option<AnyEncoder>,
        ready: &'a ScaledData<D>,
    ) -> Problem<'a, D> {
        Problem {
            data: &ready.scaled,
            d_output: self.d_output,
            encoder: self.encoder.clone(),
            fit: &self.fit,
            start,
            device: ready.device.clone(),
            dtype: ready.dtype,
            score: None,
        }
    }
}

impl<M: Clone + Into<AnyMethod>> Estimator<M> {
    /// The card of a model of these settings, as far as they tell.
    pub fn card(&self) -> ModelCard {
        ModelCard {
            d_input: self.d_input,
            d_output: self.d_output,
            encoder: Some(self.encoder.clone()),
            method: self.method.clone().into(),
            fit: self.fit.clone(),
        }
    }

    /// The same settings with the type of the method forgotten.
    pub fn into_any(self) -> Estimator {
        let any = Estimator::new(self.d_input, self.d_output, self.method.into());
        any.with_encoder(self.encoder).with_fit(self.fit)
    }
}

impl<M: GradientMethod> Estimator<M> {
    /// Learns the metric of a table through a module of the user's own, fresh or trained before.
    ///
    /// Mini-batches train any module. L-BFGS and conjugate gradients minimize one function, so they refuse layers
    /// that draw at random or move statistics in training
    /// ([`disable_training_flags`](crate::fit::disable_training_flags) is the cure).
    ///
    /// # Errors
    /// As [`Estimator::fit_session`]; an encoder of other sizes than the settings (see [`Encoder::d_input`]), or with
    /// such a layer.
    pub fn fit_encoder<E: Encoder>(
        &self,
        encoder: E,
        data: &M::Data,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let counting = counting(data)?;
        let data = counting.as_ref().unwrap_or(data);
        self.check(data, true)?;
        let ready = self.ready(data, device)?;
        let problem = self.problem(None, &ready);
        self.method.check(&problem)?;
        let learned = learn_encoder(&self.method, (encoder, None), &problem, (None, session))?;
        ready.fitted(learned, ModelCard { encoder: None, ..self.card() })
    }
}

/// Data that are scaled, and where to compute.
pub(super) struct ScaledData<D> {
    pub scaling: Scaling,
    pub scaled: D,
    pub device: Device,
    pub dtype: DType,
}

impl<D: TrainingData> ScaledData<D> {
    /// The model: what was learned, and the embedded training rows.
    pub fn fitted<E: Encoder>(self, learned: Learned<E>, card: ModelCard) -> Result<Fitted<E>> {
        let Learned { encoder, rule, summary } = learned;
        let place = (&self.device, self.dtype);
        let references = embed(&encoder, self.scaled.features(), None, place)?;
        // A method may give another number of dimensions than asked for: one map per class, one after the other.
        let [_, d_output] = references.dims();
        Ok(Fitted {
            encoder,
            card: ModelCard { d_output, ..card },
            scaling: self.scaling,
            targets: self.scaled.training_targets(),
            references,
            rule,
            decision: None,
            summary,
            preparation: None,
        })
    }
}

/// The rows of positive weight, where there are others.
pub(super) fn counting<D: TrainingData>(data: &D) -> Result<Option<D>> {
    data.counting().map(|rows| data.part(&rows)).transpose()
}
