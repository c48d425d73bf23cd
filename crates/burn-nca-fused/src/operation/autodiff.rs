//! The registered derivative: one backward pass for all sums, which computes the pairs again from two numbers a row.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};

use super::ops::PairSums;
use crate::{NeighborSets, PairSum};

#[derive(Debug)]
struct PairSumBackward;

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct State<B: Backend> {
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    operand: FloatTensor<B>,
    sums: FloatTensor<B>,
    rows: FloatTensor<B>,
    sum: PairSum,
    columns: NeighborSets,
}

impl<B: PairSums> Backward<B, 3> for PairSumBackward {
    type State = State<B>;

    fn backward(
        self,
        ops: Ops<State<B>, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let State { queries, references, operand, sums, rows, sum, columns } = ops.state;
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
        let [queries, references, operand] =
            [queries, references, operand].map(|tensor| tensor.into_primitive());
        let (sums, rows) =
            B::pair_sum(queries.clone(), references.clone(), operand.clone(), sum, columns.clone());
        let constant = Self::from_inner(rows.clone());
        let tracked = match PairSumBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let output = sums.clone();
                prep.finish(
                    State { queries, references, operand, sums, rows, sum, columns },
                    output,
                )
            }
            OpsKind::UnTracked(prep) => prep.finish(sums),
        };
        (tracked, constant)
    }

    fn pair_sum_backward(
        _queries: FloatTensor<Self>,
        _references: FloatTensor<Self>,
        _operand: FloatTensor<Self>,
        _sums: FloatTensor<Self>,
        _rows: FloatTensor<Self>,
        _gradient: FloatTensor<Self>,
        _sum: PairSum,
        _columns: NeighborSets,
        _among_themselves: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unimplemented!("Burn differentiates once; a derivative has no graph of its own")
    }
}
