//! Settings from Python as the library's configurations.

use burn::tensor::Device;
use burn_nca_learn::data::{Labeled, ScalingKind};
use burn_nca_learn::encoder::{Activation, EncoderConfig, HiddenLayers};
use burn_nca_learn::fit::{
    ConjugateGradientConfig, FitConfig, LbfgsConfig, OptimizerConfig, Penalty, Precision,
    SgdConfig, Start, StartWeights, StochasticConfig,
};
use burn_nca_learn::method::{AnyMethod, Nca};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{FOURIER_TOLERANCE, NcaConfig, Sums};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;

/// The learning rate of Adam.
const ADAM_RATE: f64 = 0.01;

/// Iterations, or passes over the rows, and rows of a batch, where the estimator names none.
const ITERATIONS: usize = 200;
const BATCH: usize = 1000;

/// Where a map starts.
#[derive(FromPyObject, Clone)]
pub enum Init {
    /// One of the rules.
    Named(String),
    /// A as the paper writes it, row-major `[k, d]`.
    Given(Vec<f64>),
}

/// What the estimators of the package agree on; they give every item.
#[derive(FromPyObject, Clone)]
#[pyo3(from_item_all)]
pub struct Settings {
    /// Embedding dimensions, if any are asked for.
    pub n_components: Option<usize>,
    encoder: String,
    hidden: Option<Vec<usize>>,
    activation: String,
    init: Init,
    scaling: String,
    criterion: String,
    /// Weight of the penalty, if one is given.
    pub l2: Option<f64>,
    penalty: String,
    start_perplexity: Option<f64>,
    optimizer: Option<String>,
    max_iter: Option<usize>,
    tol: f64,
    batch_size: Option<usize>,
    learning_rate: Option<f64>,
    momentum: f64,
    stop_at: Option<usize>,
    random_scale: Option<f64>,
    seed: u64,
    dtype: String,
    sums: String,
    device: String,
}

impl Settings {
    /// Embedding dimensions for data of d features.
    pub fn dimensions(&self, d: usize) -> usize {
        self.n_components.unwrap_or(d)
    }

    /// The device to compute on.
    ///
    /// # Errors
    /// A name that is not among those of the machine.
    pub fn device(&self) -> PyResult<Device> {
        burn_nca_learn::device::open(&self.device).map_err(raised)
    }

    /// The settings of a fit of classes.
    ///
    /// # Errors
    /// A name that is not among those that are listed.
    pub fn classes(&self, data: &Labeled) -> PyResult<NcaConfig> {
        let (n, d) = (data.rows(), data.features().columns());
        Ok(NcaConfig::new(d, self.dimensions(d))
            .with_encoder(self.encoder(&Nca::new().into())?)
            .with_criterion(self.criterion()?)
            .with_fit(self.fit(n, false)?.with_start(self.start(data)?)))
    }

    /// Which map. The hidden layers of a network that names none are those of this method ([`AnyMethod::hidden_layers`]).
    ///
    /// # Errors
    /// An unknown name.
    pub fn encoder(&self, method: &AnyMethod) -> PyResult<EncoderConfig> {
        let by_batches = matches!(self.optimizer.as_deref(), None | Some("adam" | "sgd"));
        let layers = || match &self.hidden {
            Some(sizes) => sizes.clone().into(),
            None => method.hidden_layers(by_batches),
        };
        Ok(match self.encoder.as_str() {
            "linear" => EncoderConfig::Linear,
            "diagonal" => EncoderConfig::Diagonal,
            "mlp" => {
                EncoderConfig::Mlp(HiddenLayers { activation: self.activation()?, ..layers() })
            }
            other => return Err(unknown("encoder", other, "'linear', 'diagonal', 'mlp'")),
        })
    }

    /// Whether neither optimizer nor its passes are given, so that the number of rows may decide ([`Estimator::for_rows`]).
    ///
    /// [`Estimator::for_rows`]: burn_nca_learn::estimator::Estimator::for_rows
    pub fn rows_may_decide(&self) -> bool {
        self.optimizer.is_none() && self.max_iter.is_none() && self.batch_size.is_none()
    }

    fn activation(&self) -> PyResult<Activation> {
        Ok(match self.activation.as_str() {
            "relu" => Activation::Relu,
            "tanh" => Activation::Tanh,
            "logistic" => Activation::Logistic,
            other => return Err(unknown("activation", other, "'relu', 'tanh', 'logistic'")),
        })
    }

    /// Which of the paper's criteria.
    ///
    /// # Errors
    /// An unknown name.
    pub fn criterion(&self) -> PyResult<Criterion> {
        criterion_named(&self.criterion)
    }

    /// The start for labeled data that are not scaled yet.
    ///
    /// LDA is regularized where the scatter within classes is singular, as the automatic start does.
    ///
    /// # Errors
    /// An unknown name.
    pub fn start(&self, data: &Labeled) -> PyResult<Start> {
        let start = self.unlabeled_start()?;
        let (d, k) = (data.features().columns(), self.dimensions(data.features().columns()));
        let classes = data.class_counts().iter().filter(|count| **count > 0).count();
        let auto_is_lda = k <= d.min(classes.saturating_sub(1));
        let singular = || start.weight(data, k, self.seed).is_err();
        Ok(if start == Start::Lda && auto_is_lda && singular() { Start::Auto } else { start })
    }

