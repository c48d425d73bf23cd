//! The supervised contrastive loss.

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

/// The settings of a [`SupConLoss`].
#[derive(Config, Debug)]
pub struct SupConLossConfig {
    /// How alike two rows are; the cosine by default, as in the paper.
    #[config(default = "Similarity::Cosine")]
    pub similarity: Similarity,
    /// The temperature T; fixed at 0.1 by default, as in the paper.
    #[config(default = "TemperatureConfig::new(0.1)")]
    pub temperature: TemperatureConfig,
    /// How the terms of the anchors that have a positive are reduced.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl SupConLossConfig {
    /// The loss with these settings; the device holds a learned temperature.
    ///
    /// # Panics
    /// If the temperature is not positive and finite.
    pub fn init(&self, device: &Device) -> SupConLoss {
        SupConLoss {
            similarity: self.similarity,
            temperature: self.temperature.init(device),
            reduction: self.reduction.clone(),
            sums: self.sums,
        }
    }
}

/// The supervised contrastive loss: the mean log-probability of each positive on its own.
///
/// ```text
/// l = Σ_i -1/|P(i)| Σ_{p∈P(i)} log ( exp(s_ip / T) / Σ_{a∈A(i)} exp(s_ia / T) )        (eq. 2 of [1], "out")
/// A(i) = all rows but i,   P(i) = those of A(i) with i's label
/// ```
/// The denominator holds the positives too. Unlike NCA, where one near positive is enough, every positive is
/// asked for. The mean over the anchors that have a positive is the default (the paper's (2) is the sum; its
/// published code also scales by T over a base temperature, which this loss does not). Give two views of an
/// image as two rows of one label.
///
/// # Numerics
/// In log space; the anchor is left out by position. An anchor without a positive adds nothing and is not
/// counted.
///
/// # References
/// \[1\] P. Khosla et al., Supervised Contrastive Learning, NeurIPS 2020.
///
/// # Examples
/// By hand: unit vectors at 0, 90 and 180 degrees of one class, T = 1/log 2 (then `exp(s/T) = 2^s`).
/// ```text
/// cosines: (0°, 90°) = 0, (90°, 180°) = 0, (0°, 180°) = -1, so 2^s = 1, 1, 1/2
/// anchor 0°:   all = 3/2, terms -log 2/3 and -log 1/3: mean (log 3/2 + log 3) / 2
/// anchor 90°:  all = 2,   both terms log 2
/// anchor 180°: as anchor 0°                            l = (log 3/2 + log 3 + log 2) / 3 = (2/3) log 3
/// ```
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::{SupConLossConfig, TemperatureConfig};
///
/// let device = Device::flex();
/// let embeddings = Tensor::<2>::from_floats([[2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], &device);
/// let labels = Tensor::<1, Int>::from_ints([0, 0, 0], &device);
/// let temperature = TemperatureConfig::new(1.0 / 2f64.ln());
/// let loss = SupConLossConfig::new().with_temperature(temperature).init(&device);
/// let found: f64 = loss.forward(embeddings, labels).into_scalar();
/// assert!((found - 2.0 / 3.0 * 3f64.ln()).abs() < 1e-6);
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SupConLoss {
    #[module(skip)]
    similarity: Similarity,
    /// The temperature.
    pub temperature: Temperature,
    #[module(skip)]
    reduction: Reduction,
    #[module(skip)]
    sums: Sums,
}

shown_on_one_line!(SupConLoss, |module, content| show_affinity(
    content,
    module.similarity,
    &module.temperature
));

impl SupConLoss {
    /// The loss of a batch. Plain sums leave everything on the device; fused ones read the labels from it, once.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`, of any length: the cosine normalizes
    /// - labels: `[n]`, of any integer type
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        within_batch(self, embeddings, labels)
    }
}

impl BatchLoss for SupConLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl CandidateLoss for SupConLoss {
    fn forward_among(
        &self,
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Tensor<1> {
        let (similarity, temperature) = (self.similarity, Some(&self.temperature));
        let contrasted = Contrasted { sums: self.sums, similarity, temperature };
        // Σ_p log(..) = Σ_p l_ip - |P| log Σ_a exp(l_ia), over |P|
        let terms = |contrast: &dyn Contrast| {
            (contrast.log_all() - contrast.mean_positive())
                .mask_fill(contrast.without_positive(), 0.0)
        };
        contrasted.loss(&terms, (queries, labels), candidates, &self.reduction)
    }
}
