//! Neighborhood component feature selection, for classes and for numbers.

use core::ops::Range;

use burn::config::Config;
use burn::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn::tensor::Tensor;

use super::manhattan::{manhattan, of_manhattan, shares};
use super::{ClassIndex, Objective, TargetIndex};
use burn_nca::internal::equal_pairs;
use burn_nca::internal::one_line;

/// The settings of an [`NcfsLoss`].
#[derive(Config, Debug)]
pub struct NcfsLossConfig {}

impl NcfsLossConfig {
    /// The loss.
    pub fn init(&self) -> NcfsLoss {
        NcfsLoss {}
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
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::objective::{ClassIndex, NcfsLossConfig, Objective};
///
/// let device = Device::flex();
/// let u = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
/// let classes = ClassIndex::new(&[0, 0, 1, 1], &device)?;
/// let loss: f32 = NcfsLossConfig::new().init().total(u, &classes).into_scalar();
/// assert!((loss + 4.0).abs() < 1e-3); // every p_i is 1, but for 2 exp(-9)
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct NcfsLoss {}

impl ModuleDisplay for NcfsLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }

    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add_debug_attribute("distance", &"L1").optional()
    }
}

impl Objective for NcfsLoss {
    type Target = ClassIndex;
    type Shared = ();

    fn num_points(&self, classes: &ClassIndex) -> usize {
        classes.points()
    }

    fn num_terms(&self, classes: &ClassIndex) -> usize {
        classes.points()
    }

    fn num_counted(&self, classes: &ClassIndex) -> usize {
        classes.num_with_positive()
    }

    fn shared(&self, _embedding: Tensor<2>, _classes: &ClassIndex) {}

    fn subset(&self, classes: &ClassIndex, rows: &[usize]) -> ClassIndex {
        classes.subset(rows)
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        classes: &ClassIndex,
        _shared: &(),
        terms: Range<usize>,
    ) -> Tensor<1> {
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
pub struct NcfsRegressionLossConfig {}

impl NcfsRegressionLossConfig {
    /// The loss.
    pub fn init(&self) -> NcfsRegressionLoss {
        NcfsRegressionLoss {}
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
pub struct NcfsRegressionLoss {}

impl ModuleDisplay for NcfsRegressionLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }

    fn custom_content(&self, content: Content) -> Option<Content> {
        content.add_debug_attribute("distance", &"L1").optional()
    }
}

impl Objective for NcfsRegressionLoss {
    type Target = TargetIndex;
    type Shared = ();

    fn num_points(&self, targets: &TargetIndex) -> usize {
        targets.points()
    }

    fn num_terms(&self, targets: &TargetIndex) -> usize {
        targets.points()
    }

    fn shared(&self, _embedding: Tensor<2>, _targets: &TargetIndex) {}

    fn subset(&self, targets: &TargetIndex, rows: &[usize]) -> TargetIndex {
        targets.subset(rows)
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        targets: &TargetIndex,
        _shared: &(),
        terms: Range<usize>,
    ) -> Tensor<1> {
        let t = targets.centered(embedding.dtype());
        let apart = manhattan(&t.clone().slice([terms.clone()]), &t);
        of_manhattan(&embedding, terms.clone(), |distances| {
            let errors = (shares(distances, terms.start) * apart).sum_dim(1);
            targets.weigh(errors, terms).sum()
        })
    }
}

#[cfg(test)]
mod tests;
