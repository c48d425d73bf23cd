//! Variable-kernel similarity metric learning (VSM), diagonal and generalized (GVSM).

use core::ops::Range;
use std::sync::Arc;

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor};

use super::batch::{constant, of_batch, reduced};
use super::transfer::{float_tensor, int_tensor};
use super::{BatchLoss, ClassTarget, DataTarget, Objective};
use crate::error::{Error, Result};
use crate::neighbors::{VariableKernel, nearest_others};
use burn_nca::internal::{TermWeights, cut, equal_pairs, product, square_root};
use burn_nca::shown_on_one_line;

/// The settings of a [`VariableKernelLoss`].
#[derive(Config, Debug)]
pub struct VariableKernelLossConfig {
    /// The rule whose error is minimized; its width is where r starts.
    #[config(default = "VariableKernel::new()")]
    pub rule: VariableKernel,
    /// What a width other than that costs each row, λ; 0 is the paper's error.
    #[config(default = 0.0)]
    pub width_penalty: f64,
    /// How [`VariableKernelLoss::forward`] reduces over the rows.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl VariableKernelLossConfig {
    /// The loss with these settings.
    ///
    /// # Panics
    /// If [`VariableKernel::check`] refuses the rule, or the penalty is negative or not finite.
    pub fn init(&self, device: &Device, dtype: DType) -> VariableKernelLoss {
        if let Err(error) = self.rule.check() {
            panic!("{error}");
        }
        let lambda = self.width_penalty;
        assert!(lambda >= 0.0 && lambda.is_finite(), "the penalty of the width is {lambda}");
        let log = float_tensor(vec![self.rule.width.ln()], [1], device, dtype);
        VariableKernelLoss {
            first_rule: self.rule,
            width_penalty: lambda,
            reduction: self.reduction.clone(),
            log_width: Param::from_tensor(log),
        }
    }
}

/// The squared leave-one-out error of the variable-kernel rule.
///
/// ```text
/// E     = Σ_t Σ_i (s_ti - p_ti)²                                   s_ti: whether row t is of class i
/// p_ti  = Σ_k n_tk s_tki / Σ_k n_tk                                k = 1..K: the nearest other rows of t
/// n_tk  = exp(-d_tk² / 2σ_t²),   σ_t = (r / M) Σ_{m≤M} d_tm        (section 3 of [1])
/// ```
/// The width r is learned together with the map; with a [penalty](VariableKernelLossConfig::width_penalty) λ each row costs
/// `λ (ln r - ln r₀)²` more, r₀ where it starts. With a [`DiagonalMap`](crate::encoder::DiagonalMap) this is VSM, with a
/// [`TriangularMap`](crate::encoder::TriangularMap) GVSM; any encoder will do.
///
/// # Neighbors
/// They are those of the embedding at hand, and σ is differentiated through. Where the set of neighbors changes, E jumps. A
/// full-batch minimizer takes no step that raises E; where its line search finds nothing lower it tries steps with the neighbors
/// held, which cross a jump ([`Objective::updated_target`]).
///
/// # Batches
/// [`forward`](Self::forward) is the mean over the rows of a batch, each by its nearest others in the batch. A batch of K rows
/// or fewer has all others as neighbors, and the M nearest of them, or all, give the width; one row alone costs 0.
///
/// # Numerics
/// E does not depend on the scale of the embedding. Where the M nearest coincide with the row itself, only they count, and the
/// row has no gradient.
///
/// # References
/// \[1\] J. J. Naudé, M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel Classifier, 2002;
/// D. G. Lowe, Neural Computation 7, 1995. Equation 3 of \[1\] as printed has the sum over ∂d² where its own σ gives ∂d,
/// and a factor ∂A/∂L too many.
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct VariableKernelLoss {
    /// With the width that it starts from.
    #[module(skip)]
    first_rule: VariableKernel,
    width_penalty: f64,
    #[module(skip)]
    reduction: Reduction,
    log_width: Param<Tensor<1>>,
}

shown_on_one_line!(VariableKernelLoss, |module, content| content
    .add("neighbors", &module.first_rule.neighbors)
    .add("averaged", &module.first_rule.averaged));

