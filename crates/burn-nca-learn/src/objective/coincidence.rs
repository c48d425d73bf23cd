//! Latent coincidence analysis: the likelihood of labeled pairs.

mod neighborhoods;

use core::f64::consts::LN_2;
use core::ops::Range;

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::loss::Reduction;
use burn::tensor::{Bool, DType, Device, Int, Tensor, assert_shape};
use burn_nca_fused::coincidence::FLOOR;

use super::batch::{constant, of_batch, reduced};
use super::transfer::float_tensor;
use super::{
    BatchLoss, ClassTarget, CoincidenceIndex, DataTarget, Objective, TargetNeighbors, whole_range,
};
use crate::data::host_values;
use burn_nca::internal::{assert_rows, at_least_f32, on_host};
use burn_nca::shown_on_one_line;

/// The settings of a [`CoincidenceLoss`].
#[derive(Config, Debug)]
pub struct CoincidenceLossConfig {
    /// Whether each anchor has a length scale κ of its own, which is learned; without, κ = 1.
    #[config(default = false)]
    pub local_scales: bool,
    /// σ² at the start.
    #[config(default = 1.0)]
    pub sigma_sq: f64,
    /// Number of targets of a row in [`CoincidenceLoss::forward_classes`], k.
    #[config(default = 3)]
    pub targets: usize,
    /// How [`CoincidenceLoss::forward_classes`] reduces over the rows that have a target.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl CoincidenceLossConfig {
    /// The loss for pairs of these maps and anchors, with κ = 1 at the start.
    ///
    /// # Panics
    /// If σ² is not a positive finite number, or there is no target.
    pub fn init(&self, pairs: &CoincidenceIndex, device: &Device, dtype: DType) -> CoincidenceLoss {
        self.init_with([pairs.maps, pairs.anchors], device, dtype)
    }

    /// The loss for batches of a data set of so many samples, a number that says something with local scales alone.
    ///
    /// # Panics
    /// As [`init`](Self::init).
    pub fn init_for_samples(
        &self,
        samples: usize,
        device: &Device,
        dtype: DType,
    ) -> CoincidenceLoss {
        self.init_with([1, samples], device, dtype)
    }

    fn init_with(
        &self,
        [maps, anchors]: [usize; 2],
        device: &Device,
        dtype: DType,
    ) -> CoincidenceLoss {
        assert!(
            self.sigma_sq > 0.0 && self.sigma_sq.is_finite(),
            "sigma_sq must be positive and finite, got {}",
            self.sigma_sq
        );
        assert!(self.targets > 0, "0 targets were asked for; give 1 or more, such as 3");
        let kappa = self.local_scales.then(|| vec![1.0; anchors]);
        let sigma_sq = vec![self.sigma_sq; maps];
        let loss = CoincidenceLoss::new(&sigma_sq, kappa.as_deref(), device, dtype);
        CoincidenceLoss { targets: self.targets, reduction: self.reduction.clone(), ..loss }
    }
}

