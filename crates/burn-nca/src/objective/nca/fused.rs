//! The exact forms of f and g by fused sums: rows in class order, so that the partners of a point are one range.

use core::ops::Range;

use burn::tensor::Tensor;
use burn::tensor::activation::log_sigmoid;
use burn_nca_fused::{NeighborSets, PairSum, Summand, pair_sum};

use super::{NcaLoss, NcaLossConfig};
use crate::objective::reduction::total;
use crate::objective::transfer::column;
use crate::objective::{ClassIndex, among_all};
use crate::sums::LOG_SUM;

/// The sums over some points of z, `[n, k]` in class order: of the criterion, and of the hinge where the loss has one.
pub(super) fn parts(
    loss: &NcaLoss,
    z: &Tensor<2>,
    classes: &ClassIndex,
    rows: Range<usize>,
) -> Vec<Tensor<1>> {
    let NcaLossConfig { criterion, repulsion, .. } = loss.config;
    let over = |sum: PairSum, columns: &NeighborSets| {
        pair_sum(sum, (among_all(z, &rows), z.clone()), None, columns)
    };
    let [partners, all] = classes.sets(&rows, classes.points());
    let without_positive = (0..rows.len()).map(|i| partners.count(i) == 0).collect();
    let without_positive = column(without_positive, &z.device());
    let points = (&among_all(z, &rows), z);
    let tolerance = loss.config.sums.fourier(points, || classes.sets(&rows, classes.points()), 0);
    let same = over(tolerance.map_or(LOG_SUM, PairSum::Fourier), &partners);
    let same = same.mask_fill(without_positive.clone(), 0.0);
    let log_p = match tolerance {
        Some(tolerance) => (same - over(PairSum::Fourier(tolerance), &all)).clamp_max(0.0),
        None => log_sigmoid(same - over(LOG_SUM, &classes.others(&rows))),
    };
    let sum = |terms| total(classes.weigh(terms, rows.clone()));
    let hinge = || sum(over(PairSum::Sum(Summand::Hinge), &classes.others(&rows)));
    let hinge = (repulsion > 0.0).then(|| hinge().mul_scalar(repulsion));
    let criterion = sum(criterion.terms(log_p).mask_fill(without_positive, 0.0));
    [criterion].into_iter().chain(hinge).collect()
}