impl VariableKernelLoss {
    /// The rule with the width as it is now.
    pub fn rule(&self) -> VariableKernel {
        let log = self.log_width.val().without_autodiff().into_scalar::<f64>();
        self.first_rule.with_width(log.exp())
    }

    /// The loss of a batch. The batch is read from its device, as the search is on the host; NaN if a coordinate is not finite.
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
    /// use burn::tensor::{DType, Device, Int, Tensor};
    /// use burn_nca_learn::neighbors::VariableKernel;
    /// use burn_nca_learn::objective::VariableKernelLossConfig;
    ///
    /// let device = Device::flex();
    /// let z = Tensor::<2>::from_floats([[0.0], [0.1], [9.0], [9.1]], &device);
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
    /// let rule = VariableKernel::new().with_neighbors(3).with_averaged(1);
    /// let loss = VariableKernelLossConfig::new().with_rule(rule).init(&device, DType::F32);
    /// let loss: f32 = loss.forward(z, labels).into_scalar();
    /// assert!(loss < 1e-6); // the other class is 90 widths away
    /// ```
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let (z, classes) = of_batch(embeddings, labels);
        if classes.len() == 1 {
            return constant(&z, 0.0);
        }
        let target = KernelTarget::index(classes, &z.device().inner());
        reduced(self, z, (&target, target.points()), &self.reduction)
    }

    /// The number of neighbors among `n` rows: K, or all others where there are fewer.
    fn neighbors_among(&self, n: usize) -> usize {
        self.first_rule.neighbors.min(n - 1)
    }

    /// The K nearest other rows of each row, `[n, K]`; `None` where a coordinate is not finite.
    fn search(&self, embedding: &Tensor<2>) -> Option<Tensor<2, Int>> {
        let [n, _] = embedding.dims();
        let k = self.neighbors_among(n);
        let found = nearest_others(embedding, k).ok()?;
        let rows = (0..n).flat_map(|row| found.indices(row)).map(|&row| row as usize);
        let rows = int_tensor(&rows.collect::<Vec<_>>(), &embedding.device().inner());
        Some(rows.reshape([n, k]))
    }

    /// The share of each neighbor, `n_tk / Σ_k n_tk`, from squared distances; `[b, K]` to `[b, K]`.
    fn shares(&self, sq_distances: Tensor<2>) -> Tensor<2> {
        let [b, k] = sq_distances.dims();
        let near =
            square_root(sq_distances.clone().slice([0..b, 0..self.first_rule.averaged.min(k)]));
        let inverse = self.log_width.val().cast(near.dtype()).neg().exp().reshape([1, 1]);
        let mean = near.mean_dim(1);
        let still = mean.clone().equal_elem(0.0); // [b, 1]: rows with M neighbors at the same place
        let inverse = mean.mask_fill(still.clone(), 1.0).recip() * inverse;
        let still = still.expand([b, k]);
        // Each distance over the width first, so that no square under- or overflows.
        let scaled = (square_root(sq_distances.clone()) * inverse).square().mul_scalar(-0.5);
        let far = sq_distances.greater_elem(0.0);
        let logits = scaled.mask_fill(still.clone(), 0.0).mask_fill(still.bool_and(far), -1e4);
        let largest = logits.clone().without_autodiff().max_dim(1);
        let weights = (logits - largest).exp();
        weights.clone() / weights.sum_dim(1)
    }
}

impl BatchLoss for VariableKernelLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl Objective for VariableKernelLoss {
    const MOVING_TARGET: bool = true;

    type Target = KernelTarget;

    /// With the neighbors of each row, unless they are held.
    fn prepared(&self, embedding: Tensor<2>, target: &KernelTarget) -> Option<KernelTarget> {
        if target.neighbors.is_some() { None } else { self.updated_target(embedding, target) }
    }

    fn updated_target(&self, embedding: Tensor<2>, target: &KernelTarget) -> Option<KernelTarget> {
        Some(target.with_neighbors(self.search(&embedding)?))
    }

    fn blocks(&self, _: &Tensor<2>, target: &KernelTarget, _rows: usize) -> Vec<Range<usize>> {
        // A block holds b K rows of the embedding and of the classes.
        let rows = ((1 << 20) / (self.first_rule.neighbors * target.classes)).clamp(64, 4096);
        cut(0..target.terms(), rows)
    }

