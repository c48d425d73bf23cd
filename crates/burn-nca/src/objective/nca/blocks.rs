//! The exact forms of f and g: rows in class order, so that the partners of a point are one range.

use core::ops::Range;

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, Tensor, TensorData};

use super::NcaLoss;
use crate::objective::ClassIndex;
use crate::pairwise::{Summand, among_all, log_sum_exp, sum as sum_over};

/// What the terms of a block add up to, each times the weight of its point; both `[1]`.
pub(super) struct BlockTerms {
    /// Of -p_i or -log p_i.
    pub(super) criterion: Tensor<1>,
    /// Of the hinge, where the loss has one and there are points of other classes.
    pub(super) hinge: Option<Tensor<1>>,
}

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

    /// The sums over the points.
    pub(super) fn terms(&self, loss: &NcaLoss) -> BlockTerms {
        let sum = |terms| self.classes.weigh(terms, self.rows.clone()).sum();
        let terms = loss.criterion.terms(self.log_p());
        let terms = match self.alone() {
            Some(alone) => terms.mask_fill(alone, 0.0),
            None => terms,
        };
        let has_hinge = loss.repulsion > 0.0 && !self.classes.is_single();
        BlockTerms { criterion: sum(terms), hinge: has_hinge.then(|| sum(self.hinge())) }
    }

    /// `log p_i`, `[b, 1]`; 0 for a point without a partner.
    fn log_p(&self) -> Tensor<2> {
        let Self { z, classes, rows } = self;
        let b = rows.len();
        if classes.is_single() {
            return Tensor::zeros([b, 1], (&z.device(), z.dtype()));
        }
        let block = among_all(z, rows);
        let (partners, others) = (classes.partners(rows), classes.others(rows));
        let same = log_sum_exp(block.clone(), Tensor::clone(z), &partners).reshape([b, 1]);
        let same = match self.alone() {
            Some(alone) => same.mask_fill(alone, 0.0),
            None => same,
        };
        log_sigmoid(same - log_sum_exp(block, Tensor::clone(z), &others).reshape([b, 1]))
    }

    /// Which points have no partner, `[b, 1]`, if some have none.
    fn alone(&self) -> Option<Tensor<2, Bool>> {
        let partners = self.classes.partners(&self.rows);
        let alone: Vec<bool> = (0..self.rows.len()).map(|i| partners.count(i) == 0).collect();
        alone.contains(&true).then(|| {
            let b = alone.len();
            Tensor::from_data(TensorData::new(alone, [b, 1]), &self.z.device())
        })
    }

    /// The hinge of each point, `[b, 1]`: see [`NcaLoss`].
    fn hinge(&self) -> Tensor<2> {
        let Self { z, classes, rows } = self;
        let block = Tensor::clone(z).slice([rows.clone()]);
        let others = classes.others(rows);
        sum_over(Summand::Hinge, (block, Tensor::clone(z)), &others).reshape([rows.len(), 1])
    }
}
