//! One call from a table to a fitted metric: the stages put together.
//!
//! ```text
//! classes   NcaConfig::fit(&Labelled)             f or g                    predict, class_probabilities
//! numbers   RegressionConfig::fit(&Measured)      MLKR, or soft f or g      predict_numbers, predict_kernel
//! pairs     PairsConfig::fit(&Features, &Pairs)   equation 8                transform
//! ```
//! All three give a [`Fitted`], which is saved and loaded alike.

mod encoder_start;
mod entropy_k;
mod fitted;
mod folder;
mod known;
mod pairs;
mod prediction;
mod regression;
mod run;
mod trained_elsewhere;
pub mod tune;

pub use fitted::{FitSummary, Fitted, ModelCard};
pub use known::{Known, ObjectiveCard, RegressionObjective};
pub use pairs::PairsConfig;
pub use regression::RegressionConfig;

use burn::config::Config;
use burn::tensor::{Device, Tensor};
use web_time::Instant;

use crate::data::{Labelled, Scaling, Split, stratified_split};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig};
use crate::error::{Error, Result, quoted};
use crate::evaluate::expected_accuracy;
use crate::fit::{FitConfig, FitSession, HeldOutScore, ResolvedStart};
use crate::model::{MetricModel, Nca};
use crate::neighbors::class_probabilities;
use crate::objective::{ClassIndex, Criterion, NcaLossConfig};
use encoder_start::check_sizes;
use run::{RowCounts, Run, place, summarise};

/// Neighbourhood components analysis: what to learn, and how.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::{NcaConfig, data::{Features, Labelled}};
///
/// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
/// let data = Labelled::from_labels(features, vec![0, 0, 1, 1])?;
/// let fitted = NcaConfig::new(2, 1).fit(&data, &Device::flex())?;
/// assert_eq!(fitted.predict(data.features(), 1)?, [0, 0, 1, 1]);
/// println!("{}", fitted.summary().termination);
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Config, Debug)]
pub struct NcaConfig {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k: below d for a low rank, d for a full metric, or more.
    pub d_output: usize,
    /// Which map.
    #[config(default = "EncoderConfig::Linear")]
    pub encoder: EncoderConfig,
    /// Which of the paper's criteria.
    #[config(default = "Criterion::F")]
    pub criterion: Criterion,
    /// Weight of the hinge between classes; 0 leaves it out.
    #[config(default = 0.0)]
    pub repulsion: f64,
    /// How to fit.
    #[config(default = "FitConfig::new()")]
    pub fit: FitConfig,
}

impl NcaConfig {
    /// The settings to start from in practice: criterion g, with an L2 penalty of 0.01.
    ///
    /// [`NcaConfig::new`] is the method as the paper and scikit-learn have it. Its exact optimum overfits: on
    /// average over the paper's small sets these settings classify test rows better (`docs/decisions.md` has the
    /// numbers). They are for maps of standardised features ([`NcaConfig::recommended_for`] has those for networks);
    /// [`NcaConfig::tune`] looks for better ones for the data at hand.
    pub fn recommended(d_input: usize, d_output: usize) -> Self {
        Self::recommended_for(EncoderConfig::Linear, d_input, d_output)
    }

    /// The settings to start from for this kind of map: criterion g, with an L2 penalty of 0.01, of 0.001 for a
    /// network.
    ///
    /// A network ends early under f: a row without a near neighbour of its class adds nothing to value or gradient.
    /// Its penalty is smaller because the weights of all layers pay: from 0.01 on, networks of two hidden layers
    /// collapse to a point (`docs/decisions.md` has the numbers).
    pub fn recommended_for(encoder: EncoderConfig, d_input: usize, d_output: usize) -> Self {
        let l2 = match encoder {
            EncoderConfig::Linear | EncoderConfig::Diagonal => 0.01,
            EncoderConfig::Mlp { .. } => 0.001,
        };
        Self::new(d_input, d_output)
            .with_encoder(encoder)
            .with_criterion(Criterion::G)
            .with_fit(FitConfig::new().with_l2(l2))
    }

