//! Metric learning from weighted pairs.

use web_time::Instant;

use burn::config::Config;
use burn::tensor::Device;

use super::encoder_start::{self, check_sizes};
use super::known::{Known, ObjectiveCard};
use super::run::{RowCounts, Run, place, summarise};
use super::{Fitted, ModelCard};
use crate::data::{Features, Pairs, Scaling, random_split};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig};
use crate::error::{Error, Result};
use crate::fit::exact::value;
use crate::fit::{FitConfig, FitSession, HeldOutScore, ResolvedStart};
use crate::model::MetricModel;
use crate::objective::{PairIndex, PairLossConfig};

/// Metric learning from weighted pairs, without any label: what to learn, and how.
///
/// The objective is equation 8 of the NCA paper ([`PairLoss`](crate::objective::PairLoss)). Early stopping
/// holds out pairs, not rows, and follows their mean log-probability `-||z_a - z_b||² - log Z`, weighted. The
/// automatic start is PCA where k < d, else the identity.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::PairsConfig;
/// use burn_nca::data::{Features, Pairs};
///
/// // Frames of a film: the first feature changes slowly, the second is noise.
/// let features = vec![0.0, 5.0, 1.0, 0.0, 2.0, 9.0, 3.0, 2.0, 4.0, 7.0];
/// let features = Features::unnamed(features, 2)?;
/// let pairs = Pairs::new(5, (1..5).map(|frame| (frame - 1, frame, 1.0)).collect())?;
/// let fitted = PairsConfig::new(2, 2).fit(&features, &pairs, &Device::flex())?;
/// assert_eq!(fitted.transform(&features)?.dims(), [5, 2]);
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Config, Debug)]
pub struct PairsConfig {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k: below d for a low rank, d for a full metric, or more.
    pub d_output: usize,
    /// Which map.
    #[config(default = "EncoderConfig::Linear")]
    pub encoder: EncoderConfig,
    /// Whether the normaliser counts each point with itself.
    #[config(default = true)]
    pub include_self: bool,
    /// How to fit.
    #[config(default = "FitConfig::new()")]
    pub fit: FitConfig,
}

impl PairsConfig {
    /// Learns the metric that draws the pairs together.
    ///
    /// # Errors
    /// See [`PairsConfig::fit_session`].
    pub fn fit(&self, features: &Features, pairs: &Pairs, device: &Device) -> Result<Fitted> {
        self.fit_session((features, pairs), device, FitSession::new())
    }

    /// Learns the metric that draws the pairs together, with callbacks and a checkpoint.
    ///
    /// # Errors
    /// Features of other columns than `d_input`, pairs of another number of points than rows, settings out
    /// of range, a precision the device does not have, a checkpoint that cannot be used.
    pub fn fit_session(
        &self,
        (features, pairs): (&Features, &Pairs),
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.check(features, pairs)?;
        let card = self.card();
        let scaling = Scaling::fit(self.fit.scaling, features);
        let scaled = scaling.apply(features)?;
        let (encoder, start) = encoder_start::build_unlabelled(&card, &scaled, device)?;
        Estimator { config: self, card, scaling, start }.fit(
            encoder,
            (&scaled, pairs),
            device,
            session,
        )
    }

