//! Neighborhood components analysis: the criteria f and g, over all data and over a batch.

#[cfg(feature = "fused")]
mod fused;

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor};

use super::candidates::within_batch;
use super::contrast::plain::{hinge, without_positive};
use super::contrast::{Contrast, Contrasted};
use super::{
    BatchLoss, CandidateLoss, Candidates, ClassIndex, ClassTarget, Objective, Similarity,
    Temperature, among_all, assert_points, whole_on_host,
};
use crate::nca::{equal_pairs, exponents, log_p};
use crate::shown_on_one_line;
use crate::sums::{LOG_SUM, Sums, in_blocks};

/// Which of the paper's two criteria to maximize.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// f, the expected number of points classified correctly (equation 3).
    F,
    /// g, the log probability of classifying every point correctly (equation 6).
    G,
}

impl Criterion {
    /// `f` or `g`, as the paper and the program `nca` write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F => "f",
            Self::G => "g",
        }
    }

    /// -p_i or -log p_i, from log p_i.
    pub(super) fn terms(self, log_p: Tensor<2>) -> Tensor<2> {
        match self {
            Self::F => log_p.exp().neg(),
            Self::G => log_p.neg(),
        }
    }
}

/// The settings of an [`NcaLoss`].
#[derive(Config, Debug)]
pub struct NcaLossConfig {
    /// Which criterion; f by default, as in the paper.
    #[config(default = "Criterion::F")]
    pub criterion: Criterion,
    /// Weight of the hinge between classes; 0 leaves it out.
    #[config(default = 0.0)]
    pub repulsion: f64,
    /// How [`NcaLoss::forward`] reduces over the points that have a partner.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl NcaLossConfig {
    /// The loss with these settings.
    ///
    /// # Panics
    /// If the repulsion is negative or not finite.
    pub fn init(&self) -> NcaLoss {
        assert!(
            self.repulsion >= 0.0 && self.repulsion.is_finite(),
            "the repulsion weight must be finite and not negative, got {}",
            self.repulsion
        );
        NcaLoss { config: self.clone() }
    }
}

/// Neighborhood components analysis: expected or log leave-one-out accuracy of stochastic neighbors.
///
/// ```text
/// p_ij = exp(-||z_i - z_j||²) / Σ_{l≠i} exp(-||z_i - z_l||²),   p_ii = 0            (1)
/// p_i  = Σ_{j: y_j = y_i} p_ij                                                      (2)
/// f    = Σ_i p_i                                                                    (3)
/// g    = Σ_i log p_i                                                                (6)
/// ```
/// The loss is -f or -g, so that smaller is better, plus `repulsion` times the hinge between classes of torchnca, which
/// keeps other classes at a distance of at least 1:
///
/// ```text
/// h_i = Σ_{j: y_j ≠ y_i} max(0, 1 - ||z_i - z_j||²)²
/// ```
/// Each unordered pair counts twice over all i, as in torchnca. It has no gradient beyond distance 1, so it acts against
/// a collapse of all points onto one, not on the scale of a spread-out embedding.
///
/// # Numerics
/// `log p_i` is a difference of two log-sum-exps, over the same-class and over the other points, so a
/// p_i that underflows still has its exact logarithm and gradient: no term is dropped. The point itself
/// is left out by identity, so exact duplicates count as neighbors. A point without a same-class partner
/// has p_i = 0 under every metric: it adds nothing and is not counted in a mean. A batch of half precision is
/// computed with in f32, and its loss is f32.
///
/// # References
/// J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004.
/// K. Zakka, torchnca, 2020 (the hinge).
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Int, Tensor};
/// use burn_nca::objective::NcaLossConfig;
///
/// let device = Device::flex();
/// let embedding = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
/// let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
/// let loss: f32 = NcaLossConfig::new().init().forward(embedding, labels).into_scalar();
/// assert!((loss + 1.0).abs() < 1e-6); // every point is sure to find its partner
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct NcaLoss {
    #[module(skip)]
    config: NcaLossConfig,
}

shown_on_one_line!(NcaLoss, |module, content| content
    .add_debug_attribute("criterion", &module.config.criterion)
    .add("repulsion", &module.config.repulsion));