    /// The module at its identity start (a network at Burn's random start), to be trained like any other.
    ///
    /// # Panics
    /// For a diagonal encoder with k other than d, or a negative repulsion.
    pub fn init(&self, device: &Device) -> Nca {
        let encoder = self.encoder.init(self.d_input, self.d_output, device);
        MetricModel::new(encoder, self.loss().init())
    }

    /// Learns the metric of a labelled table.
    ///
    /// # Errors
    /// See [`NcaConfig::fit_session`].
    pub fn fit(&self, data: &Labelled, device: &Device) -> Result<Fitted> {
        self.fit_session(data, device, FitSession::new())
    }

    /// Learns the metric of a labelled table, with callbacks and a checkpoint.
    ///
    /// # Errors
    /// Data of other columns than `d_input`, fewer than two rows or classes, no class with two rows,
    /// settings out of range, a precision the device does not have, a checkpoint that cannot be used.
    pub fn fit_session(
        &self,
        data: &Labelled,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.check(data)?;
        let scaling = Scaling::fit(self.fit.scaling, data.features());
        let scaled = data.with_features(scaling.apply(data.features())?)?;
        let card = self.card();
        let (encoder, start) = encoder_start::build(&card, &scaled, device)?;
        Estimator { card, scaling, start, loss: self.loss() }.fit(encoder, &scaled, device, session)
    }

    /// Goes on from an encoder that is already fitted (a warm start): its weights replace the start.
    ///
    /// # Errors
    /// As [`NcaConfig::fit_session`], or an encoder of another size.
    pub fn fit_from(
        &self,
        encoder: AnyEncoder,
        data: &Labelled,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.check(data)?;
        let card = self.card();
        self.fit_with_card(card, encoder, data, device, session)
    }

    /// Learns the metric of a labelled table through a module of the user's own, fresh or trained before.
    ///
    /// Mini-batches train any module. L-BFGS and conjugate gradients minimise one function, so they refuse layers
    /// that draw at random or move statistics in training
    /// ([`disable_training_flags`](crate::fit::disable_training_flags) is the cure).
    ///
    /// # Errors
    /// As [`NcaConfig::fit_session`]; an encoder of other sizes than the settings, or with such a layer.
    ///
    /// # Panics
    /// Where the encoder panics on rows of `d_input` features: see [`Encoder::d_input`].
    pub fn fit_encoder<E: Encoder>(
        &self,
        encoder: E,
        data: &Labelled,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        self.check(data)?;
        let card = ModelCard { encoder: None, ..self.card() };
        self.fit_with_card(card, encoder, data, device, session)
    }

    fn fit_with_card<E: Encoder>(
        &self,
        card: ModelCard,
        encoder: E,
        data: &Labelled,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let scaling = Scaling::fit(card.fit.scaling, data.features());
        let scaled = data.with_features(scaling.apply(data.features())?)?;
        Estimator { card, scaling, start: None, loss: self.loss() }
            .fit(encoder, &scaled, device, session)
    }

    fn loss(&self) -> NcaLossConfig {
        NcaLossConfig::new().with_criterion(self.criterion).with_repulsion(self.repulsion)
    }

    fn card(&self) -> ModelCard {
        ModelCard {
            d_input: self.d_input,
            d_output: self.d_output,
            encoder: Some(self.encoder.clone()),
            objective: ObjectiveCard::Classes {
                criterion: self.criterion,
                repulsion: self.repulsion,
            },
            fit: self.fit.clone(),
        }
    }

    fn check(&self, data: &Labelled) -> Result<()> {
        let d = data.features().columns();
        check_sizes(&self.encoder, [self.d_input, self.d_output], d)?;
        if !(self.repulsion >= 0.0 && self.repulsion.is_finite()) {
            return Err(Error::setting(format!(
                "the repulsion is {}; give a finite weight that is not negative",
                self.repulsion
            )));
        }
        check_classes(data)
    }
}

