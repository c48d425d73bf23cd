//! Neighborhood component feature selection, for classes and for numbers, by sums of absolute differences (L1 distances).

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor};

use super::batch::{of_batch, reduced};
use super::{BatchLoss, ClassIndex, ClassTarget, Objective, TargetIndex};
use crate::data::host_values;
use crate::nca::{own_pairs, softmax};
use burn_nca::internal::{assert_rows, at_least_f32, equal_pairs};
use burn_nca::shown_on_one_line;

/// The settings of an [`NcfsLoss`].
#[derive(Config, Debug)]
pub struct NcfsLossConfig {
    /// How [`NcfsLoss::forward`] reduces over the rows that have a partner.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl NcfsLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> NcfsLoss {
        NcfsLoss { reduction: self.reduction.clone() }
    }
}

/// Neighborhood component feature selection: expected leave-one-out accuracy of stochastic neighbors under a
/// weighted sum of absolute differences.
///
/// ```text
/// D_ij = Σ_r |u_ir - u_jr|,   u = w² ∘ x:   D_ij = Σ_r w_r² |x_ir - x_jr|               (1 of [1])
/// p_ij = exp(-D_ij) / Σ_{l≠i} exp(-D_il),   p_i = Σ_{j: y_j = y_i} p_ij                 (2, 3)
/// L    = -Σ_i p_i + λ n Σ_r w_r²                                                        (5, times -n)
/// ```
/// The loss is the first sum over the embedding u; the second is the L2 penalty of a fit
/// ([`FitConfig::l2`](crate::fit::FitConfig::l2) is λ) of [`FeatureWeights`](crate::encoder::FeatureWeights). The
/// penalty drives the weights of uninformative features to 0. The width of the kernel is 1: another one is another
/// scale of w and of λ.
///
/// # Batches
/// [`forward`](Self::forward) is the first sum over the rows of a batch, divided by those that have a partner. In a training
/// loop the penalty is the weight decay of an optimizer that adds it to the gradient
/// ([`AdamConfig::with_weight_decay`](burn::optim::AdamConfig), [`SgdConfig`](burn::optim::SgdConfig)) at a rate of 2λ.
///
/// # Numerics
/// The distances of a block are added up feature by feature, forwards and backwards: memory for a few `[b, n]`, however
/// many features. `p_ij` are relative to the largest of their row; the point itself is left out by position.
///
/// # References
/// \[1\] W. Yang, K. Wang, W. Zuo, Neighborhood Component Feature Selection for High-Dimensional Data, Journal of
/// Computers 7(1), 2012; MATLAB's `fscnca`.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::objective::{ClassIndex, NcfsLossConfig, Objective};
///
/// let device = Device::flex();
/// let u = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
/// let classes = ClassIndex::new(&[0, 0, 1, 1], &device)?;
/// let loss: f32 = NcfsLossConfig::new().init().total(u, &classes).into_scalar();
/// assert!((loss + 4.0).abs() < 1e-3); // every p_i is 1, but for 2 exp(-9)
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct NcfsLoss {
    #[module(skip)]
    reduction: Reduction,
}

shown_on_one_line!(NcfsLoss, |_, content| content.add_debug_attribute("distance", &"L1"));

impl NcfsLoss {
    /// The loss of a batch, whose rows are each other's neighbors. The labels are read from their device, once.
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
    /// use burn_nca_learn::objective::NcfsLossConfig;
    ///
    /// let device = Device::flex();
    /// let u = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
    /// let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
    /// let loss: f32 = NcfsLossConfig::new().init().forward(u, labels).into_scalar();
    /// assert!((loss + 1.0).abs() < 1e-3);
    /// ```
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let (u, classes) = of_batch(embeddings, labels);
        let classes = ClassIndex::new(&classes, &u.device()).expect("a batch has a row");
        reduced(self, u, (&classes, classes.num_with_positive()), &self.reduction)
    }
}

impl BatchLoss for NcfsLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl Objective for NcfsLoss {
    type Target = ClassIndex;

    fn block(&self, embedding: Tensor<2>, classes: &ClassIndex, terms: Range<usize>) -> Tensor<1> {
        let u = classes.arrange(embedding);
        let labels = classes.labels(&(0..classes.points()));
        let same = equal_pairs(classes.labels(&terms), labels).float().cast(u.dtype());
        of_manhattan(&u, terms.clone(), |distances| {
            let p = (shares(distances, terms.start) * same).sum_dim(1);
            classes.weigh(p.neg(), terms).sum()
        })
    }
}

/// The settings of an [`NcfsRegressionLoss`].
#[derive(Config, Debug)]
pub struct NcfsRegressionLossConfig {
    /// How [`NcfsRegressionLoss::forward`] reduces over the rows.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl NcfsRegressionLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> NcfsRegressionLoss {
        NcfsRegressionLoss { reduction: self.reduction.clone() }
    }
}