/// Latent coincidence analysis: minus the log-likelihood of pairs that are alike (y = 1) or different (y = 0).
///
/// ```text
/// z ~ N(f(x), σ² I),  z' ~ N(f(x'), σ² I),  P(y = 1 | z, z') = exp(-||z - z'||² / 2κ²)        (1, 2, 3)
/// log P1 = -(p/2) log(1 + 2σ²/κ²) - ||f(x) - f(x')||² / 2(κ² + 2σ²),   P0 = 1 - P1            (5)
/// loss   = -Σ log P_y                                                                          (14)
/// ```
/// f is any encoder (W x in the paper), p its latent dimensions. log σ² is learned with it, one per map, and where
/// there are local scales log κ² of each anchor; without, κ = 1, as rescaling f, σ and κ together changes nothing.
///
/// # Batches
/// [`forward`](Self::forward) takes pairs, [`forward_classes`](Self::forward_classes) rows with a class each, of which it makes
/// the pairs as the method [`Lca`](crate::method::Lca) does, in the batch as it is embedded:
///
/// ```text
/// T_i = the k nearest rows of the class of i,   I_i = those of other classes as near as the farthest of T_i
/// l   = -1/m Σ_i [I_i not empty] ( Σ_{j in T_i} log P1_ij + Σ_{j in I_i} log P0_ij ),   m = #{i: T_i not empty}
/// ```
///
/// # Numerics
/// `log P0` of `x = log P1` without cancellation: near 0 `log tanh(-x/2) + log(1 + exp(x))`, else `log1p(-exp(x))`. Where all
/// pairs can be distinguished the likelihood grows without bound as σ falls, so σ²/κ² counts as 1e-8 at least.
///
/// # References
/// M. Der, L. K. Saul, Latent Coincidence Analysis: A Hidden Variable Model for Distance Metric Learning, NIPS 2012.
///
/// # Examples
/// ```
/// use burn::tensor::{DType, Device, Tensor};
/// use burn_nca_learn::data::{LabeledPair, LabeledPairs};
/// use burn_nca_learn::objective::{CoincidenceIndex, CoincidenceLossConfig, Objective};
///
/// let device = Device::flex();
/// let pairs = vec![LabeledPair::alike(0, 1), LabeledPair::different(0, 2)];
/// let index = CoincidenceIndex::new(&LabeledPairs::new(3, pairs)?, &device);
/// let z = Tensor::<2>::from_floats([[0.0], [0.0], [90.0]], &device);
/// let loss = CoincidenceLossConfig::new().init(&index, &device, DType::F32);
/// let value: f32 = loss.total(z, &index).into_scalar();
/// assert!((value - 0.5 * 3f32.ln()).abs() < 1e-6); // (1 + 2)^(-1/2) for the pair that coincides, 1 for the other
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct CoincidenceLoss {
    /// log σ² of each map, `[m]`.
    pub log_sigma_sq: Param<Tensor<1>>,
    /// log κ² of each anchor, `[anchors]`; without, κ = 1.
    pub log_kappa_sq: Option<Param<Tensor<1>>>,
    targets: usize,
    #[module(skip)]
    reduction: Reduction,
}

shown_on_one_line!(CoincidenceLoss, |module, content| content
    .add("local_scales", &module.log_kappa_sq.is_some()));

impl CoincidenceLoss {
    /// A loss at these σ², one per map, and κ², one per anchor; of a batch with the targets and the reduction that are the
    /// default.
    pub fn new(sigma_sq: &[f64], kappa_sq: Option<&[f64]>, device: &Device, dtype: DType) -> Self {
        let logarithms = |values: &[f64]| {
            let values: Vec<f64> = values.iter().map(|value| value.ln()).collect();
            let shape = [values.len()];
            Param::from_tensor(float_tensor(values, shape, device, dtype))
        };
        let CoincidenceLossConfig { targets, reduction, .. } = CoincidenceLossConfig::new();
        let log_kappa_sq = kappa_sq.map(logarithms);
        Self { log_sigma_sq: logarithms(sigma_sq), log_kappa_sq, targets, reduction }
    }

    /// σ² of each map.
    pub fn sigma_sq(&self) -> Vec<f64> {
        let logarithms = host_values(self.log_sigma_sq.val().without_autodiff());
        logarithms.into_iter().map(f64::exp).collect()
    }

    /// The loss of a batch of pairs with κ = 1, as an ordinary Burn loss: the mean of `-log P_y`.
    ///
    /// # Shapes
    /// - first, second: `[b, p]`
    /// - coincide: `[b]`
    /// - output: `[1]`
    ///
    /// # Panics
    /// If the shapes differ, or there is no pair.
    pub fn forward(
        &self,
        first: Tensor<2>,
        second: Tensor<2>,
        coincide: Tensor<1, Bool>,
    ) -> Tensor<1> {
        let [b, p] = first.dims();
        assert_rows("batch", b);
        assert_shape!(second, [b, p]);
        assert_shape!(coincide, [b]);
        let (first, second) = (at_least_f32(first), at_least_f32(second));
        let log_sigma_sq = self.log_sigma_sq.val().cast(first.dtype()).slice([0..1]).expand([b]);
        let scales = [log_sigma_sq.clone(), log_sigma_sq.zeros_like()];
        log_probabilities(first - second, scales, coincide.bool_not()).mean().neg()
    }