/// What a fit needs of the labels.
fn check_classes(data: &Labelled) -> Result<()> {
    let n = data.rows();
    if n < 2 {
        return Err(Error::data(format!(
            "there {} to learn from; at least 2 are needed",
            if n == 1 { "is 1 row".to_string() } else { format!("are {n} rows") }
        )));
    }
    let counts = data.class_counts();
    let present: Vec<usize> = (0..counts.len()).filter(|class| counts[*class] > 0).collect();
    if let [only] = present[..] {
        return Err(Error::data(format!(
            "all {n} rows are of the class {}; there is nothing to tell apart, so give rows of at least \
             two classes",
            quoted(&data.class_names()[only])
        )));
    }
    if counts.iter().all(|count| *count < 2) {
        return Err(Error::data(format!(
            "each of the {} classes has a single row, so no row has a same-class neighbour; give at least \
             one class two rows",
            present.len()
        )));
    }
    Ok(())
}

/// A fit whose settings and scaling are settled.
struct Estimator {
    card: ModelCard,
    scaling: Scaling,
    start: Option<ResolvedStart>,
    loss: NcaLossConfig,
}

impl Estimator {
    fn fit<E: Encoder>(
        self,
        encoder: E,
        scaled: &Labelled,
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let started = Instant::now();
        let (device, dtype) = place(&self.card.fit, device)?;
        let split = self.early_stopping_split(scaled)?;
        let train = in_class_order(&scaled.select(&split.train));
        let held_out = scaled.select(&split.test);
        check_classes(&train)?;
        let x = train.features().to_tensor(&device, dtype);
        let x_held_out = held_out.features().to_tensor(&device, dtype);
        let classes = ClassIndex::of(&train, &device)?;
        let score = |encoder: &E| {
            expected_held_out_accuracy(encoder, (&x, &train), (&x_held_out, &held_out))
        };
        let run = Run {
            encoder,
            objective: self.loss.init(),
            x: &x,
            target: &classes,
            held_out: (held_out.rows() > 0).then_some(&score as &HeldOutScore<'_, E>),
            data: scaled,
        };
        let solution = run.fit(&self.card, session)?;
        let rows = RowCounts {
            train: train.rows(),
            held_out: held_out.rows(),
            singletons: classes.singletons().len(),
        };
        let (encoder, summary) = summarise(solution, self.start, rows, started);
        Ok(Fitted {
            references: encoder.forward(scaled.features().to_tensor(&device, dtype)),
            encoder,
            card: self.card,
            scaling: self.scaling,
            known: scaled.into(),
            summary,
        })
    }

    /// All rows to train on, unless early stopping holds some out.
    fn early_stopping_split(&self, data: &Labelled) -> Result<Split> {
        let Some(stop) = &self.card.fit.early_stopping else {
            return Ok(Split { train: (0..data.rows()).collect(), test: Vec::new() });
        };
        let split = stratified_split(data.labels(), stop.share, self.card.fit.seed)?;
        if split.test.is_empty() {
            return Err(Error::setting(format!(
                "early stopping on a share of {} of {} rows leaves no held-out row; give a larger share or \
                 switch early stopping off",
                stop.share,
                data.rows()
            )));
        }
        Ok(split)
    }
}

/// The rows in class order, which spares every pass over the data a reordering.
fn in_class_order(data: &Labelled) -> Labelled {
    let mut order: Vec<usize> = (0..data.rows()).collect();
    order.sort_by_key(|&row| (data.labels()[row], row));
    data.select(&order)
}

/// The expected accuracy of held-out rows among the training rows: the mean of their p_i.
///
/// Bounded between 0 and 1, unlike log p_i, of which one outlier decides the mean.
fn expected_held_out_accuracy<E: Encoder>(
    encoder: &E,
    (x, train): (&Tensor<2>, &Labelled),
    (x_held_out, held_out): (&Tensor<2>, &Labelled),
) -> f64 {
    let references = encoder.forward(x.clone());
    let queries = encoder.forward(x_held_out.clone());
    class_probabilities(&queries, &references, train.labels(), train.classes(), None)
        .and_then(|probabilities| expected_accuracy(&probabilities, held_out.labels()))
        .ok()
        .flatten()
        // A diverged embedding scores below any other; the fit itself reports that it is not finite.
        .unwrap_or(f64::NEG_INFINITY)
}
