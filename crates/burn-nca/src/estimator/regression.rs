//! Metric learning for numeric targets.

use web_time::Instant;

use burn::config::Config;
use burn::tensor::{Device, Tensor};

use super::encoder_start::{self, check_sizes};
use super::known::{ObjectiveCard, RegressionObjective};
use super::run::{RowCounts, Run, place, summarise};
use super::{Fitted, ModelCard};
use crate::data::{Agreements, Measured, Scaling, ScalingKind, Split, random_split};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::evaluate::RegressionScores;
use crate::fit::{FitConfig, FitSession, HeldOutScore, ResolvedStart, Solution};
use crate::neighbors::{Numbers, kernel_means};
use crate::objective::{AgreementIndex, MlkrLossConfig, SoftNcaLossConfig, TargetIndex};

/// Metric learning for numeric targets: what to learn, and how.
///
/// Predictions are means of the targets of training rows: of all, weighted by `p_ij`
/// ([`Fitted::predict_kernel`]), or of the k nearest ([`Fitted::predict_numbers`]).
///
/// With [`RegressionObjective::Mlkr`] the targets are standardised on the rows that are learnt from, column
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
/// use burn_nca::RegressionConfig;
/// use burn_nca::data::{Features, Measured};
///
/// // The target is the first feature; the second is noise.
/// let features = vec![0.0, 5.0, 1.0, 1.0, 2.0, 4.0, 3.0, 0.0, 4.0, 3.0, 5.0, 2.0];
/// let data = Measured::new(Features::unnamed(features, 2)?, "t", vec![0., 1., 2., 3., 4., 5.])?;
/// let fitted = RegressionConfig::new(2, 2).fit(&data, &Device::flex())?;
/// let predicted = fitted.predict_kernel(&Features::unnamed(vec![2.0, 0.0], 2)?)?;
/// assert!((predicted[0] - 2.0).abs() < 0.7);
/// # }
/// # Ok::<(), burn_nca::Error>(())
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
    /// What is learnt by.
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
    /// of scikit-learn's diabetes data it predicts no better, or far worse, than Euclidean neighbours.
    pub const L2: f64 = 0.02;

    /// Learns the metric of a measured table.
    ///
    /// # Errors
    /// See [`RegressionConfig::fit_session`].
    pub fn fit(&self, data: &Measured, device: &Device) -> Result<Fitted> {
        self.fit_session(data, device, FitSession::new())
    }

    /// Learns the metric of a measured table, with callbacks and a checkpoint.
    ///
    /// # Errors
    /// Data of other columns than `d_input`, fewer than three rows, a target that is the same in all rows,
    /// settings out of range, a precision the device does not have, a checkpoint that cannot be used.
    pub fn fit_session(
        &self,
        data: &Measured,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.check(data)?;
        let card = self.card();
        let scaling = Scaling::fit(self.fit.scaling, data.features());
        let scaled = data.with_features(scaling.apply(data.features())?)?;
        let (encoder, start) = encoder_start::build_unlabelled(&card, scaled.features(), device)?;
        Estimator { config: self, card, scaling, start }.fit(encoder, &scaled, device, session)
    }

    /// Goes on from an encoder that is already fitted (a warm start): its weights replace the start.
    ///
    /// # Errors
    /// As [`RegressionConfig::fit_session`], or an encoder of another size.
    pub fn fit_from(
        &self,
        encoder: AnyEncoder,
        data: &Measured,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.fit_with_card(self.card(), encoder, data, device, session)
    }

    /// Learns the metric of a measured table through a module of the user's own, as
    /// [`NcaConfig::fit_encoder`](crate::NcaConfig::fit_encoder) does.
    ///
    /// # Errors
    /// As [`RegressionConfig::fit_session`]; an encoder of other sizes than the settings, or with a layer that behaves
    /// differently in training where the solver is no mini-batch one.
    ///
    /// # Panics
    /// Where the encoder panics on rows of `d_input` features: see [`Encoder::d_input`].
    pub fn fit_encoder<E: Encoder>(
        &self,
        encoder: E,
        data: &Measured,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let card = ModelCard { encoder: None, ..self.card() };
        self.fit_with_card(card, encoder, data, device, session)
    }

    fn fit_with_card<E: Encoder>(
        &self,
        card: ModelCard,
        encoder: E,
        data: &Measured,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        self.check(data)?;
        let scaling = Scaling::fit(self.fit.scaling, data.features());
        let scaled = data.with_features(scaling.apply(data.features())?)?;
        Estimator { config: self, card, scaling, start: None }
            .fit(encoder, &scaled, device, session)
    }

    fn card(&self) -> ModelCard {
        ModelCard {
            d_input: self.d_input,
            d_output: self.d_output,
            encoder: Some(self.encoder.clone()),
            objective: ObjectiveCard::Numbers { regression: self.objective },
            fit: self.fit.clone(),
        }
    }

    fn check(&self, data: &Measured) -> Result<()> {
        let d = data.features().columns();
        check_sizes(&self.encoder, [self.d_input, self.d_output], d)?;
        check_targets(data)
    }
}

