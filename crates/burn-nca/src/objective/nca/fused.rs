//! The exact forms of f and g by fused sums: rows in class order, so that the partners of a point are one range.

use core::ops::Range;

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, Tensor, TensorData};
use burn_nca_fused::{NeighborSets, PairSum, Summand, pair_sum};

use super::NcaLoss;
use crate::objective::{ClassIndex, among_all};
use crate::sums::LOG_SUM;

/// The terms of a block: points in class order.
pub(super) struct Block<'a> {
    /// The embedding in class order, `[n, k]`.
    z: &'a Tensor<2>,
    classes: &'a ClassIndex,
    rows: Range<usize>,
}

impl<'a> Block<'a> {
    /// The ordered points `rows`.
    pub(super) fn new(z: &'a Tensor<2>, classes: &'a ClassIndex, rows: Range<usize>) -> Self {
        Self { z, classes, rows }
    }

    /// The sums over the points: of the criterion, and of the hinge where the loss has one.
    pub(super) fn parts(&self, loss: &NcaLoss) -> Vec<Tensor<1>> {
        let sum = |terms| self.classes.weigh(terms, self.rows.clone()).sum();
        let terms = loss.criterion.terms(self.log_p());
        let terms = match self.without_positive() {
            Some(without_positive) => terms.mask_fill(without_positive, 0.0),
            None => terms,
        };
        let has_hinge = loss.repulsion > 0.0;
        let others = || self.classes.others(&self.rows);
        let hinge = || sum(self.sum(PairSum::Sum(Summand::Hinge), &others()));
        let hinge = has_hinge.then(|| hinge().mul_scalar(loss.repulsion));
        [sum(terms)].into_iter().chain(hinge).collect()
    }

    /// `log p_i`, `[b, 1]`; 0 for a point without a partner.
    fn log_p(&self) -> Tensor<2> {
        let Self { classes, rows, .. } = self;
        let same = self.sum(LOG_SUM, &classes.partners(rows));
        let same = match self.without_positive() {
            Some(without_positive) => same.mask_fill(without_positive, 0.0),
            None => same,
        };
        log_sigmoid(same - self.sum(LOG_SUM, &classes.others(rows)))
    }

    /// A sum of each point over others, `[b, 1]`.
    fn sum(&self, sum: PairSum, columns: &NeighborSets) -> Tensor<2> {
        pair_sum(sum, (among_all(self.z, &self.rows), self.z.clone()), None, columns)
    }

    /// Which points have no partner, `[b, 1]`, if some have none.
    fn without_positive(&self) -> Option<Tensor<2, Bool>> {
        let partners = self.classes.partners(&self.rows);
        let without_positive: Vec<bool> =
            (0..self.rows.len()).map(|i| partners.count(i) == 0).collect();
        without_positive.contains(&true).then(|| {
            let b = without_positive.len();
            Tensor::from_data(TensorData::new(without_positive, [b, 1]), &self.z.device())
        })
    }
}