/// Neighborhood component feature selection for numbers: the expected absolute error of a stochastic neighbor's
/// target.
///
/// ```text
/// L = Σ_i Σ_{j≠i} p_ij Σ_m |t_im - t_jm| + λ n Σ_r w_r²            p_ij as in [`NcfsLoss`]
/// ```
/// The second sum is the L2 penalty of a fit.
///
/// # References
/// MATLAB's `fsrnca` with its loss `mad`.
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct NcfsRegressionLoss {
    #[module(skip)]
    reduction: Reduction,
}

shown_on_one_line!(NcfsRegressionLoss, |_, content| content.add_debug_attribute("distance", &"L1"));

impl NcfsRegressionLoss {
    /// The loss of a batch, whose rows are each other's neighbors. The targets are read from their device, once.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - targets: `[n, m]`
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one row of targets per embedding row, no row, or a target that is not finite.
    pub fn forward(&self, embeddings: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        let ([n, _], [rows, m]) = (embeddings.dims(), targets.dims());
        assert_rows("batch", n);
        assert_eq!(rows, n, "one row of targets for each embedding");
        let targets = host_values(targets.without_autodiff());
        let targets = TargetIndex::new(&targets, m, &embeddings.device());
        let targets = targets.unwrap_or_else(|error| panic!("{error}"));
        reduced(self, at_least_f32(embeddings), (&targets, n), &self.reduction)
    }
}

impl BatchLoss for NcfsRegressionLoss {
    /// The targets of each row, `[n, m]`.
    type Target = Tensor<2>;

    fn batch_loss(&self, embeddings: Tensor<2>, targets: &Tensor<2>) -> Tensor<1> {
        self.forward(embeddings, targets.clone())
    }
}

impl Objective for NcfsRegressionLoss {
    type Target = TargetIndex;

    fn block(&self, embedding: Tensor<2>, targets: &TargetIndex, terms: Range<usize>) -> Tensor<1> {
        let t = targets.centered(embedding.dtype());
        let apart = manhattan(&t.clone().slice([terms.clone()]), &t);
        of_manhattan(&embedding, terms.clone(), |distances| {
            let errors = (shares(distances, terms.start) * apart).sum_dim(1);
            targets.weigh(errors, terms).sum()
        })
    }
}

/// `Σ_r |a_ir - b_jr|`, without a graph: `[b, d]` and `[m, d]` to `[b, m]`.
///
/// Such a sum is no matrix product. One table `[b, m]` is added up feature by feature.
fn manhattan(a: &Tensor<2>, b: &Tensor<2>) -> Tensor<2> {
    let zeros = Tensor::zeros([a.dims()[0], b.dims()[0]], (&a.device(), a.dtype()));
    (0..a.dims()[1]).fold(zeros, |sum, r| {
        let [of_a, of_b] = [a, b].map(|rows| rows.clone().narrow(1, r, 1));
        sum + (of_a - of_b.transpose()).abs()
    })
}

/// What `terms` makes of the L1 distances of the points `rows` to all, `[b, n]` to `[1]`, differentiable in the embedding: the
/// graph of all features at once would hold d tables `[b, n]`, this one holds two.
///
/// ```text
/// G = ∂terms/∂D,   then one feature after the other   ∂/∂u_r of Σ_ij G_ij |u_ir - u_jr|
/// ```
fn of_manhattan(
    embedding: &Tensor<2>,
    rows: Range<usize>,
    terms: impl FnOnce(Tensor<2>) -> Tensor<1>,
) -> Tensor<1> {
    let z = embedding.clone().without_autodiff();
    let queries = z.clone().slice([rows.clone()]);
    let distances = manhattan(&queries, &z);
    if !embedding.is_tracked() {
        return terms(distances);
    }
    let leaf = distances.autodiff().require_grad();
    let value = terms(leaf.clone());
    let gradient = value.is_tracked().then(|| leaf.grad_remove(&mut value.backward())).flatten();
    let value = value.without_autodiff();
    let Some(gradient) = gradient else { return value };
    let slope_of = |r: usize| {
        let column = z.clone().narrow(1, r, 1);
        let leaf = column.clone().autodiff().require_grad();
        let apart = leaf.clone().slice([rows.clone()]) - leaf.clone().transpose();
        let mut gradients = (apart.abs() * gradient.clone()).sum().backward();
        leaf.grad_remove(&mut gradients).unwrap_or_else(|| column.zeros_like())
    };
    let slope = Tensor::cat((0..z.dims()[1]).map(slope_of).collect(), 1);
    let level = (z * slope.clone()).sum();
    // The value is that of the terms; the surrogate adds its slope and, up to rounding, nothing else.
    (embedding.clone() * slope).sum() - level + value
}

/// `p_ij` of the points `first..` by their L1 distances to all, `[b, n]`; 0 for the point itself.
///
/// ```text
/// p_ij = exp(-D_ij) / Σ_{l≠i} exp(-D_il)
/// ```
fn shares(distances: Tensor<2>, first: usize) -> Tensor<2> {
    let [b, n] = distances.dims();
    let own = own_pairs(first..first + b, n, &distances.device());
    softmax(distances.neg(), own)
}

#[cfg(test)]
mod tests;
