//! The soft nearest neighbor loss: NCA's log-probability at a temperature.

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Device, Int, Tensor};

use super::candidates::within_batch;
use super::contrast::{Contrast, Contrasted};
use super::temperature::show_affinity;
use super::{
    BatchLoss, CandidateLoss, Candidates, ClassTarget, Similarity, Temperature, TemperatureConfig,
};
use crate::shown_on_one_line;
use crate::sums::Sums;

/// The settings of a [`SoftNearestNeighborLoss`].
#[derive(Config, Debug)]
pub struct SoftNearestNeighborLossConfig {
    /// How alike two rows are; the squared Euclidean distance by default, as in the paper.
    #[config(default = "Similarity::SqEuclidean")]
    pub similarity: Similarity,
    /// The temperature T; fixed at 1 by default.
    #[config(default = "TemperatureConfig::new(1.0)")]
    pub temperature: TemperatureConfig,
    /// How the terms of the anchors that have a positive are reduced.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl SoftNearestNeighborLossConfig {
    /// The loss with these settings; the device holds a learned temperature.
    ///
    /// # Panics
    /// If the temperature is not positive and finite.
    pub fn init(&self, device: &Device) -> SoftNearestNeighborLoss {
        SoftNearestNeighborLoss {
            similarity: self.similarity,
            temperature: self.temperature.init(device),
            reduction: self.reduction.clone(),
            sums: self.sums,
        }
    }
}

/// The soft nearest neighbor loss: the log-probability that a neighbor drawn at temperature T is of the
/// anchor's class.
///
/// ```text
/// l = -1/b Σ_i log ( Σ_{j≠i, y_j=y_i} exp(s_ij / T) / Σ_{a≠i} exp(s_ia / T) )       (eq. 1 of [1])
/// ```
/// With `s = -||z_i - z_j||²` and T = 1 this is -g/b of NCA (equation 6 of its paper). \[1\] learns T with the
/// network; there the loss is often subtracted, to entangle the classes of a hidden layer.
///
/// # Numerics
/// As [`NcaLoss`](super::NcaLoss): a difference of two log-sum-exps, no term dropped, the anchor
/// itself left out by position. An anchor without a positive in the batch adds nothing and is not counted.
///
/// # References
/// \[1\] N. Frosst, N. Papernot, G. Hinton, Analyzing and Improving Representations with the Soft Nearest
/// Neighbor Loss, ICML 2019.
///
/// # Examples
/// By hand: points 0, 1, 3 on a line, classes a, a, b, T = 1/log 2 (then `exp(-d²/T) = 2^(-d²)`).
/// ```text
/// anchor 0: positives 2^-1, all 2^-1 + 2^-9:  p = 256/257
/// anchor 1: positives 2^-1, all 2^-1 + 2^-4:  p = 8/9
/// anchor 3: no positive, not counted          l = -(log 256/257 + log 8/9) / 2
/// ```
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::{SoftNearestNeighborLossConfig, TemperatureConfig};
///
/// let device = Device::flex();
/// let embeddings = Tensor::<2>::from_floats([[0.0], [1.0], [3.0]], &device);
/// let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device);
/// let temperature = TemperatureConfig::new(1.0 / 2f64.ln());
/// let loss = SoftNearestNeighborLossConfig::new().with_temperature(temperature).init(&device);
/// let found: f64 = loss.forward(embeddings, labels).into_scalar();
/// let expected = -((256.0 / 257.0f64).ln() + (8.0 / 9.0f64).ln()) / 2.0;
/// assert!((found - expected).abs() < 1e-6);
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SoftNearestNeighborLoss {
    #[module(skip)]
    similarity: Similarity,
    /// The temperature.
    pub temperature: Temperature,
    #[module(skip)]
    reduction: Reduction,
    #[module(skip)]
    sums: Sums,
}

shown_on_one_line!(SoftNearestNeighborLoss, |module, content| show_affinity(
    content,
    module.similarity,
    &module.temperature
));

impl SoftNearestNeighborLoss {
    /// The loss of a batch. Plain sums leave everything on the device; fused ones read the labels from it, once.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`, labels: `[n]`, of any integer type
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        within_batch(self, embeddings, labels)
    }
}

impl BatchLoss for SoftNearestNeighborLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl CandidateLoss for SoftNearestNeighborLoss {
    fn forward_among(
        &self,
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Tensor<1> {
        let (similarity, temperature) = (self.similarity, Some(&self.temperature));
        let contrasted = Contrasted { sums: self.sums, similarity, temperature };
        let terms = |contrast: &dyn Contrast| contrast.log_p().neg();
        contrasted.loss(&terms, (queries, labels), candidates, &self.reduction)
    }
}
