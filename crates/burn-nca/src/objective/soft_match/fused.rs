//! Soft matches by fused sums: a table as costs of pairs, labels as ranges, targets as further coordinates.

use core::f64::consts::SQRT_2;
use core::ops::Range;

use burn::tensor::{Bool, Tensor};
use burn_nca_fused::{NeighborSets, PairSum, pair_sum};

use super::SoftNcaLoss;
use crate::objective::agreement_index::NO_AGREEMENT;
use crate::objective::integers::on_host;
use crate::objective::reduction::{over, reduce_sum, total};
use crate::objective::similarity::in_graph_of;
use crate::objective::transfer::int_tensor;
use crate::objective::{AgreementIndex, ClassIndex, among_all};
use crate::sums::LOG_SUM;

/// `log p_i` of a batch with a table of agreements, `[n, 1]`.
pub(super) fn of_table(z: Tensor<2>, log_w: Tensor<2>, absent: Tensor<2, Bool>) -> Tensor<2> {
    let [n, _] = z.dims();
    let costs = log_w.neg().mask_fill(absent, NO_AGREEMENT);
    let others = NeighborSets::all(n, n).without_self(0);
    let agreeing = pair_sum(PairSum::CostedLogSumExp, (z.clone(), z.clone()), Some(costs), &others);
    agreeing - pair_sum(LOG_SUM, (z.clone(), z), None, &others)
}

/// The loss of a batch with continuous targets, `[n, t]`, of which rows with a NaN have none.
///
/// ```text
/// w_ij = exp(-||t_i - t_j||² / (2 s²)):   w_ij exp(-||z_i - z_j||²) = exp(-||(z_i, u_i) - (z_j, u_j)||²),   u = t / (√2 s)
/// ```
pub(super) fn of_targets(
    loss: &SoftNcaLoss,
    z: Tensor<2>,
    targets: Tensor<2>,
    width: f64,
) -> Tensor<1> {
    let [n, _] = z.dims();
    let unknown = on_host(targets.clone().is_nan().any_dim(1).int().reshape([n]));
    let (labeled, unlabeled): (Vec<usize>, Vec<usize>) = (0..n).partition(|&row| unknown[row] == 0);
    let count = labeled.len();
    if count < 2 {
        return z.sum().mul_scalar(0.0);
    }
    let rows = |of: &Tensor<2>, some: &[usize]| {
        let of = of.clone();
        if some.len() == n { of } else { of.clone().select(0, int_tensor(some, &of.device())) }
    };
    let (points, targets) = (rows(&z, &labeled), rows(&targets, &labeled));
    let others = NeighborSets::all(count, count).without_self(0);
    let all = if loss.config.unlabeled_neighbors && count < n {
        let among = Tensor::cat(vec![points.clone(), rows(&z, &unlabeled)], 0);
        let columns = NeighborSets::all(count, n).without_self(0);
        pair_sum(LOG_SUM, (points.clone(), among), None, &columns)
    } else {
        pair_sum(LOG_SUM, (points.clone(), points.clone()), None, &others)
    };
    // The mean is taken out before what is far from 0 loses its digits in another type.
    let mean = targets.clone().without_autodiff().mean_dim(0);
    let targets = over(targets - mean, width * SQRT_2).cast(points.dtype());
    let points = in_graph_of(points, &targets);
    let targets = in_graph_of(targets, &points);
    let lifted = Tensor::cat(vec![points, targets], 1);
    let agreeing = pair_sum(LOG_SUM, (lifted.clone(), lifted), None, &others);
    let terms = loss.config.criterion.terms(agreeing - all);
    reduce_sum(terms.sum(), count, &loss.config.reduction)
}

/// The terms of some labeled points, of an embedding as the index arranges it, `[1]`.
pub(super) fn block(
    loss: &SoftNcaLoss,
    z: Tensor<2>,
    agreements: &AgreementIndex,
    terms: Range<usize>,
) -> Tensor<1> {
    let (b, m) = (terms.len(), z.dims()[0]);
    let among = |m: usize| NeighborSets::all(b, m).without_self(terms.start);
    let block = among_all(&z, &terms);
    let by_series = |classes: &ClassIndex| {
        loss.config.sums.fourier((&block, &z), || classes.sets(&terms, m), 0)
    };
    let sum = agreements.classes().and_then(by_series).map_or(LOG_SUM, PairSum::Fourier);
    let all = pair_sum(sum, (block.clone(), z.clone()), None, &among(m));
    let agreeing = if agreements.is_table() {
        let costs = agreements.costs(&terms, z.dtype());
        let labeled = agreements.labeled();
        pair_sum(
            PairSum::CostedLogSumExp,
            (block, z.slice([0..labeled])),
            Some(costs),
            &among(labeled),
        )
    } else {
        agreements.log_agreeing(sum, z, &terms)
    };
    let without_positive = agreements.without_positive(&terms);
    // Where nothing agrees, -∞ would meet -∞ where nothing is near either.
    let log_p =
        agreeing.mask_fill(without_positive.clone(), 0.0) - all.mask_fill(without_positive, 0.0);
    let log_p = if sum == LOG_SUM { log_p } else { log_p.clamp_max(0.0) };
    let of_points = loss.terms(log_p, agreements.without_positive(&terms));
    total(agreements.weigh(of_points, terms))
}