/// What a fit needs of the targets.
fn check_targets(data: &Measured) -> Result<()> {
    let n = data.rows();
    if n < 3 {
        return Err(Error::data(format!(
            "there {} to learn from; at least 3 are needed, so that a row has two others to choose from",
            if n == 1 { "is 1 row".to_string() } else { format!("are {n} rows") }
        )));
    }
    let targets = data.targets();
    let first = targets.row(0);
    let constant = |column: usize| (0..n).all(|row| targets.row(row)[column] == first[column]);
    match (0..targets.columns()).find(|&column| constant(column)) {
        None => Ok(()),
        Some(column) => Err(Error::data(format!(
            "the target {:?} is {} in all {n} rows; there is nothing to learn, so give another target",
            targets.names()[column],
            first[column]
        ))),
    }
}

/// A fit whose settings and scaling are settled.
struct Estimator<'a> {
    config: &'a RegressionConfig,
    card: ModelCard,
    scaling: Scaling,
    start: Option<ResolvedStart>,
}

/// The rows to learn from on the device, and the encoder to learn.
struct Start<'a, E: Encoder> {
    encoder: E,
    /// All rows, those held out included.
    scaled: &'a Measured,
    train: &'a Measured,
    x: &'a Tensor<2>,
    held_out: Option<&'a HeldOutScore<'a, E>>,
}

impl Estimator<'_> {
    fn fit<E: Encoder>(
        self,
        encoder: E,
        scaled: &Measured,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let started = Instant::now();
        let (device, dtype) = place(&self.config.fit, device)?;
        let split = self.early_stopping_split(scaled.rows())?;
        let (train, held_out) = (scaled.select(&split.train), scaled.select(&split.test));
        check_targets(&train)?;
        let x = train.features().to_tensor(&device, dtype);
        let x_held_out = held_out.features().to_tensor(&device, dtype);
        let score = |encoder: &E| held_out_r2(encoder, (&x, &train), (&x_held_out, &held_out));
        let held_out_score = (held_out.rows() > 0).then_some(&score as &HeldOutScore<'_, E>);
        let start = Start { encoder, scaled, train: &train, x: &x, held_out: held_out_score };
        let solution = self.minimise(start, &device, session)?;
        let rows =
            RowCounts { train: train.rows(), held_out: held_out.rows(), ..RowCounts::default() };
        let (encoder, summary) = summarise(solution, self.start, rows, started);
        let references = encoder.forward(scaled.features().to_tensor(&device, dtype));
        Ok(Fitted {
            encoder,
            card: self.card,
            scaling: self.scaling,
            known: scaled.into(),
            references,
            summary,
        })
    }

    fn minimise<E: Encoder>(
        &self,
        start: Start<'_, E>,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Solution<E>> {
        let Start { encoder, scaled: data, train, x, held_out } = start;
        let targets = train.targets();
        match self.config.objective {
            RegressionObjective::Mlkr => {
                let standard = Scaling::fit(ScalingKind::Standardise, targets).apply(targets)?;
                let target = &TargetIndex::new(standard.values(), standard.columns(), device)?;
                let objective = MlkrLossConfig::new().init();
                Run { encoder, objective, x, target, held_out, data }.fit(&self.card, session)
            }
            RegressionObjective::Soft { criterion, width } => {
                let agreements =
                    Agreements::of_targets(targets.values(), targets.columns(), width)?;
                let target = &AgreementIndex::new(&agreements, device)?;
                let objective = SoftNcaLossConfig::new().with_criterion(criterion).init();
                Run { encoder, objective, x, target, held_out, data }.fit(&self.card, session)
            }
        }
    }

    /// All rows to train on, unless early stopping holds some out.
    fn early_stopping_split(&self, rows: usize) -> Result<Split> {
        let Some(stop) = &self.config.fit.early_stopping else {
            return Ok(Split { train: (0..rows).collect(), test: Vec::new() });
        };
        let split = random_split(rows, stop.share, self.config.fit.seed)?;
        if split.test.is_empty() {
            return Err(Error::setting(format!(
                "early stopping on a share of {} of {rows} rows leaves no held-out row; give a larger share \
                 or switch early stopping off",
                stop.share
            )));
        }
        Ok(split)
    }
}

/// R² of held-out rows by the kernel rule among the training rows, all target columns together.
fn held_out_r2<E: Encoder>(
    encoder: &E,
    (x, train): (&Tensor<2>, &Measured),
    (x_held_out, held_out): (&Tensor<2>, &Measured),
) -> f64 {
    let scale = Scaling::fit(ScalingKind::Standardise, train.targets());
    let references = encoder.forward(x.clone());
    let queries = encoder.forward(x_held_out.clone());
    let r2 = || -> Result<Option<f64>> {
        let (known, truth) = (scale.apply(train.targets())?, scale.apply(held_out.targets())?);
        let numbers = Numbers { values: known.values(), columns: known.columns() };
        let predicted = kernel_means(&queries, &references, numbers, None)?;
        let scores = RegressionScores::of(&predicted, truth.values())?;
        // Held-out rows of one target have no R²; their squared error, less the sign, orders as well.
        Ok(scores.r2().or_else(|| scores.rmse().map(|rmse| -rmse * rmse)))
    };
    // A diverged embedding scores below any other; the fit itself reports that it is not finite.
    r2().ok().flatten().unwrap_or(f64::NEG_INFINITY)
}
