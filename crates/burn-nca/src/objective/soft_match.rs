//! NCA with soft matches: continuous targets, lists and functions in place of classes.

#[cfg(feature = "fused")]
mod fused;
#[cfg(test)]
mod tests;

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{Bool, Tensor, assert_shape};
use burn_nca_fused::PairSum;

use super::batch::{assert_rows, at_least_f32};
use super::reduction::reduce;
use super::{
    AgreementIndex, AgreementTarget, BatchLoss, Criterion, Objective, among_all, whole_on_host,
};
use crate::nca::soft_match::{log_agreement, log_p};
use crate::nca::{exponents, own_pairs};
use crate::shown_on_one_line;
use crate::sums::{LOG_SUM, Sums, cut, in_blocks, rows_in_blocks};

/// The settings of a [`SoftNcaLoss`].
#[derive(Config, Debug)]
pub struct SoftNcaLossConfig {
    /// Which criterion; f by default, as in the paper.
    #[config(default = "Criterion::F")]
    pub criterion: Criterion,
    /// Whether rows without a target are neighbors of the others: they then take their share of the
    /// denominator of `p_ij` and push labeled points that should agree together away from themselves. Off
    /// by default: a row of unknown target may well be a good neighbor.
    #[config(default = false)]
    pub unlabeled_neighbors: bool,
    /// How [`SoftNcaLoss::forward`] reduces over the points that agree with some other point.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
    /// How the sums over pairs are added up.
    #[config(default = "Sums::Auto")]
    pub sums: Sums,
}

impl SoftNcaLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> SoftNcaLoss {
        SoftNcaLoss { config: self.clone() }
    }
}

/// Neighborhood components analysis with soft matches: the expected (log) agreement of stochastic
/// neighbors.
///
/// ```text
/// p_ij = exp(-||z_i - z_j||²) / Σ_{l≠i} exp(-||z_i - z_l||²),   p_ii = 0            (1)
/// p_i  = Σ_{j≠i} w_ij p_ij                                                 (2, section 5)
/// f    = Σ_i p_i,   g = Σ_i log p_i                                               (3), (6)
/// ```
/// The agreements `w_ij` in 0..1 come from continuous targets, a list, or a function
/// ([`Agreements`](crate::data::Agreements)); hard labels are the special case `w_ij = [y_i = y_j]`, with
/// the values of [`NcaLoss`](super::NcaLoss). The loss is -f or -g, so that smaller is better. As p_i is a
/// mean of the `w_ij`, weighted by `p_ij`,
///
/// ```text
/// p_i ≤ max_{j≠i} w_ij,   f ≤ Σ_i max_{j≠i} w_ij,   g ≤ Σ_i log max_{j≠i} w_ij
/// ```
/// and f of n points need not come near n: with targets that are all different no p_i reaches 1.
///
/// # Numerics
/// `log p_i` is the difference of two log-sum-exps, of `l_ij + log w_ij` and of `l_ij` over j ≠ i, where the
/// logits `l_ij` are `-||z_i - z_j||²` up to a constant of the row. `log w_ij` is not taken of a `w_ij`
/// that may have underflowed but formed from the targets: no term is dropped. The point itself is left
/// out by position. A labeled point whose agreements are all 0 has p_i = 0 under every metric: it adds
/// nothing, is not counted in a mean, and is reported
/// ([`AgreementIndex::without_agreement`]). Unlabeled points are no terms.
///
/// # References
/// J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004,
/// section 5.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::objective::SoftNcaLossConfig;
///
/// let device = Device::flex();
/// let embedding = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
/// let prices = Tensor::<2>::from_floats([[5.0], [5.0], [7.0], [7.0]], &device);
/// let loss: f32 =
///     SoftNcaLossConfig::new().init().forward_targets(embedding, prices, 1.0).into_scalar();
/// assert!((loss + 1.0).abs() < 1e-6); // every point is sure to find a neighbor of its own price
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SoftNcaLoss {
    #[module(skip)]
    config: SoftNcaLossConfig,
}

shown_on_one_line!(SoftNcaLoss, |module, content| content
    .add_debug_attribute("criterion", &module.config.criterion)
    .add_debug_attribute("unlabeled_neighbors", &module.config.unlabeled_neighbors));