    fn block(&self, embedding: Tensor<2>, target: &KernelTarget, terms: Range<usize>) -> Tensor<1> {
        let ([n, d], dtype) = (embedding.dims(), embedding.dtype());
        let (b, k, classes) = (terms.len(), self.neighbors_among(n), target.classes);
        // They cannot be searched where a coordinate is not finite.
        let Some(neighbors) = target.neighbors.clone().or_else(|| self.search(&embedding)) else {
            return embedding.slice([terms, 0..1]).sum().mul_scalar(f64::NAN);
        };
        let neighbors = neighbors.slice([terms.clone(), 0..k]).reshape([b * k]);
        let rows = embedding.clone().slice([terms.clone()]).reshape([b, 1, d]);
        let near = embedding.select(0, neighbors.clone()).reshape([b, k, d]);
        let sq_distances = (near - rows).square().sum_dim(2).reshape([b, k]);
        let shares = self.shares(sq_distances).reshape([b, 1, k]);
        let labels = &target.on_device;
        let of_neighbors = target.one_hot(labels.clone().select(0, neighbors), dtype);
        let p = product(shares, of_neighbors.reshape([b, k, classes])).reshape([b, classes]);
        let own = target.one_hot(labels.clone().slice([terms.clone()]), dtype);
        let errors = (own - p).square().sum_dim(1);
        let from_start = || self.log_width.val().cast(dtype).sub_scalar(self.first_rule.width.ln());
        let errors = match self.width_penalty {
            0.0 => errors,
            lambda => errors + from_start().square().mul_scalar(lambda).reshape([1, 1]),
        };
        target.weights.weigh(errors, terms).sum()
    }
}

/// The classes of n points, prepared once for many evaluations of a
/// [`VariableKernelLoss`].
#[derive(Clone, Debug)]
pub struct KernelTarget {
    labels: Arc<Vec<usize>>,
    /// Number of classes.
    classes: usize,
    /// The class of each point, `[n]`.
    on_device: Tensor<1, Int>,
    weights: TermWeights,
    /// The neighbors that are held fixed, `[n, K]`.
    neighbors: Option<Tensor<2, Int>>,
}

impl KernelTarget {
    /// The classes of more than K points, counted from 0.
    ///
    /// # Errors
    /// As many rows as neighbors K, or fewer.
    pub fn new(labels: &[usize], neighbors: usize, device: &Device) -> Result<Self> {
        if labels.len() <= neighbors {
            return Err(Error::data(format!(
                "{} rows for a rule of {neighbors} neighbors; give more rows, or fewer neighbors",
                labels.len()
            )));
        }
        Ok(Self::index(labels.to_vec(), &device.clone().inner()))
    }

    /// Those of any number of points, which may have fewer others than K.
    fn index(labels: Vec<usize>, device: &Device) -> Self {
        let classes = labels.iter().max().map_or(1, |largest| largest + 1);
        let on_device = int_tensor(&labels, device);
        let weights = TermWeights::default();
        Self { labels: Arc::new(labels), classes, on_device, weights, neighbors: None }
    }

    /// The same points, the error of each times its weight.
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        let weights = TermWeights::new(weights, self.points(), &self.on_device.device())?;
        Ok(Self { weights, ..self })
    }

    /// The same points with these neighbors, `[n, K]`.
    fn with_neighbors(&self, neighbors: Tensor<2, Int>) -> Self {
        Self { neighbors: Some(neighbors), ..self.clone() }
    }

    /// 1 at the class of each of some points, `[b]` to `[b, c]`.
    fn one_hot(&self, labels: Tensor<1, Int>, dtype: DType) -> Tensor<2> {
        let classes = Tensor::arange(0..self.classes as i64, &self.on_device.device());
        equal_pairs(labels, classes).float().cast(dtype)
    }
}

impl DataTarget for KernelTarget {
    fn points(&self) -> usize {
        self.labels.len()
    }

    /// Their neighbors are for the embedding to tell.
    fn subset(&self, rows: &[usize]) -> Self {
        let labels = rows.iter().map(|&row| self.labels[row]).collect();
        let part = Self::index(labels, &self.on_device.device());
        Self { weights: self.weights.select(rows), classes: self.classes, ..part }
    }
}

#[cfg(test)]
mod tests;