impl NcaLoss {
    /// The loss of a batch, as an ordinary Burn loss. Plain sums leave everything on the device; fused ones read the labels
    /// from it, once.
    ///
    /// Reduced over the points that have a same-class partner in the batch: `Mean` (and `Auto`,
    /// `BatchMean`) divides by their number, `Sum` does not. The neighbors are those of the batch.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`, of any integer type
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label per embedding row, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        within_batch(self, embeddings, labels)
    }

    /// The loss of each point of a batch; 0 where a point has no partner (and no repulsion).
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`, of any integer type
    /// - output: `[n]`
    ///
    /// # Panics
    /// As [`forward`](Self::forward).
    pub fn forward_no_reduction(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let candidates = Candidates::of_batch(embeddings.clone(), labels.clone());
        let [n, _] = embeddings.dims();
        let terms = |contrast: &dyn Contrast| self.terms_of(contrast);
        self.contrasted().terms(&terms, (embeddings, labels), &candidates).reshape([n])
    }

    fn contrasted(&self) -> Contrasted {
        Contrasted {
            sums: self.config.sums.of_batch(),
            similarity: Similarity::SqEuclidean,
            temperature: Temperature::one(),
        }
    }

    /// The term of each query, `[b, 1]`.
    fn terms_of(&self, contrast: &dyn Contrast) -> Tensor<2> {
        let NcaLossConfig { criterion, repulsion, .. } = self.config;
        let terms = criterion.terms(contrast.log_p()).mask_fill(contrast.without_positive(), 0.0);
        if repulsion == 0.0 {
            return terms;
        }
        terms + contrast.hinge().mul_scalar(repulsion)
    }
}

impl BatchLoss for NcaLoss {
    type Target = ClassTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        self.forward(embeddings, target.labels.clone())
    }
}

impl CandidateLoss for NcaLoss {
    fn forward_among(
        &self,
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Tensor<1> {
        let terms = |contrast: &dyn Contrast| self.terms_of(contrast);
        self.contrasted().loss(&terms, (queries, labels), candidates, &self.config.reduction)
    }
}

impl Objective for NcaLoss {
    type Target = ClassIndex;

    fn with_sums(self, sums: Sums) -> Self {
        Self { config: self.config.with_sums(sums) }
    }

    fn sums_taken(&self, embedding: Tensor<2>, classes: &ClassIndex) -> Option<(Sums, usize)> {
        if classes.classes() <= 1 {
            return None;
        }
        let (z, rows, sums) = (&classes.arrange(embedding), 0..classes.labeled(), self.config.sums);
        if !sums.are_operations(LOG_SUM, z) {
            return Some((Sums::Plain, 0));
        }
        Some(sums.operation((&among_all(z, &rows), z), || classes.sets(&rows, classes.points()), 0))
    }

    fn lower_bound(&self, classes: &ClassIndex) -> Option<f64> {
        match self.config.criterion {
            Criterion::F => Some(-classes.weight_with_partner()),
            Criterion::G => Some(0.0),
        }
    }

    fn block(&self, embedding: Tensor<2>, classes: &ClassIndex, terms: Range<usize>) -> Tensor<1> {
        let parts = self.block_parts(embedding, classes, terms).into_iter();
        parts.reduce(|sum, part| sum + part).expect("a block has a criterion")
    }

    /// -f (or -g) and the hinge, which have opposite signs; the hinge where the loss has one and there are other classes.
    fn block_parts(
        &self,
        embedding: Tensor<2>,
        classes: &ClassIndex,
        rows: Range<usize>,
    ) -> Vec<Tensor<1>> {
        let NcaLossConfig { criterion, repulsion, sums, .. } = self.config;
        let z = &classes.arrange(embedding);
        if classes.classes() <= 1 {
            // Every neighbor is of the class, whatever the embedding: a constant, which has no graph.
            let log_p = Tensor::zeros([rows.len(), 1], (&z.device(), z.dtype()));
            let has_partner = classes.points() > 1;
            let terms = if has_partner { criterion.terms(log_p) } else { log_p };
            return vec![classes.weigh(terms, rows).sum()];
        }
        if sums.are_operations(LOG_SUM, z) {
            #[cfg(feature = "fused")]
            return fused::parts(self, z, classes, rows);
        }
        // Where j is of the class of i.
        let same = |rows: &Range<usize>| {
            equal_pairs(classes.labels(rows), classes.labels(&(0..classes.points())))
        };
        let sum = in_blocks([z.clone()], rows.clone(), |[z], rows| {
            let (same, (logits, own)) = (same(&rows), exponents(z, rows.clone()));
            let without_positive = without_positive(same.clone().bool_and(own.clone().bool_not()));
            let terms = criterion.terms(log_p(logits, same, own)).mask_fill(without_positive, 0.0);
            classes.weigh(terms, rows).sum()
        });
        let hinge = (repulsion > 0.0).then(|| {
            let hinge = in_blocks([z.clone()], rows, |[z], rows| {
                let (logits, _) = exponents(z, rows.clone());
                classes.weigh(hinge(logits.neg(), same(&rows)), rows).sum()
            });
            hinge.mul_scalar(repulsion)
        });
        [sum].into_iter().chain(hinge).collect()
    }

    /// The hinge is a sum over pairs of points, of which a batch of b holds b(b - 1) of n(n - 1): that is
    /// its factor. The criterion is scaled by the points that have a partner.
    fn estimate(
        &self,
        embedding: Tensor<2>,
        batch: &ClassIndex,
        whole: &ClassIndex,
    ) -> Option<Tensor<1>> {
        let [b, _] = embedding.dims();
        assert_points(batch, b);
        if batch.labeled() == 0 {
            return None;
        }
        let mut parts = self.block_parts(embedding, batch, 0..batch.labeled()).into_iter();
        let (criterion, hinge) = (parts.next(), parts.next());
        let counted = batch.num_with_positive();
        let criterion = criterion
            .filter(|_| counted > 0)
            .map(|sum| sum.mul_scalar(whole.num_with_positive() as f64 / counted as f64));
        let pairs = |points: usize| (points * points.saturating_sub(1)) as f64;
        let factor = pairs(whole.points()) / pairs(b);
        let hinge = hinge.map(|hinge| hinge.mul_scalar(factor));
        [criterion, hinge].into_iter().flatten().reduce(|sum, part| sum + part)
    }

    fn blocks(&self, z: &Tensor<2>, classes: &ClassIndex, _rows: usize) -> Vec<Range<usize>> {
        whole_on_host(classes.labeled(), self.config.sums.are_operations(LOG_SUM, z), z)
    }
}
