use core::ops::Range;

use burn::config::Config;
use burn::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn::nn::loss::Reduction;
use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Int, Tensor, assert_shape};

use super::affinity::{
    centred, log_add_exp, log_sum_exp, log_sum_exp_of_spread, logits, mask_out, own_mask,
    spreads_widely,
};
use super::repulsion::hinge;
use super::{ClassIndex, Objective};
use crate::display::one_line;

/// The terms of a block: ordered points, and how their exponentials are summed.
struct Terms {
    rows: Range<usize>,
    log_sum_exp: fn(Tensor<2>) -> Tensor<2>,
}

/// Which of the paper's two criteria to maximise.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// f, the expected number of points classified correctly (equation 3).
    F,
    /// g, the log probability of classifying every point correctly (equation 6).
    G,
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
        NcaLoss {
            criterion: self.criterion,
            repulsion: self.repulsion,
            reduction: self.reduction.clone(),
        }
    }
}

/// Neighbourhood components analysis: expected or log leave-one-out accuracy of stochastic neighbours.
///
/// ```text
/// p_ij = exp(-||z_i - z_j||²) / Σ_{l≠i} exp(-||z_i - z_l||²),   p_ii = 0            (1)
/// p_i  = Σ_{j: y_j = y_i} p_ij                                                      (2)
/// f    = Σ_i p_i                                                                    (3)
/// g    = Σ_i log p_i                                                                (6)
/// ```
/// The loss is -f or -g, so that smaller is better, plus `repulsion` times the hinge between classes.
///
/// # Numerics
/// `log p_i` is a difference of two log-sum-exps, over the same-class and over the other points, so a
/// p_i that underflows still has its exact logarithm and gradient: no term is dropped. The point itself
/// is left out by identity, so exact duplicates count as neighbours. A point without a same-class partner
/// has p_i = 0 under every metric: it adds nothing and is not counted in a mean.
///
/// # References
/// J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighbourhood Components Analysis, NIPS 2004.
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
    criterion: Criterion,
    repulsion: f64,
    #[module(skip)]
    reduction: Reduction,
}

impl ModuleDisplay for NcaLoss {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }

    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add_debug_attribute("criterion", &self.criterion)
            .add("repulsion", &self.repulsion)
            .optional()
    }
}

impl NcaLoss {
    /// The criterion.
    pub fn criterion(&self) -> Criterion {
        self.criterion
    }

    /// The weight of the hinge between classes.
    pub fn repulsion(&self) -> f64 {
        self.repulsion
    }

    /// How the terms of a batch are reduced.
    pub(crate) fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// The loss of a batch, as an ordinary Burn loss; everything stays on the device.
    ///
    /// Reduced over the points that have a same-class partner in the batch: `Mean` (and `Auto`,
    /// `BatchMean`) divides by their number, `Sum` does not. The neighbours are those of the batch; its
    /// memory grows with the square of the batch (see [`crate::fit::exact`] for large sets).
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one label an embedding row.
    pub fn forward(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let reduction = self.reduction.clone();
        let (terms, valid) = self.terms_of_batch(embeddings, labels);
        match reduction {
            Reduction::Sum => terms.sum(),
            Reduction::Mean | Reduction::Auto | Reduction::BatchMean => {
                terms.sum() / valid.sum().clamp_min(1.0)
            }
        }
    }

    /// The loss of each point of a batch; 0 where a point has no partner (and no repulsion).
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - labels: `[n]`
    /// - output: `[n]`
    ///
    /// # Panics
    /// If there is not one label an embedding row.
    pub fn forward_no_reduction(&self, embeddings: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        self.terms_of_batch(embeddings, labels).0
    }

    /// The terms `[n]` of a batch, and 1 where a point has a partner, else 0.
    fn terms_of_batch(
        &self,
        embeddings: Tensor<2>,
        labels: Tensor<1, Int>,
    ) -> (Tensor<1>, Tensor<1>) {
        let [n, _] = embeddings.dims();
        assert_shape!(labels, [n]);
        let dtype = embeddings.dtype();
        let z = centred(embeddings);
        let l = logits(z.clone(), z.clone());
        let rows = labels.clone().reshape([n, 1]).expand([n, n]);
        let same = rows.equal(labels.reshape([1, n]).expand([n, n]));
        let own = own_mask(n, &z.device());
        let partner = same.clone().bool_and(own.clone().bool_not());
        let log_all = log_sum_exp(mask_out(l.clone(), own));
        let log_same = log_sum_exp(mask_out(l.clone(), partner.clone().bool_not()));
        let alone = partner.any_dim(1).bool_not();
        let log_p = (log_same - log_all).mask_fill(alone.clone(), 0.0);
        let terms = self.terms(log_p).mask_fill(alone.clone(), 0.0);
        let terms = if self.repulsion > 0.0 {
            let others = mask_out(l, same);
            let squares = z.square().sum_dim(1);
            terms + hinge(others, squares).mul_scalar(self.repulsion)
        } else {
            terms
        };
        let valid = alone.bool_not().float().cast(dtype);
        (terms.reshape([n]), valid.reshape([n]))
    }

    /// -p_i or -log p_i.
    pub(crate) fn terms(&self, log_p: Tensor<2>) -> Tensor<2> {
        match self.criterion {
            Criterion::F => log_p.exp().neg(),
            Criterion::G => log_p.neg(),
        }
    }

