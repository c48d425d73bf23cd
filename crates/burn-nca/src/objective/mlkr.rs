//! Metric learning for kernel regression (MLKR).

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor, assert_shape};
#[cfg(feature = "fused")]
use burn_nca_fused::pair_sum;
use burn_nca_fused::{NeighborSets, PairSum};

#[cfg(feature = "fused")]
use super::among_all;
use super::batch::{assert_rows, at_least_f32};
use super::reduction::{reduce_sum, total};
use super::{BatchLoss, Objective, TargetIndex, whole_on_host};
use crate::nca::mlkr::{predicted, squared_errors};
use crate::nca::{exponents, squared_distances};
use crate::shown_on_one_line;
use crate::sums::{Sums, in_blocks, rows_in_blocks};

/// The settings of an [`MlkrLoss`].
#[derive(Config, Debug)]
pub struct MlkrLossConfig {
    /// How [`MlkrLoss::forward`] reduces over the points.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl MlkrLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> MlkrLoss {
        MlkrLoss { config: self.clone() }
    }
}

/// Metric learning for kernel regression: the squared leave-one-out error of the targets that stochastic
/// neighbors predict.
///
/// ```text
/// p_ij = exp(-||z_i - z_j||²) / Σ_{l≠i} exp(-||z_i - z_l||²),   p_ii = 0        (1 of NCA; 2 of [1])
/// t̂_i  = Σ_{j≠i} p_ij t_j                                                       (1 of [1])
/// L    = Σ_i ||t_i - t̂_i||²                                                     (3 of [1])
/// ```
/// Smaller is better; a perfect prediction has L = 0. Several target columns add up: bring them to
/// comparable units first. With the targets standardized, `1 - L / (n m)` is the leave-one-out R².
///
/// # Numerics
/// `p_ij` are relative to the largest of their row, so they neither overflow nor all vanish at any scale of the
/// embedding, whether [stored or not](crate::Sums); the point itself is left out by position, so exact
/// duplicates count as neighbors. The targets are taken less their mean, which changes no residual. A point without any
/// other has no prediction: it adds 0.
///
/// # References
/// \[1\] K. Weinberger, G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007. The kernel there
/// has a width sigma, which is the scale of A here.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::objective::MlkrLossConfig;
///
/// let device = Device::flex();
/// let embedding = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
/// let prices = Tensor::<2>::from_floats([[5.0], [5.0], [7.0], [7.0]], &device);
/// let loss: f32 = MlkrLossConfig::new().init().forward(embedding, prices).into_scalar();
/// assert!(loss < 1e-6); // each point's neighbor has its own price
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct MlkrLoss {
    #[module(skip)]
    config: MlkrLossConfig,
}

shown_on_one_line!(MlkrLoss, |module, content| content
    .add_debug_attribute("reduction", &module.config.reduction));

impl MlkrLoss {
    /// The loss of a batch, as an ordinary Burn loss; everything stays on the device.
    ///
    /// `Mean` (and `Auto`, `BatchMean`) divides by the number of points n, `Sum` does not. The neighbors are
    /// those of the batch.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - targets: `[n, m]`
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one target row per embedding row, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        let [n, _] = embeddings.dims();
        assert_rows("batch", n);
        assert_shape!(targets, [n, _]);
        let embeddings = at_least_f32(embeddings);
        let targets = targets.without_autodiff();
        let mean = targets.clone().mean_dim(0);
        let targets = (targets - mean).cast(embeddings.dtype());
        let of_batch = self.clone().with_sums(self.config.sums.of_batch());
        let total = of_batch.errors(embeddings, targets, 0..n, |errors, _| errors.sum());
        reduce_sum(total, n, &self.config.reduction)
    }

    /// What `sum` makes of `||t_i - t̂_i||²` of the points `rows`, a block `[b, 1]` at a time, added up to `[1]`.
    ///
    /// # Shapes
    /// - z: `[n, k]`, targets: `[n, m]`
    fn errors(
        &self,
        z: Tensor<2>,
        targets: Tensor<2>,
        rows: Range<usize>,
        sum: impl Fn(Tensor<2>, Range<usize>) -> Tensor<1> + Sync,
    ) -> Tensor<1> {
        let truth = |rows: &Range<usize>| targets.clone().slice([rows.clone()]);
        if self.config.sums.are_operations(PairSum::Mean, &z) {
            #[cfg(feature = "fused")]
            return {
                let others = others(&rows, &z);
                let points = (among_all(&z, &rows), z);
                let predicted = means(points, targets.clone(), &others, self.config.sums);
                sum(squared_errors(truth(&rows), predicted), rows)
            };
        }
        in_blocks([z], rows, |[z], rows| {
            let (logits, own) = exponents(z, rows.clone());
            let predicted = predicted(logits, own, targets.clone());
            sum(squared_errors(truth(&rows), predicted), rows)
        })
    }
}