    /// The start that was asked for.
    ///
    /// # Errors
    /// An unknown name.
    pub fn unlabeled_start(&self) -> PyResult<Start> {
        Ok(match &self.init {
            Init::Given(weight) => Start::Given { weight: weight.clone() },
            Init::Named(name) => match name.as_str() {
                "auto" => Start::Auto,
                "pca" => Start::Pca,
                "lda" => Start::Lda,
                "identity" => Start::Identity,
                "random" if self.encoder == "linear" => Start::Random { scale: self.random_scale },
                "random" => Start::Random { scale: None },
                other => {
                    let known = "'auto', 'pca', 'lda', 'identity', 'random', an array";
                    return Err(unknown("init", other, known));
                }
            },
        })
    }

    /// How to fit n rows, but for the start; a network that is `regularized` by Adam as it is used to
    /// ([`StochasticConfig::of_network`]), with what is given.
    ///
    /// `tol` is that of scipy's L-BFGS-B: the largest gradient component of the sum over all rows, and the relative
    /// change of the sum in a step.
    ///
    /// # Errors
    /// An unknown name.
    pub fn fit(&self, n: usize, regularized: bool) -> PyResult<FitConfig> {
        let gradient = self.tol / n.max(1) as f64;
        let iterations = self.max_iter.unwrap_or(ITERATIONS);
        let usual = match regularized {
            true => StochasticConfig::of_network(n),
            false => {
                StochasticConfig::new().with_epochs(Some(ITERATIONS)).with_batch_size(Some(BATCH))
            }
        };
        let batches = StochasticConfig {
            epochs: self.max_iter.or(usual.epochs),
            batch_size: self.batch_size.or(usual.batch_size),
            learning_rate: self.learning_rate,
            ..usual
        };
        let optimizer =
            self.optimizer.as_deref().unwrap_or(if regularized { "adam" } else { "lbfgs" });
        let optimizer = match optimizer {
            "adam" => OptimizerConfig::Adam(
                batches.with_learning_rate(self.learning_rate.or(Some(ADAM_RATE))),
            ),
            "lbfgs" => OptimizerConfig::Lbfgs(
                LbfgsConfig::new()
                    .with_max_iterations(iterations)
                    .with_tolerance_gradient(gradient)
                    .with_tolerance_progress(self.tol),
            ),
            "cg" => OptimizerConfig::ConjugateGradient(
                ConjugateGradientConfig::new()
                    .with_max_iterations(iterations)
                    .with_tolerance_gradient(gradient)
                    .with_tolerance_progress(self.tol),
            ),
            "sgd" => OptimizerConfig::Sgd(
                SgdConfig::new()
                    .with_momentum(self.momentum)
                    .with_batches(batches.with_weight_decay(None)),
            ),
            other => return Err(unknown("optimizer", other, "'lbfgs', 'cg', 'adam', 'sgd'")),
        };
        let scaling = match self.scaling.as_str() {
            "none" => ScalingKind::None,
            "standardize" | "standardise" => ScalingKind::Standardize,
            "minmax" => ScalingKind::MinMax,
            other => return Err(unknown("scaling", other, "'none', 'standardize', 'minmax'")),
        };
        let precision = match self.dtype.as_str() {
            "float32" => Precision::F32,
            "float64" => Precision::F64,
            other => return Err(unknown("dtype", other, "'float32', 'float64'")),
        };
        let penalty = match self.penalty.as_str() {
            "weights" => None,
            "spread" => Some(Penalty::Spread),
            other => return Err(unknown("penalty", other, "'weights', 'spread'")),
        };
        let sums = match self.sums.as_str() {
            "auto" => None,
            "plain" => Some(Sums::Plain),
            "fused" => Some(Sums::Fused),
            "fourier" => Some(Sums::Fourier(FOURIER_TOLERANCE)),
            other => return Err(unknown("sums", other, "'auto', 'plain', 'fused', 'fourier'")),
        };
        Ok(FitConfig::new()
            .with_penalty(penalty)
            .with_sums(sums)
            .with_start_perplexity(self.start_perplexity)
            .with_optimizer(optimizer)
            .with_scaling(scaling)
            .with_precision(precision)
            .with_l2(self.l2.unwrap_or(0.0))
            .with_stop_at(self.stop_at)
            .with_seed(self.seed))
    }
}

/// Which of the paper's criteria, by its letter.
///
/// # Errors
/// An unknown name.
pub fn criterion_named(name: &str) -> PyResult<Criterion> {
    Ok(match name {
        "f" => Criterion::F,
        "g" => Criterion::G,
        other => return Err(unknown("criterion", other, "'f', 'g'")),
    })
}

fn unknown(setting: &str, value: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("{setting} is {value:?}; give one of {known}"))
}