    /// The sum over ordered points `rows` that are all of one class.
    fn pure_block(&self, z: &Tensor<2>, classes: &ClassIndex, terms: &Terms) -> Tensor<1> {
        let Terms { rows, log_sum_exp } = terms;
        let window = classes.window(rows);
        let block = z.clone().slice([rows.clone()]);
        let others = (!classes.is_single()).then(|| logits(block.clone(), outside(z, &window)));
        let mut total = Tensor::zeros([1], (&z.device(), z.dtype()));
        if window.len() > 1 {
            let own = own_mask(rows.len(), &z.device());
            let inside = mask_out(logits(block.clone(), block.clone()), own);
            let mut partners = vec![log_sum_exp(inside)];
            if window.len() > rows.len() {
                let rest = outside_within(z, rows, &window);
                partners.push(log_sum_exp(logits(block.clone(), rest)));
            }
            let same = log_add_exp(partners);
            let log_p = match &others {
                Some(others) => log_sigmoid(same - log_sum_exp(others.clone())),
                None => same.zeros_like(),
            };
            total = total + self.terms(log_p).sum();
        }
        match others {
            Some(others) if self.repulsion > 0.0 => {
                let squares = block.square().sum_dim(1);
                total + hinge(others, squares).sum().mul_scalar(self.repulsion)
            }
            _ => total,
        }
    }

    /// The sum over ordered points `rows` of several (small) classes.
    fn mixed_block(&self, z: &Tensor<2>, classes: &ClassIndex, terms: &Terms) -> Tensor<1> {
        let Terms { rows, log_sum_exp } = terms;
        let window = classes.window(rows);
        let (b, w) = (rows.len(), window.len());
        let block = z.clone().slice([rows.clone()]);
        let inside = logits(block.clone(), z.clone().slice([window.clone()]));
        let of_rows = classes.labels(rows).reshape([b, 1]).expand([b, w]);
        let of_window = classes.labels(&window).reshape([1, w]).expand([b, w]);
        let same = of_rows.equal(of_window);
        let first = rows.start - window.start;
        let own = Tensor::<2>::zeros([b, w], &z.device())
            .slice_assign([0..b, first..first + b], Tensor::eye(b, &z.device()))
            .equal_elem(1.0);
        let partner = same.clone().bool_and(own.bool_not());
        let alone = partner.clone().any_dim(1).bool_not();
        let log_same = log_sum_exp(mask_out(inside.clone(), partner.bool_not()));
        let mut others = vec![mask_out(inside, same)];
        if w < z.dims()[0] {
            others.push(logits(block.clone(), outside(z, &window)));
        }
        let log_others = log_add_exp(others.iter().cloned().map(log_sum_exp).collect());
        let log_p = log_sigmoid(log_same - log_others).mask_fill(alone.clone(), 0.0);
        let total = self.terms(log_p).mask_fill(alone, 0.0).sum();
        if self.repulsion == 0.0 {
            return total;
        }
        let squares = block.square().sum_dim(1);
        others.into_iter().fold(total, |total, others| {
            total + hinge(others, squares.clone()).sum().mul_scalar(self.repulsion)
        })
    }
}

impl Objective for NcaLoss {
    type Target = ClassIndex;
    /// Whether the embedding spreads widely (see `affinity`).
    type Shared = bool;

    fn num_terms(&self, classes: &ClassIndex) -> usize {
        classes.points()
    }

    fn shared(&self, embedding: Tensor<2>, _classes: &ClassIndex) -> bool {
        spreads_widely(&embedding)
    }

    fn subset(&self, classes: &ClassIndex, rows: &[usize]) -> ClassIndex {
        classes.subset(rows)
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        classes: &ClassIndex,
        wide: &bool,
        terms: Range<usize>,
    ) -> Tensor<1> {
        let log_sum_exp = if *wide { log_sum_exp_of_spread } else { log_sum_exp };
        let z = centred(classes.arrange(embedding));
        let terms = Terms { rows: terms, log_sum_exp };
        if classes.is_pure(&terms.rows) {
            self.pure_block(&z, classes, &terms)
        } else {
            self.mixed_block(&z, classes, &terms)
        }
    }

    /// Cuts at class boundaries where classes are large enough to fill a block's share, and lets a block
    /// span several small classes.
    fn blocks(&self, classes: &ClassIndex, rows: usize) -> Vec<Range<usize>> {
        let rows = rows.max(1);
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut open: Option<Range<usize>> = None;
        for span in classes.spans() {
            if 2 * span.len() >= rows {
                blocks.extend(open.take());
                blocks.extend(span.clone().step_by(rows).map(|at| at..(at + rows).min(span.end)));
                continue;
            }
            open = match open {
                Some(range) if span.end - range.start <= rows => Some(range.start..span.end),
                full => {
                    blocks.extend(full);
                    Some(span)
                }
            };
        }
        blocks.extend(open);
        blocks
    }
}

/// The rows of `z` outside `window`.
fn outside(z: &Tensor<2>, window: &Range<usize>) -> Tensor<2> {
    outside_within(z, window, &(0..z.dims()[0]))
}

/// The rows of `z` inside `span` but outside `hole`, which must leave some.
fn outside_within(z: &Tensor<2>, hole: &Range<usize>, span: &Range<usize>) -> Tensor<2> {
    let before = span.start..hole.start;
    let after = hole.end..span.end;
    let parts = [before, after].into_iter().filter(|part| !part.is_empty());
    let mut parts: Vec<Tensor<2>> = parts.map(|part| z.clone().slice([part])).collect();
    if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 0) }
}
