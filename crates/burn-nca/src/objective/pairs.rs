//! Equation 8: weighted pairs among all points, without labels.

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Int, Tensor, assert_shape};
#[cfg(feature = "fused")]
use burn_nca_fused::{NeighborSets, pair_sum};

#[cfg(feature = "fused")]
use super::among_all;
use super::batch::{assert_rows, at_least_f32};
use super::reduction::{over_rows, reduce_sum};
use super::{BatchLoss, Objective, PairIndex, PairTarget, whole_range};
use crate::nca;
use crate::shown_on_one_line;
use crate::sums::{LOG_SUM, Sums, in_blocks, is_one_block, rows_in_blocks};

/// The settings of a [`PairLoss`].
#[derive(Config, Debug)]
pub struct PairLossConfig {
    /// Whether the normalizer counts each point with itself (c = d); see [`PairLoss`] for what it does.
    #[config(default = true)]
    pub include_self: bool,
    /// How [`PairLoss::forward`] reduces over the pairs.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl PairLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> PairLoss {
        PairLoss { config: self.clone() }
    }
}

/// Weighted pairs that should be close among all points, without any label: equation 8.
///
/// ```text
/// Cost = -Σ_(a,b) w_ab log( exp(-||z_a - z_b||²) / Z ),   Z = Σ_{c,d} exp(-||z_c - z_d||²)      (8)
///      = Σ_(a,b) w_ab ||z_a - z_b||² + W log Z,   W = Σ w_ab
/// ```
/// Z is one normalizer for all pairs, over all n points, paired or not, in both orders. Smaller is better.
///
/// # Whether c = d counts
/// The paper leaves it open. With `include_self`, the default, the sum is read literally ("c and d are
/// indices over all of the faces"):
///
/// - counted: Z = n + Σ_{c≠d} … lies between n and n², so `Cost ≥ W log n`. The n ones are a yardstick: a
///   distance is short or long against 1. Pairs are drawn together for good (an isolated pair of squared
///   distance u adds `u + log(1 + exp(-u))` up to a constant, least at u = 0), and the repulsion,
///   whose weights add up to 1 - n/Z, dies away once points have no neighbors within a distance of
///   about 1. The scale of the embedding converges.
/// - left out: Z lies between 0 and n² - n. log Z falls without bound as all points fly apart, but each
///   pair is in Z itself, twice, so that `-log(exp(-d²_ab) / Z) ≥ log 2` and `Cost ≥ W log 2`. Adding one
///   constant to all squared distances changes nothing: the cost asks only that pairs be closer than
///   other points, by differences of squared distances, and nothing draws a pair itself together (with
///   n = 2 the cost is `w log 2` everywhere and its gradient 0). The repulsion keeps its full weight W at
///   every scale, all of it on the closest points once the embedding is large. Scale is held back by
///   differences between the distances of pairs alone: an encoder that can make them equal can grow
///   without end.
///
/// # Numerics
/// Terms are formed in log space ([`nca::pairs`]); the point itself is found by position. No table of distances is held:
/// log Z is one operation, or is added up over blocks of its rows; the memory is O(n), and k numbers for each pair that
/// begins in a block of points.
///
/// A mini-batch of points (as drawn by a stochastic fit) holds the pairs whose both ends are in it, and Z
/// is that of its points: of n points and batches of b, a share of about (b/n)² of the pairs. Where pairs
/// are the data, draw batches of pairs and use [`forward`](Self::forward).
///
/// # References
/// J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004,
/// section 5.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::objective::PairLossConfig;
///
/// let device = Device::flex();
/// let first = Tensor::<2>::from_floats([[0.0, 0.0], [50.0, 0.0]], &device);
/// let second = Tensor::<2>::from_floats([[0.0, 0.0], [50.0, 0.0]], &device);
/// let weights = Tensor::<1>::from_floats([1.0, 1.0], &device);
/// let loss: f32 = PairLossConfig::new().init().forward(first, second, weights).into_scalar();
/// // Both pairs coincide, far apart: Z is 4 (c = d) and 4 (pairs, in both orders).
/// assert!((loss - 8f32.ln()).abs() < 1e-6);
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct PairLoss {
    #[module(skip)]
    config: PairLossConfig,
}

shown_on_one_line!(PairLoss, |module, content| content
    .add_debug_attribute("include_self", &module.config.include_self));

impl PairLoss {
    /// The loss of a batch of pairs, as an ordinary Burn loss: row i of `first` and of `second` are a pair.
    ///
    /// The normalizer is over all 2b points of the batch; everything stays on the device. `Mean` (and
    /// `Auto`, `BatchMean`) divides by the number of pairs b, not by their weight: a pair of weight 0.1
    /// counts a tenth in every batch. `Sum` does not divide.
    ///
    /// # Shapes
    /// - first, second: `[b, k]`
    /// - weights: `[b]`, not negative
    /// - output: `[1]`
    ///
    /// # Panics
    /// If the shapes differ, or there is no pair.
    pub fn forward(&self, first: Tensor<2>, second: Tensor<2>, weights: Tensor<1>) -> Tensor<1> {
        let [b, k] = first.dims();
        assert_rows("batch", b);
        assert_shape!(second, [b, k]);
        assert_shape!(weights, [b]);
        let (first, second) = (at_least_f32(first), at_least_f32(second));
        let log_z = self.log_normalizer(Tensor::cat(vec![first.clone(), second.clone()], 0));
        self.cost(first, second, weights, log_z)
    }

