//! The exact block forms of f and g: rows in class order, so that the partners of a block are one range.

use core::ops::Range;

use burn::tensor::Tensor;
use burn::tensor::activation::log_sigmoid;

use super::NcaLoss;
use crate::objective::ClassIndex;
use crate::objective::affinity::{
    log_add_exp, log_sum_exp, log_sum_exp_of_spread, logits, mask_out, own_mask,
};
use crate::objective::repulsion::hinge;

/// What the terms of a block add up to, each times the weight of its point; both `[1]`.
pub(super) struct BlockTerms {
    /// Of -p_i or -log p_i.
    pub(super) criterion: Tensor<1>,
    /// Of the hinge, where the loss has one and there are points of other classes.
    pub(super) hinge: Option<Tensor<1>>,
}

/// The terms of a block: ordered points, and how their exponentials are summed.
pub(super) struct Block<'a> {
    /// The centred embedding in class order, `[n, k]`.
    z: &'a Tensor<2>,
    classes: &'a ClassIndex,
    rows: Range<usize>,
    log_sum_exp: fn(Tensor<2>) -> Tensor<2>,
}

impl<'a> Block<'a> {
    /// The ordered points `rows`; `wide` for an embedding that spreads widely (see `affinity`).
    pub(super) fn new(
        z: &'a Tensor<2>,
        classes: &'a ClassIndex,
        rows: Range<usize>,
        wide: bool,
    ) -> Self {
        let log_sum_exp = if wide { log_sum_exp_of_spread } else { log_sum_exp };
        Self { z, classes, rows, log_sum_exp }
    }

    /// The sums over the points.
    pub(super) fn terms(&self, loss: &NcaLoss) -> BlockTerms {
        let (criterion, hinge) =
            if self.classes.is_pure(&self.rows) { self.pure(loss) } else { self.mixed(loss) };
        let sum = |terms| self.classes.weigh(terms, self.rows.clone()).sum();
        BlockTerms { criterion: sum(criterion), hinge: hinge.map(sum) }
    }

    /// The criterion and the hinge of points that are all of one class, `[b, 1]`.
    fn pure(&self, loss: &NcaLoss) -> (Tensor<2>, Option<Tensor<2>>) {
        let Self { z, classes, rows, log_sum_exp } = self;
        let window = classes.window(rows);
        let block = Tensor::clone(z).slice([rows.clone()]);
        let others = (!classes.is_single()).then(|| logits(block.clone(), outside(z, &window)));
        let terms = if window.len() > 1 {
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
            loss.criterion.terms(log_p)
        } else {
            Tensor::zeros([rows.len(), 1], (&z.device(), z.dtype()))
        };
        let others = others.filter(|_| loss.repulsion > 0.0);
        (terms, others.map(|others| hinge(others, block.square().sum_dim(1))))
    }

    /// The criterion and the hinge of points of several (small) classes, `[b, 1]`.
    fn mixed(&self, loss: &NcaLoss) -> (Tensor<2>, Option<Tensor<2>>) {
        let Self { z, classes, rows, log_sum_exp } = self;
        let window = classes.window(rows);
        let (b, w) = (rows.len(), window.len());
        let block = Tensor::clone(z).slice([rows.clone()]);
        let inside = logits(block.clone(), Tensor::clone(z).slice([window.clone()]));
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
        let terms = loss.criterion.terms(log_p).mask_fill(alone, 0.0);
        if loss.repulsion == 0.0 {
            return (terms, None);
        }
        let squares = block.square().sum_dim(1);
        let hinges = others.into_iter().map(|others| hinge(others, squares.clone()));
        (terms, hinges.reduce(|total, part| total + part))
    }
}

/// Cuts at class boundaries where classes are large enough to fill a block's share, and lets a block span
/// several small classes.
pub(super) fn cut(classes: &ClassIndex, rows: usize) -> Vec<Range<usize>> {
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
