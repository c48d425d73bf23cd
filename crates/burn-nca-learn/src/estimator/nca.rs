//! Neighborhood components analysis, of classes.

use burn::config::Config;
use burn::tensor::Device;

use super::{Estimator, Fitted};
use crate::data::{AnyData, Features, Labeled};
use crate::encoder::{AnyEncoder, EncoderConfig, cast};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitSession, Penalty, START_PERPLEXITY, Start};
use crate::method::start::build;
use crate::method::{self, AnyMethod, Method};
use crate::objective::Criterion;
use burn_nca::{MetricModel, Nca};

/// Neighborhood components analysis: what to learn, and how.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca_learn::{NcaConfig, data::{Features, Labeled}};
///
/// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
/// let data = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
/// let fitted = NcaConfig::new(2, 1).fit(&data, &Device::flex())?;
/// assert_eq!(fitted.predict(data.features(), 1)?, [0, 0, 1, 1]);
/// println!("{}", fitted.summary().termination);
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
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
    /// The settings to start from in practice, for a map: see [`NcaConfig::recommended_for`].
    ///
    /// [`NcaConfig::new`] is the method as the paper and scikit-learn have it. No fixed settings serve every table:
    /// [`NcaConfig::choose`] compares the default candidates on the data at hand, as `nca fit` does, and [`NcaConfig::tune`]
    /// searches.
    pub fn recommended(d_input: usize, d_output: usize) -> Self {
        Self::recommended_for(EncoderConfig::Linear, d_input, d_output)
    }

    /// The settings to start from for this kind of map: criterion g; for a map a start of perplexity 15 and a penalty
    /// of 0.01 of the spread of the embedding, for a network 0.001 of its weights.
    ///
    /// Nothing of it depends on the units of the features. A network ends early under f: a row without a near neighbor of its
    /// class adds nothing. Its penalty is smaller because the weights of all layers pay: from 0.01 on, networks of two hidden
    /// layers collapse to a point (`docs/decisions.md` has the numbers).
    pub fn recommended_for(encoder: EncoderConfig, d_input: usize, d_output: usize) -> Self {
        let method = method::Nca::recommended();
        let fit = FitConfig::new().with_l2(method.recommended_l2(&encoder));
        let fit = match encoder {
            EncoderConfig::Linear | EncoderConfig::Diagonal => fit
                .with_penalty(Some(Penalty::Spread))
                .with_start_perplexity(Some(START_PERPLEXITY)),
            EncoderConfig::Mlp(_) | EncoderConfig::Modern(_) => {
                fit.with_penalty(Some(Penalty::Weights))
            }
        };
        Self::new(d_input, d_output)
            .with_encoder(encoder)
            .with_criterion(method.criterion)
            .with_fit(fit)
    }

    /// The module at a start that no data are needed for, in the number type of the settings, to be trained like any
    /// other: one seed gives one module, on every device.
    ///
    /// A map starts where [`FitConfig::start`] says, by [`Start::Auto`] from the identity; a network from random weights. The
    /// perplexity of the start is one of rows: scale the module by [`perplexity_factor`](crate::fit::perplexity_factor).
    ///
    /// # Panics
    /// For a start that is made of data (PCA, LDA), sizes that a fit refuses, such as a diagonal encoder with k other than
    /// d, or a negative repulsion.
    pub fn init(&self, device: &Device) -> Nca<AnyEncoder> {
        let encoder = self.start_without_data(device).unwrap_or_else(|error| panic!("{error}"));
        MetricModel::new(encoder, self.method().loss().init())
    }

    fn start_without_data(&self, device: &Device) -> Result<AnyEncoder> {
        if let start @ (Start::Pca | Start::Lda) = &self.fit.start {
            return Err(Error::setting(format!(
                "the start {start:?} is made of data, and here are none; start from auto, identity, random or a given map, \
                 or use `fit`"
            )));
        }
        // Of a single row every rule is the identity.
        let row = Features::unnamed(vec![0.0; self.d_input], self.d_input)?;
        let fit = self.fit.clone().with_start_perplexity(None);
        let to = (&fit, self.d_output);
        let (encoder, _) = build(&self.encoder, to, AnyData::Unlabeled(&row), device)?;
        Ok(cast(encoder, fit.precision.dtype()))
    }

    /// The same settings as an [`Estimator`].
    pub fn estimator(&self) -> Estimator<method::Nca> {
        Estimator::new(self.d_input, self.d_output, self.method())
            .with_encoder(self.encoder.clone())
            .with_fit(self.fit.clone())
    }

    /// The settings of an estimator whose method is NCA; `None` for other methods.
    pub fn of(estimator: &Estimator) -> Option<Self> {
        let AnyMethod::Nca(method) = &estimator.method else { return None };
        let config = Self::new(estimator.d_input, estimator.d_output);
        let config = config.with_criterion(method.criterion).with_repulsion(method.repulsion);
        Some(config.with_encoder(estimator.encoder.clone()).with_fit(estimator.fit.clone()))
    }

    pub(super) fn method(&self) -> method::Nca {
        method::Nca { criterion: self.criterion, repulsion: self.repulsion }
    }

    /// Learns the metric of a labeled table.
    ///
    /// # Errors
    /// As [`Estimator::fit_session`]: fewer than two rows or classes, no class with two rows.
    pub fn fit(&self, data: &Labeled, device: &Device) -> Result<Fitted> {
        self.estimator().fit_session(data, device, FitSession::new())
    }
}
