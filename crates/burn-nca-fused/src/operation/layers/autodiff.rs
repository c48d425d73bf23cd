//! The registered derivatives.

use core::ops::Range;
use std::sync::Arc;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend};
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;

use super::{LayerGradients, Layers};
use crate::Hidden;
use crate::operation::autodiff::tracked;

impl<B: LayerGradients, C: CheckpointStrategy> Layers for Autodiff<B, C> {
    fn euclidean_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let [q, r, values] = [queries, references, values].map(|tensor| tensor.into_primitive());
        Self::from_inner(B::euclidean_mean(q, r, values))
    }

    fn euclidean_row_mean(
        points: FloatTensor<Self>,
        values: FloatTensor<Self>,
        rows: Range<usize>,
        keeps_pairs: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let [points, values] = [points, values].map(|tensor| tensor.into_primitive());
        let (means, sums, pairs) = B::euclidean_row_mean(points, values, rows, keeps_pairs);
        (Self::from_inner(means), Self::from_inner(sums), Self::from_inner(pairs))
    }

    fn add_row_mean_gradient(
        so_far: FloatTensor<Self>,
        points: FloatTensor<Self>,
        values: FloatTensor<Self>,
        means: FloatTensor<Self>,
        sums: FloatTensor<Self>,
        pairs: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rows: Range<usize>,
    ) -> FloatTensor<Self> {
        let [so_far, z, v, means, sums, pairs, g] =
            [so_far, points, values, means, sums, pairs, gradient]
                .map(|tensor| tensor.into_primitive());
        Self::from_inner(B::add_row_mean_gradient(so_far, z, v, means, sums, pairs, g, rows))
    }

    fn with_gradient(
        value: FloatTensor<Self>,
        points: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [points.node()];
        let [value, gradient] = [value, gradient].map(|tensor| tensor.into_primitive());
        tracked::<B, C, _, 1>(nodes, value, gradient, |gradient, by| {
            [Some(B::scaled(gradient, by))]
        })
    }

    fn periodic(
        x: FloatTensor<Self>,
        frequencies: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), frequencies.node(), weight.node(), bias.node()];
        let [x, f, weight, bias] =
            [x, frequencies, weight, bias].map(|tensor| tensor.into_primitive());
        let output = B::periodic(x.clone(), f.clone(), weight.clone(), bias.clone());
        let kept = [x, f, weight, bias, output.clone()];
        tracked::<B, C, _, 4>(nodes, output, kept, |tensors, gradient| {
            B::periodic_gradients(tensors, gradient).map(Some)
        })
    }

    fn dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: Option<Hidden>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), weight.node(), bias.node()];
        let [x, weight, bias] = [x, weight, bias].map(|tensor| tensor.into_primitive());
        let output = B::dense(x.clone(), weight.clone(), bias, hidden.clone());
        // Which units were dropped is seen from the output.
        let hidden = hidden.map(|hidden| Hidden { dropped: Arc::default(), ..hidden });
        let kept = ([x, weight, output.clone()], hidden);
        tracked::<B, C, _, 3>(nodes, output, kept, |(tensors, hidden), gradient| {
            B::dense_gradients(tensors, gradient, hidden).map(Some)
        })
    }

    fn normalize(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let nodes = [x.node(), gamma.node(), beta.node()];
        let [x, gamma, beta] = [x, gamma, beta].map(|tensor| tensor.into_primitive());
        let (output, mean, variance) = B::normalize(x.clone(), gamma.clone(), beta, epsilon);
        let constants = [mean.clone(), variance.clone()].map(Self::from_inner);
        let kept = ([x, gamma, mean, variance], epsilon);
        let output = tracked::<B, C, _, 3>(nodes, output, kept, |(tensors, epsilon), gradient| {
            B::normalize_gradients(tensors, gradient, epsilon).map(Some)
        });
        let [mean, variance] = constants;
        (output, mean, variance)
    }
}