impl SoftNcaLoss {
    /// The loss of a batch with a table of agreements, as an ordinary Burn loss; everything stays on the
    /// device. The agreements carry no gradient.
    ///
    /// Reduced over the points that agree with some other point of the batch: `Mean` (and `Auto`,
    /// `BatchMean`) divides by their number, `Sum` does not. The neighbors are those of the batch. Agreements
    /// of the f32 type below 1e-38 are 0; see [`forward_targets`](Self::forward_targets) for targets.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - agreements: `[n, n]`, in 0..1; the diagonal is not looked at
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one agreement for each two embedding rows, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, agreements: Tensor<2>) -> Tensor<1> {
        let [n, _] = embeddings.dims();
        assert_rows("batch", n);
        assert_shape!(agreements, [n, n]);
        let z = at_least_f32(embeddings);
        let agreements = agreements.without_autodiff().cast(z.dtype());
        let absent = agreements.clone().equal_elem(0.0);
        let without_positive =
            absent.clone().bool_or(own_pairs(0..n, n, &absent.device())).all_dim(1);
        let log_w = agreements.mask_fill(absent.clone(), 1.0).log();
        let counted = || without_positive.clone().bool_not().float();
        let reduction = &self.config.reduction;
        if self.config.sums.are_fused(PairSum::CostedLogSumExp, &[&z]) {
            #[cfg(feature = "fused")]
            return {
                let log_p = fused::of_table(z, log_w, absent);
                reduce(self.terms(log_p, without_positive.clone()).sum(), counted, reduction)
            };
        }
        let sum = in_blocks([z], 0..n, |[z], rows| {
            let part = |mask: &Tensor<2, Bool>| mask.clone().slice([rows.clone()]);
            let (logits, own) = exponents(z, rows.clone());
            let log_w = log_w.clone().slice([rows.clone()]);
            self.terms(log_p(logits, log_w, part(&absent), own), part(&without_positive)).sum()
        });
        reduce(sum, counted, reduction)
    }

    /// The loss of a batch with continuous targets, as an ordinary Burn loss.
    ///
    /// ```text
    /// w_ij = exp(-||t_i - t_j||² / (2 s²)):   w_ij exp(-||z_i - z_j||²) = exp(-||(z_i, u_i) - (z_j, u_j)||²),   u = t / (√2 s)
    /// ```
    /// Fused sums read from the device which rows have no target; plain ones leave everything there.
    ///
    /// A row with a NaN among its targets is unlabeled: it makes no term, and is a neighbor only if the
    /// settings ask for it. Reduced as in [`forward`](Self::forward), over the labeled rows.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - targets: `[n, t]`
    /// - width: s, in the units of the targets
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one target row per embedding row, no row, or the width is not positive and finite.
    pub fn forward_targets(
        &self,
        embeddings: Tensor<2>,
        targets: Tensor<2>,
        width: f64,
    ) -> Tensor<1> {
        let [n, _] = embeddings.dims();
        assert_rows("batch", n);
        assert_shape!(targets, [n, _]);
        assert!(
            width > 0.0 && width.is_finite(),
            "the width of the agreement must be positive and finite, got {width}"
        );
        let z = at_least_f32(embeddings);
        let targets = at_least_f32(targets);
        if self.config.sums.are_fused(LOG_SUM, &[&z]) {
            #[cfg(feature = "fused")]
            return fused::of_targets(self, z, targets, width);
        }
        let unknown = targets.clone().is_nan().any_dim(1); // [n, 1]
        let across = |rows: usize| unknown.clone().transpose().expand([rows, n]);
        // No term of a row that has no target, or no other row with one.
        let apart = |rows: &Range<usize>| {
            let own = own_pairs(rows.clone(), n, &z.device());
            let apart = own.clone().bool_or(across(rows.len()));
            let without_positive =
                unknown.clone().slice([rows.clone()]).bool_or(apart.clone().all_dim(1));
            (own, apart, without_positive)
        };
        let counted = || rows_in_blocks(&z, 0..n, |rows| apart(&rows).2.bool_not().float());
        let targets = targets.clone().mask_fill(unknown.clone().expand(targets.dims()), 0.0);
        let sum = in_blocks([targets, z.clone()], 0..n, |[targets, z], rows| {
            let (own, apart, without_positive) = apart(&rows);
            let (logits, _) = exponents(z, rows.clone());
            let log_w = log_agreement(targets.clone().slice([rows]), targets, width);
            let log_w = log_w.cast(logits.dtype());
            let left_out = if self.config.unlabeled_neighbors { own } else { apart.clone() };
            self.terms(log_p(logits, log_w, apart, left_out), without_positive).sum()
        });
        reduce(sum, counted, &self.config.reduction)
    }

    /// Whether the sums over the pairs of these agreements are operations; those of labels may be a Fourier series.
    fn are_operations(&self, z: &Tensor<2>, agreements: &AgreementIndex) -> bool {
        match agreements.classes() {
            Some(_) => self.config.sums.are_operations(LOG_SUM, z),
            None if agreements.is_table() => {
                self.config.sums.are_fused(PairSum::CostedLogSumExp, &[z])
            }
            None => self.config.sums.are_fused(LOG_SUM, &[z]),
        }
    }

    /// -p_i or -log p_i, `[b, 1]`; 0 where no point agrees.
    fn terms(&self, log_p: Tensor<2>, without_positive: Tensor<2, Bool>) -> Tensor<2> {
        let log_p = log_p.mask_fill(without_positive.clone(), 0.0);
        self.config.criterion.terms(log_p).mask_fill(without_positive, 0.0)
    }
}

