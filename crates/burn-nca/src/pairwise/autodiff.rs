//! The registered backward pass: the pairs are computed again from two numbers a row.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};

use super::ops::PairwiseOps;
use super::{Columns, Distance, Summand, blocks};

#[derive(Debug)]
struct LogSumExp;

/// What the backward pass needs.
#[derive(Clone, Debug)]
struct State<B: Backend> {
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    columns: Columns,
    distance: Distance,
    statistics: FloatTensor<B>,
}

impl<B: PairwiseOps> Backward<B, 2> for LogSumExp {
    type State = State<B>;

    fn backward(
        self,
        ops: Ops<State<B>, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let State { queries, references, columns, distance, statistics } = ops.state;
        let [of_queries, of_references] = ops.parents;
        let gradient = grads.consume::<B>(&ops.node);
        if let (Some(points), Some(same)) = (&of_queries, &of_references)
            && points.id == same.id
        {
            let dz = B::pairwise_gradient(queries, columns, distance, statistics, gradient);
            grads.register::<B>(points.id, dz);
            return;
        }
        let (dq, dr) =
            B::pairwise_gradients(queries, references, columns, distance, statistics, gradient);
        if let Some(node) = of_queries {
            grads.register::<B>(node.id, dq);
        }
        if let Some(node) = of_references {
            grads.register::<B>(node.id, dr);
        }
    }
}

#[derive(Debug)]
struct CostedLogSumExp;

/// What the backward pass needs where pairs have costs.
#[derive(Clone, Debug)]
struct CostedState<B: Backend> {
    pairs: State<B>,
    costs: FloatTensor<B>,
}

impl<B: PairwiseOps> Backward<B, 2> for CostedLogSumExp {
    type State = CostedState<B>;

    fn backward(
        self,
        ops: Ops<CostedState<B>, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let CostedState { pairs, costs } = ops.state;
        let State { queries, references, columns, statistics, .. } = pairs;
        let gradient = grads.consume::<B>(&ops.node);
        let (dq, dr) =
            B::pairwise_costed_gradients(queries, references, costs, columns, statistics, gradient);
        for (node, gradient) in ops.parents.into_iter().zip([dq, dr]) {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct Sum;

/// What the backward pass of a sum needs.
#[derive(Clone, Debug)]
struct SumState<B: Backend> {
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    columns: Columns,
    summand: Summand,
}

impl<B: PairwiseOps> Backward<B, 2> for Sum {
    type State = SumState<B>;

    fn backward(
        self,
        ops: Ops<SumState<B>, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let SumState { queries, references, columns, summand } = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        let (dq, dr) = B::pairwise_sum_gradients(queries, references, columns, summand, gradient);
        for (node, gradient) in ops.parents.into_iter().zip([dq, dr]) {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct WeightedMean;

/// What the backward pass of a mean needs.
#[derive(Clone, Debug)]
struct MeanState<B: Backend> {
    pairs: State<B>,
    values: FloatTensor<B>,
    means: FloatTensor<B>,
}

impl<B: PairwiseOps> Backward<B, 3> for WeightedMean {
    type State = MeanState<B>;

    fn backward(
        self,
        ops: Ops<MeanState<B>, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let MeanState { pairs, values, means } = ops.state;
        let State { queries, references, columns, statistics, .. } = pairs;
        let gradient = grads.consume::<B>(&ops.node);
        let (dq, dr, dv) = B::pairwise_mean_gradients(
            queries, references, values, columns, statistics, means, gradient,
        );
        for (node, gradient) in ops.parents.into_iter().zip([dq, dr, dv]) {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: PairwiseOps, C: CheckpointStrategy> PairwiseOps for Autodiff<B, C> {
    fn pairwise_log_sum_exp(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        distance: Distance,
    ) -> FloatTensor<Self> {
        let nodes = [queries.node(), references.node()];
        let (queries, references) = (queries.into_primitive(), references.into_primitive());
        let statistics =
            B::pairwise_statistics(queries.clone(), references.clone(), columns.clone(), distance);
        let output = blocks::combine::<B>(statistics.clone());
        match LogSumExp.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                prep.finish(State { queries, references, columns, distance, statistics }, output)
            }
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn pairwise_costed_log_sum_exp(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        costs: FloatTensor<Self>,
        columns: Columns,
    ) -> FloatTensor<Self> {
        let nodes = [queries.node(), references.node()];
        let [queries, references, costs] =
            [queries, references, costs].map(|tensor| tensor.into_primitive());
        let statistics = B::pairwise_costed_statistics(
            queries.clone(),
            references.clone(),
            costs.clone(),
            columns.clone(),
        );
        let output = blocks::combine::<B>(statistics.clone());
        match CostedLogSumExp.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let distance = Distance::SqEuclidean;
                let pairs = State { queries, references, columns, distance, statistics };
                prep.finish(CostedState { pairs, costs }, output)
            }
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn pairwise_sum(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        columns: Columns,
        summand: Summand,
    ) -> FloatTensor<Self> {
        let nodes = [queries.node(), references.node()];
        let (queries, references) = (queries.into_primitive(), references.into_primitive());
        let output = B::pairwise_sum(queries.clone(), references.clone(), columns.clone(), summand);
        match Sum.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                prep.finish(SumState { queries, references, columns, summand }, output)
            }
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn pairwise_weighted_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        columns: Columns,
    ) -> FloatTensor<Self> {
        let nodes = [queries.node(), references.node(), values.node()];
        let [queries, references, values] =
            [queries, references, values].map(|tensor| tensor.into_primitive());
        let distance = Distance::SqEuclidean;
        let statistics =
            B::pairwise_statistics(queries.clone(), references.clone(), columns.clone(), distance);
        let means = B::pairwise_means(
            queries.clone(),
            references.clone(),
            values.clone(),
            columns.clone(),
            statistics.clone(),
        );
        match WeightedMean.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let pairs = State { queries, references, columns, distance, statistics };
                prep.finish(MeanState { pairs, values, means: means.clone() }, means)
            }
            OpsKind::UnTracked(prep) => prep.finish(means),
        }
    }
}