    /// The loss of a batch of points with pairs among them, as an ordinary Burn loss.
    ///
    /// The normalizer is over all n points of the batch. Reduced as in [`forward`](Self::forward), over the
    /// pairs.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - pairs: `[p, 2]`, row numbers of the batch, of any integer type
    /// - weights: `[p]`, not negative
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one weight per pair, a pair is not two numbers, or there is no row or no pair.
    pub fn forward_indexed(
        &self,
        embeddings: Tensor<2>,
        pairs: Tensor<2, Int>,
        weights: Tensor<1>,
    ) -> Tensor<1> {
        let ([n, _], [p, _]) = (embeddings.dims(), pairs.dims());
        assert_rows("batch", n);
        assert_rows("list of pairs", p);
        let embeddings = at_least_f32(embeddings);
        let pairs = pairs.cast(DType::I32);
        assert_shape!(pairs, [p, 2]);
        assert_shape!(weights, [p]);
        let end = |column: usize| {
            let rows = pairs.clone().slice([0..p, column..column + 1]).reshape([p]);
            embeddings.clone().select(0, rows)
        };
        let (first, second) = (end(0), end(1));
        let log_z = self.log_normalizer(embeddings);
        self.cost(first, second, weights, log_z)
    }

    fn cost(
        &self,
        first: Tensor<2>,
        second: Tensor<2>,
        weights: Tensor<1>,
        log_z: Tensor<1>,
    ) -> Tensor<1> {
        let [pairs, _] = first.dims();
        let weights = weights.cast(first.dtype());
        let attraction = nca::pairs::attraction(first, second, weights.clone());
        let cost = nca::pairs::cost(attraction, weights, log_z);
        reduce_sum(cost, pairs, &self.config.reduction)
    }

    /// log Z of the points, of a batch or all, shape `[1]`.
    ///
    /// ```text
    /// log Z = [log Z] + Σ_c exp(row_c - [log Z]) - 1      the same number, as a sum over blocks of rows; [log Z] is constant
    /// ```
    fn log_normalizer(&self, z: Tensor<2>) -> Tensor<1> {
        let [n, _] = z.dims();
        if self.are_fused(&z) || is_one_block(&z, n) {
            return over_rows(self.rows_of_z(z, 0..n), nca::pairs::log_of_sum);
        }
        let points = z.clone().without_autodiff();
        let constant = rows_in_blocks(&points, 0..n, |rows| self.rows_of_z(points.clone(), rows));
        let top = constant.clone().max();
        let above = constant - top.clone().unsqueeze();
        let log_sum = over_rows(above, nca::pairs::log_of_sum);
        let share = in_blocks([z], 0..n, |[z], rows| {
            let over_top = self.rows_of_z(z, rows) - top.clone().unsqueeze();
            (over_top - log_sum.clone().unsqueeze()).exp().sum()
        });
        share + log_sum.sub_scalar(1.0) + top
    }

    fn are_fused(&self, z: &Tensor<2>) -> bool {
        self.config.sums.are_fused(LOG_SUM, &[z])
    }

    /// The log-sum-exp of `-||z_c - z_d||²` over d for each of the points c in `rows`, `[b, 1]`.
    fn rows_of_z(&self, z: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
        let include_self = self.config.include_self;
        if self.are_fused(&z) {
            #[cfg(feature = "fused")]
            return {
                let columns = NeighborSets::all(rows.len(), z.dims()[0]);
                let columns = if include_self { columns } else { columns.without_self(rows.start) };
                pair_sum(LOG_SUM, (among_all(&z, &rows), z), None, &columns)
            };
        }
        let (logits, own) = nca::exponents(z, rows);
        let none = || own.clone().bool_and(own.clone().bool_not());
        nca::log_sum_exp(logits, if include_self { none() } else { own })
    }
}

impl BatchLoss for PairLoss {
    type Target = PairTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &PairTarget) -> Tensor<1> {
        self.forward_indexed(embeddings, target.pairs.clone(), target.weights.clone())
    }
}

impl Objective for PairLoss {
    type Target = PairIndex;

    fn with_sums(self, sums: Sums) -> Self {
        Self { config: self.config.with_sums(sums) }
    }

    fn sums_taken(&self, embedding: Tensor<2>, _pairs: &PairIndex) -> Option<(Sums, usize)> {
        Some((if self.are_fused(&embedding) { Sums::Fused } else { Sums::Plain }, 0))
    }

    fn block(&self, embedding: Tensor<2>, pairs: &PairIndex, terms: Range<usize>) -> Tensor<1> {
        let nothing = embedding.clone().sum().mul_scalar(0.0);
        let parts = self.block_parts(embedding, pairs, terms).into_iter();
        parts.reduce(|sum, part| sum + part).unwrap_or(nothing)
    }

    /// The attraction of the pairs that begin in the block, and in the first one `W log Z`.
    fn block_parts(
        &self,
        embedding: Tensor<2>,
        pairs: &PairIndex,
        terms: Range<usize>,
    ) -> Vec<Tensor<1>> {
        let repels = terms.start == 0 && pairs.total_weight() > 0.0;
        let attraction = pairs.attraction(&embedding, &terms);
        let repulsion =
            repels.then(|| self.log_normalizer(embedding).mul_scalar(pairs.total_weight()));
        attraction.into_iter().chain(repulsion).collect()
    }

    fn blocks(&self, _: &Tensor<2>, pairs: &PairIndex, _rows: usize) -> Vec<Range<usize>> {
        whole_range(pairs.points())
    }
}