    /// The loss of a batch of rows with a class each. The batch is read from its device, as targets and impostors are
    /// searched on the host; NaN if a coordinate is not finite.
    ///
    /// # Shapes
    /// - embeddings: `[n, p]`
    /// - target: n rows; with local scales their numbers are those of the samples that the loss was made for
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, no row, or a number beyond the samples that have a length scale.
    pub fn forward_classes(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        let (z, classes) = of_batch(embeddings, target.labels.clone());
        let (at, device) = (z.clone().without_autodiff(), z.device().inner());
        let Ok(near) = TargetNeighbors::new(&at, &classes, self.targets) else {
            return constant(&z, f64::NAN);
        };
        let pairs = near.labeled_pairs(&at).unwrap_or_else(|error| panic!("{error}"));
        let scales = self.scales(target);
        let pairs = pairs.into_iter().map(|pair| (pair, scales[pair.anchor])).collect();
        let index = CoincidenceIndex::index([classes.len(), 1, self.anchors()], pairs, &device);
        reduced(self, z, (&index, near.counted()), &self.reduction)
    }

    /// Number of length scales that are learned.
    fn anchors(&self) -> usize {
        self.log_kappa_sq.as_ref().map_or(0, |kappa| kappa.dims()[0])
    }

    /// Which length scale each row of a batch has; 0 where there are none.
    fn scales(&self, target: &ClassTarget) -> Vec<usize> {
        let anchors = self.anchors();
        if anchors == 0 {
            return vec![0; target.labels.dims()[0]];
        }
        let known = |id: i64| usize::try_from(id).ok().filter(|id| *id < anchors);
        let scale = |id: i64| {
            known(id).unwrap_or_else(|| {
                panic!("sample {id} of a loss for {anchors} samples; make it for all (init_for_samples)")
            })
        };
        on_host(target.ids.clone()).into_iter().map(scale).collect()
    }
}

impl BatchLoss for CoincidenceLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward_classes(embeddings, target)
    }
}

impl Objective for CoincidenceLoss {
    type Target = CoincidenceIndex;

    fn block(
        &self,
        embedding: Tensor<2>,
        pairs: &CoincidenceIndex,
        terms: Range<usize>,
    ) -> Tensor<1> {
        let (device, dtype) = (embedding.device(), embedding.dtype());
        let Some((difference, block)) = pairs.block(embedding, terms) else {
            return Tensor::zeros([1], (&device, dtype));
        };
        let of = |values: &Param<Tensor<1>>, which: Tensor<1, Int>| {
            values.val().cast(dtype).select(0, which)
        };
        let log_sigma_sq = of(&self.log_sigma_sq, block.map);
        let log_kappa_sq = match &self.log_kappa_sq {
            Some(values) => of(values, block.scale),
            None => log_sigma_sq.clone().without_autodiff().zeros_like(),
        };
        log_probabilities(difference, [log_sigma_sq, log_kappa_sq], block.apart).sum().neg()
    }

    fn blocks(&self, _: &Tensor<2>, pairs: &CoincidenceIndex, _rows: usize) -> Vec<Range<usize>> {
        whole_range(pairs.terms())
    }
}

/// log P_y of each pair, `[b]`.
///
/// # Shapes
/// - difference: `[b, p]`
/// - log σ², log κ²: `[b]`
/// - apart: `[b]`, y = 0
fn log_probabilities(
    difference: Tensor<2>,
    [log_sigma_sq, log_kappa_sq]: [Tensor<1>; 2],
    apart: Tensor<1, Bool>,
) -> Tensor<1> {
    let [b, p] = difference.dims();
    let ratio = (log_sigma_sq - log_kappa_sq.clone()).exp().clamp_min(FLOOR);
    let sq_distance = difference.square().sum_dim(1).reshape([b]);
    let spread = ratio.mul_scalar(2.0);
    let scaled = sq_distance * log_kappa_sq.neg().exp() / spread.clone().add_scalar(1.0);
    let log_alike = (spread.log1p().mul_scalar(p as f64) + scaled).mul_scalar(-0.5);
    log_alike.clone().mask_where(apart, log_complement(log_alike))
}

/// `log(1 - exp(x))` for x < 0, in value and gradient, wherever x lies.
fn log_complement(x: Tensor<1>) -> Tensor<1> {
    let close = x.clone().greater_elem(-LN_2);
    let near = x.clone().clamp_min(-LN_2);
    let near = near.clone().mul_scalar(-0.5).tanh().log() + near.exp().log1p();
    let far = x.clamp_max(-LN_2).exp().neg().log1p();
    far.mask_where(close, near)
}

#[cfg(test)]
mod tests;
