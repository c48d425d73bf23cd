//! Large margin nearest neighbors.

mod impostors;
mod target;

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor};

use super::batch::{constant, of_batch, reduced};
use super::transfer::{float_tensor, int_tensor};
use super::{BatchLoss, ClassTarget, DataTarget, Objective};
use crate::nca::pairs::attraction;
use burn_nca::internal::cut;
use burn_nca::shown_on_one_line;
pub use target::TargetNeighbors;

/// The most blocks of an evaluation: each sends back a gradient of all rows.
const MOST_BLOCKS: usize = 64;

/// The settings of a [`LargeMarginLoss`].
#[derive(Config, Debug)]
pub struct LargeMarginLossConfig {
    /// How much the margin counts against the pull of the target neighbors, µ in 0..1.
    #[config(default = 0.5)]
    pub push: f64,
    /// Number of target neighbors of a row in [`LargeMarginLoss::forward`], k.
    #[config(default = 3)]
    pub neighbors: usize,
    /// How [`LargeMarginLoss::forward`] reduces over the rows that have a target neighbor.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl LargeMarginLossConfig {
    /// The loss with these settings.
    ///
    /// # Panics
    /// If the push is not between 0 and 1, or there is no target neighbor.
    pub fn init(&self) -> LargeMarginLoss {
        assert!(
            self.push > 0.0 && self.push < 1.0,
            "the push must be between 0 and 1, got {}",
            self.push
        );
        assert!(self.neighbors > 0, "0 target neighbors were asked for; give 1 or more, such as 3");
        LargeMarginLoss { config: self.clone() }
    }
}

/// Large margin nearest neighbors (LMNN): every row nearer to its target neighbors than to any row of another
/// class, by a margin of 1.
///
/// ```text
/// L = Σ_i Σ_{j∈T_i} ( (1 - µ) d²_ij + µ Σ_{l: y_l ≠ y_i} max(0, 1 + d²_ij - d²_il) )        (13 of [1])
/// d²_ij = ||z_i - z_j||²,   T_i = the k nearest rows of i's class in the input space         ([`TargetNeighbors`])
/// ```
/// The value is exact at every embedding: a row l within the margin of i (an impostor) is found by a neighbor search, and no
/// list of triplets ever exists.
///
/// # The active set
/// With the triplets whose hinge is positive known, the sum is one over pairs, with the gradient of L (at a kink a subgradient):
///
/// ```text
/// L = Σ_ij ( 1 - µ + µ #{l active with j} ) d²_ij - Σ_il µ #{j active with l} d²_il + µ #{active triplets}
/// ```
/// The search looks wider than the margin, and what it saw is looked through again until the rows have moved further. Which it
/// did has no influence on value or gradient, so that a fit that is resumed takes the same steps.
///
/// # Batches
/// [`forward`](Self::forward) is the sum over the rows of a batch, divided by those that have a target neighbor: the targets of a
/// row are the k nearest of its class in the batch, in the embedding as it is, for one step alone. Where there is an input
/// space in which rows are neighbors, as in the paper, a [`SubsetLoss`](super::SubsetLoss) of [`TargetNeighbors`] takes them
/// from there.
///
/// # References
/// \[1\] K. Weinberger, L. Saul, Distance Metric Learning for Large Margin Nearest Neighbor Classification, JMLR 10,
/// 2009.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::objective::{LargeMarginLossConfig, Objective, TargetNeighbors};
///
/// let x = Tensor::<2>::from_floats([[0.0], [0.5], [1.0], [9.0]], &Device::flex());
/// let target = TargetNeighbors::new(&x, &[0, 0, 1, 1], 1)?;
/// let loss: f32 = LargeMarginLossConfig::new().init().total(x, &target).into_scalar();
/// let pull = 0.25 + 0.25 + 64.0 + 64.0;
/// let push = 0.25 + 1.0 + (64.0 + 64.75) + 0.0; // of rows 0, 1, 2, 3
/// assert!((loss - (pull + push) / 2.0).abs() < 1e-4);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct LargeMarginLoss {
    #[module(skip)]
    config: LargeMarginLossConfig,
}

shown_on_one_line!(LargeMarginLoss, |module, content| content
    .add("push", &module.config.push)
    .add("neighbors", &module.config.neighbors));

impl LargeMarginLoss {
    /// The loss of a batch, whose rows are each other's target neighbors and impostors. The batch is read from its device, as
    /// the search is on the host; NaN if a coordinate is not finite.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`, of any integer type
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, or no row.
    ///
    /// # Examples
    /// ```
    /// use burn::tensor::{Device, Int, Tensor};
    /// use burn_nca_learn::objective::LargeMarginLossConfig;
    ///
    /// let device = Device::flex();
    /// let z = Tensor::<2>::from_floats([[0.0], [0.5], [1.0], [9.0]], &device);
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
    /// let loss: f32 = LargeMarginLossConfig::new().init().forward(z, labels).into_scalar();
    /// let (pull, push) = (0.25 + 0.25 + 64.0 + 64.0, 0.25 + 1.0 + 64.0 + 64.75); // of four rows, with weights of 1/2
    /// assert!((loss - (pull + push) / 2.0 / 4.0).abs() < 1e-4);
    /// ```
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let (z, classes) = of_batch(embeddings, labels);
        let at = z.clone().without_autodiff();
        match TargetNeighbors::new(&at, &classes, self.config.neighbors) {
            Ok(targets) => reduced(self, z, (&targets, targets.counted()), &self.config.reduction),
            Err(_) => constant(&z, f64::NAN),
        }
    }
}

impl BatchLoss for LargeMarginLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl Objective for LargeMarginLoss {
    type Target = TargetNeighbors;

    /// With the rows on the host and who may be whose impostor; `None` where a coordinate is not finite.
    fn prepared(&self, embedding: Tensor<2>, target: &TargetNeighbors) -> Option<TargetNeighbors> {
        target.searched(&embedding)
    }

    fn blocks(&self, _: &Tensor<2>, target: &TargetNeighbors, rows: usize) -> Vec<Range<usize>> {
        cut(0..target.terms(), rows.max(target.terms().div_ceil(MOST_BLOCKS)))
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        target: &TargetNeighbors,
        terms: Range<usize>,
    ) -> Tensor<1> {
        let (device, dtype) = (embedding.device(), embedding.dtype());
        let on = device.inner();
        let constant = |value: f64| float_tensor(vec![value], [1], &on, dtype);
        let Some(search) = target.search(&embedding) else { return constant(f64::NAN) };
        let active = search.active_pairs(target, terms, self.config.push);
        if active.weights.is_empty() {
            return constant(0.0);
        }
        let [first, second] = [&active.first, &active.second].map(|ends| int_tensor(ends, &on));
        let weights = float_tensor(active.weights, [first.dims()[0]], &on, dtype);
        let sum =
            attraction(embedding.clone().select(0, first), embedding.select(0, second), weights);
        // Large parts cancel in the sum: its slope is taken, and the value from the hinges one by one in f64.
        sum.clone() - sum.without_autodiff() + constant(active.value)
    }
}

#[cfg(test)]
mod tests;
