//! An encoder with its objective, as one Burn module.

use burn::module::{Module, ModuleDisplay};
use burn::tensor::{Int, Tensor};

use crate::encoder::{Encoder, LinearMap};
use crate::objective::NcaLoss;

/// An encoder and the objective it is trained for: the Burn module that is fitted.
///
/// Any [`Encoder`] goes with any [`Objective`](crate::objective::Objective), for the fits of this crate, and
/// with any [`BatchLoss`](crate::objective::BatchLoss), for Burn's `Learner` and loops of one's own. [`Nca`] is the
/// paper's pair.
#[derive(Module, Debug)]
pub struct MetricModel<E: Encoder, O: Module + ModuleDisplay> {
    /// Maps features to the embedding.
    pub encoder: E,
    /// What the embedding should achieve.
    pub objective: O,
    #[module(skip)]
    chunk: Option<usize>,
}

/// Neighborhood components analysis as a Burn module: the linear map A, or any encoder in its place, and the loss over the
/// distances it makes.
///
/// It is trained in a loop of one's own or by Burn's `Learner`. In the crate `burn-nca-learn`, `NcaConfig::init` makes one
/// by the settings of a fit, and `Fitted::of_classes` makes a model of what was trained, which predicts, evaluates and
/// saves.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::optim::{AdamConfig, GradientsParams};
/// use burn::tensor::{Device, Distribution, Int, Tensor};
/// use burn_nca::encoder::{Mlp, MlpConfig};
/// use burn_nca::Nca;
/// use burn_nca::objective::NcaLossConfig;
///
/// let device = Device::flex().autodiff();
/// let network = MlpConfig::new(8, vec![16], 2).init(&device); // in place of A
/// let mut nca: Nca<Mlp> = Nca::new(network, NcaLossConfig::new().init());
/// let mut optimizer = AdamConfig::new().init();
/// let x = Tensor::<2>::random([6, 8], Distribution::Default, &device);
/// let labels = Tensor::<1, Int>::from_data([0, 0, 1, 1, 2, 2], &device);
/// let gradients = GradientsParams::from_grads(nca.loss(x.clone(), labels).backward(), &nca);
/// nca = optimizer.step(1e-2, nca, gradients);
/// assert_eq!(nca.forward(x).dims(), [6, 2]);
/// # }
/// ```
pub type Nca<E = LinearMap> = MetricModel<E, NcaLoss>;

impl<E: Encoder, O: Module + ModuleDisplay> MetricModel<E, O> {
    /// A model of this encoder and objective.
    pub fn new(encoder: E, objective: O) -> Self {
        Self { encoder, objective, chunk: None }
    }

    /// The model with `rows` rows of a batch through the encoder at a time while it is trained.
    ///
    /// The gradient stays that of the whole batch
    /// ([`value_and_gradient`](crate::fit::cached::value_and_gradient)), at the price of a second forward
    /// pass: a batch may be as large as its embedding allows, however deep the encoder.
    ///
    /// # Panics
    /// If `rows` is 0.
    #[must_use]
    pub fn with_chunk(mut self, rows: usize) -> Self {
        assert!(rows > 0, "a chunk has at least one row, got 0");
        self.chunk = Some(rows);
        self
    }

    /// Rows of a batch that pass through the encoder at a time in training; `None`: all.
    pub fn chunk(&self) -> Option<usize> {
        self.chunk
    }

    /// The embedding of the rows of `x`: `[n, d]` to `[n, k]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.encoder.forward(x)
    }
}

impl<E: Encoder> MetricModel<E, NcaLoss> {
    /// The loss of a labeled batch, shape `[1]`.
    ///
    /// # Shapes
    /// - x: `[n, d]`
    /// - labels: `[n]`
    pub fn loss(&self, x: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        self.objective.forward(self.encoder.forward(x), labels)
    }
}