impl BatchLoss for SoftNcaLoss {
    type Target = AgreementTarget;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &AgreementTarget) -> Tensor<1> {
        match target.clone() {
            AgreementTarget::Table(agreements) => self.forward(embeddings, agreements),
            AgreementTarget::Targets { values, width } => {
                self.forward_targets(embeddings, values, width)
            }
        }
    }
}

impl Objective for SoftNcaLoss {
    type Target = AgreementIndex;

    fn with_sums(self, sums: Sums) -> Self {
        Self { config: self.config.with_sums(sums) }
    }

    fn sums_taken(
        &self,
        embedding: Tensor<2>,
        agreements: &AgreementIndex,
    ) -> Option<(Sums, usize)> {
        let z = &agreements.arrange(embedding, self.config.unlabeled_neighbors);
        if !self.are_operations(z, agreements) {
            return Some((Sums::Plain, 0));
        }
        let Some(classes) = agreements.classes() else { return Some((Sums::Fused, 0)) };
        let (rows, [m, _]) = (0..agreements.labeled(), z.dims());
        let points = (&among_all(z, &rows), z);
        Some(self.config.sums.operation(points, || classes.sets(&rows, m), 0))
    }

    fn lower_bound(&self, agreements: &AgreementIndex) -> Option<f64> {
        match self.config.criterion {
            Criterion::F => Some(-agreements.weight_with_agreement()),
            Criterion::G => Some(0.0),
        }
    }

    fn block(
        &self,
        embedding: Tensor<2>,
        agreements: &AgreementIndex,
        terms: Range<usize>,
    ) -> Tensor<1> {
        if terms.is_empty() {
            return embedding.sum().mul_scalar(0.0);
        }
        let z = agreements.arrange(embedding, self.config.unlabeled_neighbors);
        if self.are_operations(&z, agreements) {
            #[cfg(feature = "fused")]
            return fused::block(self, z, agreements, terms);
        }
        let (labeled, m) = (agreements.labeled(), z.dims()[0]);
        in_blocks([z], terms, |[z], rows| {
            let b = rows.len();
            let (logits, own) = exponents(z, rows.clone());
            // Points without a target come after the others, and agree with none.
            let (log_w, apart) = agreements.log_agreements(&rows, logits.dtype());
            let (log_w, apart) = if labeled == m {
                (log_w, apart)
            } else {
                let zeros =
                    logits.clone().without_autodiff().slice([0..b, labeled..m]).zeros_like();
                let none = own.clone().slice([0..b, labeled..m]).bool_not();
                (Tensor::cat(vec![log_w, zeros], 1), Tensor::cat(vec![apart, none], 1))
            };
            let log_p = log_p(logits, log_w, apart, own);
            agreements.weigh(self.terms(log_p, agreements.without_positive(&rows)), rows).sum()
        })
    }

    fn blocks(&self, z: &Tensor<2>, agreements: &AgreementIndex, rows: usize) -> Vec<Range<usize>> {
        if agreements.is_table() {
            return cut(0..agreements.labeled(), rows);
        }
        whole_on_host(agreements.labeled(), self.are_operations(z, agreements), z)
    }
}
