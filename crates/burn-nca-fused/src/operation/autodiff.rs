//! The registered derivative: one backward pass for all sums, which computes the pairs again from two numbers a row.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};

use super::ops::PairSums;
use crate::{NeighborSets, PairSum};

#[derive(Debug)]
struct PairSumBackward;

impl<B: PairSums> Backward<B, 3> for PairSumBackward {
    /// Queries, references, operand, sums and rows.
    type State = ([FloatTensor<B>; 5], PairSum, NeighborSets);

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let ([queries, references, operand, sums, rows], sum, columns) = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        let [of_queries, of_references, of_operand] = ops.parents;
        // By the node of the graph: equal numbers of which one is held fixed stay apart.
        let among_themselves = matches!(
            (&of_queries, &of_references),
            (Some(queries), Some(references)) if queries.id == references.id
        );
        let of_references = of_references.filter(|_| !among_themselves);
        let (dq, dr, dv) = B::pair_sum_backward(
            queries,
            references,
            operand,
            sums,
            rows,
            gradient,
            sum,
            columns,
            among_themselves,
        );
        for (node, gradient) in [(of_queries, dq), (of_references, dr), (of_operand, dv)] {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: PairSums, C: CheckpointStrategy> PairSums for Autodiff<B, C> {
    fn pair_sum(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        operand: FloatTensor<Self>,
        sum: PairSum,
        columns: NeighborSets,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let nodes = [queries.node(), references.node(), operand.node()];
        let [q, r, operand] = [queries, references, operand].map(|tensor| tensor.into_primitive());
        let (sums, rows) = B::pair_sum(q.clone(), r.clone(), operand.clone(), sum, columns.clone());
        let constant = Self::from_inner(rows.clone());
        let tracked = match PairSumBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                prep.finish(([q, r, operand, sums.clone(), rows], sum, columns), sums)
            }
            OpsKind::UnTracked(prep) => prep.finish(sums),
        };
        (tracked, constant)
    }
}