    /// Goes on from an encoder that is already fitted (a warm start): its weights replace the start.
    ///
    /// # Errors
    /// As [`PairsConfig::fit_session`], or an encoder of another size.
    pub fn fit_from(
        &self,
        encoder: AnyEncoder,
        data: (&Features, &Pairs),
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted> {
        self.fit_with_card(self.card(), encoder, data, device, session)
    }

    /// Learns the metric through a module of the user's own, as
    /// [`NcaConfig::fit_encoder`](crate::NcaConfig::fit_encoder) does.
    ///
    /// # Errors
    /// As [`PairsConfig::fit_session`]; an encoder of other sizes than the settings, or with a layer that behaves
    /// differently in training where the solver is no mini-batch one.
    ///
    /// # Panics
    /// Where the encoder panics on rows of `d_input` features: see [`Encoder::d_input`].
    pub fn fit_encoder<E: Encoder>(
        &self,
        encoder: E,
        data: (&Features, &Pairs),
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
        (features, pairs): (&Features, &Pairs),
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        self.check(features, pairs)?;
        let scaling = Scaling::fit(self.fit.scaling, features);
        let scaled = scaling.apply(features)?;
        Estimator { config: self, card, scaling, start: None }.fit(
            encoder,
            (&scaled, pairs),
            device,
            session,
        )
    }

    fn card(&self) -> ModelCard {
        ModelCard {
            d_input: self.d_input,
            d_output: self.d_output,
            encoder: Some(self.encoder.clone()),
            objective: ObjectiveCard::Pairs { include_self: self.include_self },
            fit: self.fit.clone(),
        }
    }

    fn check(&self, features: &Features, pairs: &Pairs) -> Result<()> {
        check_sizes(&self.encoder, [self.d_input, self.d_output], features.columns())?;
        if pairs.points() != features.rows() {
            return Err(Error::data(format!(
                "the pairs are of {} points, the data have {} rows; give pairs of these rows",
                pairs.points(),
                features.rows()
            )));
        }
        Ok(())
    }
}

/// A fit whose settings and scaling are settled.
struct Estimator<'a> {
    config: &'a PairsConfig,
    card: ModelCard,
    scaling: Scaling,
    start: Option<ResolvedStart>,
}

impl Estimator<'_> {
    fn fit<E: Encoder>(
        self,
        encoder: E,
        (scaled, pairs): (&Features, &Pairs),
        device: &Device,
        session: FitSession<'_>,
    ) -> Result<Fitted<E>> {
        let started = Instant::now();
        let fit = &self.config.fit;
        let (device, dtype) = place(fit, device)?;
        let (train, held_out) = self.early_stopping_split(pairs)?;
        let x = &scaled.to_tensor(&device, dtype);
        let target = &PairIndex::new(&train, &device);
        let objective = PairLossConfig::new().with_include_self(self.config.include_self).init();
        let score = held_out.as_ref().map(|held_out| {
            let (index, objective) = (PairIndex::new(held_out, &device), objective.clone());
            move |encoder: &E| {
                let model = MetricModel::new(encoder.clone(), objective.clone());
                -value(&model, x, &index, &fit.blocks) / index.total_weight()
            }
        });
        let held_out = score.as_ref().map(|score| score as &HeldOutScore<'_, E>);
        let data = &(scaled, pairs);
        let run = Run { encoder, objective, x, target, held_out, data };
        let solution = run.fit(&self.card, session)?;
        let rows = RowCounts { train: scaled.rows(), ..RowCounts::default() };
        let (encoder, summary) = summarise(solution, self.start, rows, started);
        Ok(Fitted {
            references: encoder.forward(x.clone()),
            encoder,
            card: self.card,
            scaling: self.scaling,
            known: Known::Unlabelled,
            summary,
        })
    }

    /// All pairs to train on, unless early stopping holds some out.
    fn early_stopping_split(&self, pairs: &Pairs) -> Result<(Pairs, Option<Pairs>)> {
        let Some(stop) = &self.config.fit.early_stopping else {
            return Ok((pairs.clone(), None));
        };
        let all: Vec<(usize, usize, f64)> = pairs.iter().collect();
        let split = random_split(all.len(), stop.share, self.config.fit.seed)?;
        let part = |rows: &[usize]| {
            Pairs::new(pairs.points(), rows.iter().map(|&row| all[row]).collect()).map_err(|_| {
                Error::setting(format!(
                    "early stopping on a share of {} of {} pairs leaves a part without a pair of positive \
                     weight; give another share or switch early stopping off",
                    stop.share,
                    all.len()
                ))
            })
        };
        Ok((part(&split.train)?, Some(part(&split.test)?)))
    }
}