/// All points but the own, of each of `rows`.
fn others(rows: &Range<usize>, z: &Tensor<2>) -> NeighborSets {
    NeighborSets::all(rows.len(), z.dims()[0]).without_self(rows.start)
}

/// The means by one operation: fused, or a Fourier series.
#[cfg(feature = "fused")]
fn means(
    (queries, references): (Tensor<2>, Tensor<2>),
    targets: Tensor<2>,
    columns: &NeighborSets,
    sums: Sums,
) -> Tensor<2> {
    let points = (&queries, &references);
    let tolerance = sums.fourier(points, || [columns.clone()], targets.dims()[1]);
    let sum = tolerance.map_or(PairSum::Mean, PairSum::FourierMean);
    pair_sum(sum, (queries, references), Some(targets), columns)
}

/// What the references' targets `[m, t]` are on average under the kernel around each query, `[b, t]`; no query is a reference.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`
pub fn kernel_means(
    queries: Tensor<2>,
    references: Tensor<2>,
    targets: Tensor<2>,
    sums: Sums,
) -> Tensor<2> {
    let ([b, _], [m, _]) = (queries.dims(), references.dims());
    if sums.are_operations(PairSum::Mean, &references) {
        #[cfg(feature = "fused")]
        return means((queries, references), targets, &NeighborSets::all(b, m), sums);
    }
    rows_in_blocks(&references, 0..b, |rows| {
        let queries = queries.clone().slice([rows.clone()]);
        let logits = squared_distances(queries, references.clone()).neg();
        let none = Tensor::<2, Int>::zeros([rows.len(), m], &references.device()).equal_elem(1);
        predicted(logits, none, targets.clone())
    })
}

impl BatchLoss for MlkrLoss {
    /// The targets of each row, `[n, m]`.
    type Target = Tensor<2>;

    fn batch_loss(&self, embeddings: Tensor<2>, targets: &Tensor<2>) -> Tensor<1> {
        self.forward(embeddings, targets.clone())
    }
}

impl Objective for MlkrLoss {
    type Target = TargetIndex;

    fn with_sums(self, sums: Sums) -> Self {
        Self { config: self.config.with_sums(sums) }
    }

    fn sums_taken(&self, z: Tensor<2>, targets: &TargetIndex) -> Option<(Sums, usize)> {
        let sums = self.config.sums;
        if !sums.are_operations(PairSum::Mean, &z) {
            return Some((Sums::Plain, 0));
        }
        let all = || [others(&(0..targets.points()), &z)];
        Some(sums.operation((&z, &z), all, targets.columns()))
    }

    fn blocks(&self, z: &Tensor<2>, targets: &TargetIndex, _rows: usize) -> Vec<Range<usize>> {
        whole_on_host(targets.points(), self.config.sums.are_operations(PairSum::Mean, z), z)
    }

    fn lower_bound(&self, _targets: &TargetIndex) -> Option<f64> {
        Some(0.0)
    }

    fn block(&self, embedding: Tensor<2>, targets: &TargetIndex, terms: Range<usize>) -> Tensor<1> {
        let t = targets.centered(embedding.dtype());
        self.errors(embedding, t, terms, |errors, rows| total(targets.weigh(errors, rows)))
    }
}
