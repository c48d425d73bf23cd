//! The settings that one trial of a search tries.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use burn_nca::Sums;

use crate::encoder::{EncoderConfig, HiddenLayers};
use crate::estimator::{Estimator, NcaConfig};
use crate::fit::{FitConfig, OptimizerConfig, Penalty, Start, StochasticConfig};
use crate::method::AnyMethod;
use crate::objective::Criterion;

/// The settings that one trial tries; all others are those of the configuration that is tuned.
///
/// A trial measures its fits on the way too, at every number of steps of
/// [`TuneConfig::steps`](super::TuneConfig::steps).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The method, where it is another than that of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<AnyMethod>,
    /// The hidden layers of a network in the place of the map, which is fitted by mini-batches
    /// ([`StochasticConfig::of_network`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<HiddenLayers>,
    /// Settings of the method by their names, as [`AnyMethod::with_setting`] takes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The criterion, of methods that have one.
    pub criterion: Option<Criterion>,
    /// Weight of the L2 penalty.
    pub l2: f64,
    /// What the penalty weighs.
    pub penalty: Option<Penalty>,
    /// Where the map starts.
    pub start: Start,
    /// The perplexity that the start is scaled to.
    pub start_perplexity: Option<f64>,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// The most steps; 0 for the start itself, a closed form.
    pub stop_at: Option<usize>,
}

impl Candidate {
    /// The settings of a configuration.
    pub fn of(config: &NcaConfig) -> Self {
        Self { criterion: Some(config.criterion), ..Self::of_fit(&config.fit, config.d_output) }
    }

    /// The settings of a fit to k dimensions by a method without a criterion.
    pub(super) fn of_fit(fit: &FitConfig, d_output: usize) -> Self {
        Self {
            method: None,
            network: None,
            settings: BTreeMap::new(),
            criterion: None,
            l2: fit.l2,
            penalty: fit.penalty,
            start: fit.start.clone(),
            start_perplexity: fit.start_perplexity,
            d_output,
            stop_at: fit.stop_at,
        }
    }

    /// The configuration with these settings; without the network of one that has one.
    pub fn apply(&self, config: &NcaConfig) -> NcaConfig {
        let same = Self { method: None, network: None, ..self.clone() };
        let estimator = same.configure(&config.estimator().into_any(), 0);
        NcaConfig::of(&estimator).unwrap_or_else(|| config.clone())
    }

    /// The estimator with these settings, for so many rows.
    pub(super) fn configure(&self, config: &Estimator, rows: usize) -> Estimator {
        let mut config = config.clone();
        config.method = self.method.clone().unwrap_or(config.method);
        let criterion = self.criterion.map(|criterion| ("criterion", format!("{criterion:?}")));
        let settings = self.settings.iter().map(|(name, value)| (name.as_str(), value.clone()));
        for (name, value) in criterion.into_iter().chain(settings) {
            // Another method may have no such setting.
            config.method = config.method.with_setting(name, &value).unwrap_or(config.method);
        }
        config.d_output = self.d_output;
        config.fit.l2 = self.l2;
        config.fit.penalty = self.penalty;
        config.fit.start = self.start.clone();
        config.fit.start_perplexity = self.start_perplexity;
        config.fit.stop_at = self.stop_at;
        if let Some(layers) = &self.network {
            config.encoder = EncoderConfig::Mlp(layers.clone());
            config.fit.optimizer = OptimizerConfig::Adam(StochasticConfig::of_network(rows));
        }
        // A map in closed form, for comparison, may have more dimensions than were asked for.
        if self.d_output > 2 && matches!(config.fit.sums, Some(Sums::Fourier(_))) {
            config.fit.sums = None;
        }
        config
    }

    /// Whether the candidate is its start, without a gradient step.
    pub fn is_closed(&self) -> bool {
        self.stop_at == Some(0)
    }

    /// Whether the candidate is a mean of several networks, and of another method than the configuration.
    pub(super) fn is_mean_of_networks(&self) -> bool {
        self.method.as_ref().and_then(members).is_some()
    }

    /// The name of the closed form that the start is, such as `LDA`.
    pub fn closed_form(&self) -> &'static str {
        self.start_names()[1]
    }

    /// How complex the candidate is after so many steps, to choose between equal scores: Euclidean distance, then other
    /// closed forms, then fits by their number of steps, a fit to its end after them, and a network or another method last.
    pub(super) fn complexity(&self, steps: Option<usize>) -> (usize, usize) {
        match steps.or(self.stop_at) {
            _ if self.method.is_some() || self.network.is_some() => (3, 0),
            Some(0) if self.start == Start::Identity => (0, 0),
            Some(0) => (1, 0),
            steps => (2, steps.unwrap_or(usize::MAX)),
        }
    }

    /// The criterion's letter in the paper, `f` or `g`; `None` for a method without one.
    pub fn criterion_name(&self) -> Option<&'static str> {
        self.criterion.map(Criterion::name)
    }

    /// The name of the start, as the program `nca` spells it.
    pub fn start_name(&self) -> &'static str {
        self.start_names()[0]
    }

    fn start_names(&self) -> [&'static str; 2] {
        match self.start {
            // An automatic start to fewer dimensions than classes.
            Start::Auto => ["auto", "LDA"],
            Start::Identity => ["identity", "Euclidean"],
            Start::Random { .. } => ["random", "random map"],
            Start::Pca => ["pca", "PCA"],
            Start::Lda => ["lda", "LDA"],
            Start::Given { .. } => ["given", "given map"],
        }
    }
}

/// `g, l2 0.01 of the spread, start auto of perplexity 15, k = 2`
impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(method) = &self.method {
            return write!(f, "{}, k = {}", method.info().label, self.d_output);
        }
        if self.is_closed() {
            return write!(f, "{}, k = {}", self.closed_form(), self.d_output);
        }
        let settings = self.settings.iter().map(|(name, value)| format!("{name}={value}"));
        let mut parts: Vec<String> = settings.collect();
        parts.extend(self.network.is_some().then(|| "network".to_string()));
        parts.extend(self.criterion_name().map(str::to_string));
        // Not every method without a criterion has a penalty and a start.
        let has_default = self.criterion.is_none() || self.network.is_some();
        if !(has_default && self.l2 == 0.0) {
            let of_spread = self.l2 > 0.0 && self.penalty == Some(Penalty::Spread);
            parts.push(format!("l2 {}{}", self.l2, if of_spread { " of the spread" } else { "" }));
        }
        if !(has_default && self.start == Start::Auto && self.start_perplexity.is_none()) {
            let scaled = self.start_perplexity.map(|number| format!(" of perplexity {number}"));
            parts.push(format!("start {}{}", self.start_name(), scaled.unwrap_or_default()));
        }
        parts.push(format!("k = {}", self.d_output));
        parts.extend(self.stop_at.map(|steps| format!("{steps} steps")));
        f.write_str(&parts.join(", "))
    }
}

/// The networks of a fit by the method that is a mean of several, 0 for as many as the rows suit; `None` for another method.
pub(super) fn members(method: &AnyMethod) -> Option<usize> {
    method.settings().get("members")?.as_u64().map(|members| members as usize)
}
