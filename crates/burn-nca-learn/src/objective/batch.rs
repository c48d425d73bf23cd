//! What makes a loss of a batch of an objective over all rows: the batch is the data set.

use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor, assert_shape};
use burn_nca::internal::{assert_rows, at_least_f32, on_host, over};

use super::Objective;

/// The embedding of a batch in a type of at least 32 bits, and the classes of its rows on the host, counted from 0 without
/// gaps.
///
/// # Shapes
/// - embeddings: `[n, k]`
/// - labels: `[n]`, of any integer type
///
/// # Panics
/// If there is not one label per embedding row, or no row.
pub(super) fn of_batch(embeddings: Tensor<2>, labels: Tensor<1, Int>) -> (Tensor<2>, Vec<usize>) {
    let [n, _] = embeddings.dims();
    assert_rows("batch", n);
    assert_shape!(labels, [n]);
    let labels = on_host(labels);
    let mut known = labels.clone();
    known.sort_unstable();
    known.dedup();
    let classes = labels.iter().map(|label| known.partition_point(|other| other < label));
    (at_least_f32(embeddings), classes.collect())
}

/// The terms of a batch, as their sum or over the number of those that count, `[1]`; 0 where none does.
pub(super) fn reduced<O: Objective>(
    objective: &O,
    embedding: Tensor<2>,
    (batch, counted): (&O::Target, usize),
    reduction: &Reduction,
) -> Tensor<1> {
    // A value in which the embedding has no part has no graph, and a training loop asks for its gradient.
    let graph = constant(&embedding, 0.0);
    if counted == 0 {
        return graph;
    }
    let sum = graph + objective.total(embedding, batch);
    match reduction {
        Reduction::Sum => sum,
        Reduction::Mean | Reduction::Auto | Reduction::BatchMean => over(sum, counted as f64),
    }
}

/// A number with a gradient of 0 by the embedding, `[n, k]` to `[1]`.
pub(super) fn constant(embedding: &Tensor<2>, value: f64) -> Tensor<1> {
    embedding.clone().sum().mul_scalar(0.0).add_scalar(value)
}

/// What the tests of the losses of a batch share.
#[cfg(test)]
pub(super) mod testing {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use burn::tensor::Device;
    use burn_nca::MetricModel;
    use burn_nca::data::host_values;
    use burn_nca::fit::exact::{BlockConfig, value_and_gradient};
    use burn_nca::fit::parameters::flatten_gradients;
    use burn_nca::internal::panic_message;

    use super::*;
    pub(crate) use crate::baseline::fixture::assert_close;
    use crate::encoder::Encoder;
    pub(crate) use crate::neighbors::fixture::{d2, tensor, tensor_of};
    use crate::objective::ClassTarget;

    /// Numbers in -1..1 of which no two distances are equal: central differences need to stay off ties and kinks.
    pub fn scattered(n: usize) -> Vec<f64> {
        (0..n).map(|i| (1.7 * (i * i) as f64 + 0.3 * i as f64).sin()).collect()
    }

    /// Rows `[n, k]` of f64 as a leaf of a graph.
    pub fn leaf(z: &[f64], k: usize) -> Tensor<2> {
        tensor(z, k).autodiff().require_grad()
    }

    /// The target of rows of these classes.
    pub fn target(labels: &[usize]) -> ClassTarget {
        let labels: Vec<i32> = labels.iter().map(|&label| label as i32).collect();
        ClassTarget::of_labels(Tensor::from_ints(labels.as_slice(), &Device::flex()))
    }

    /// A value and its gradient by the rows.
    pub fn value_and_slope(
        loss: &dyn Fn(Tensor<2>) -> Tensor<1>,
        z: &[f64],
        k: usize,
    ) -> (f64, Vec<f64>) {
        let z = leaf(z, k);
        let value = loss(z.clone());
        let slope = z.grad(&value.backward()).unwrap();
        (value.into_scalar::<f64>(), host_values(slope))
    }

    /// Value and flat gradient of an objective through an encoder of rows, in blocks of so many of them.
    pub fn at_blocks<E: Encoder, O: Objective>(
        (encoder, x): (E, &Tensor<2>),
        (loss, target): (O, &O::Target),
        rows: usize,
    ) -> (f64, Vec<f64>) {
        let model = MetricModel::new(encoder, loss);
        let blocks = BlockConfig::new().with_rows(Some(rows));
        let at = value_and_gradient(&model, x, target, &blocks);
        (at.value, flatten_gradients(&model, &at.gradients))
    }

    /// Holds a value against that of loops, and its gradient against the central differences of the loops.
    pub fn assert_is(
        loss: &dyn Fn(Tensor<2>) -> Tensor<1>,
        loops: &dyn Fn(&[f64]) -> f64,
        (z, k): (&[f64], usize),
    ) {
        let (value, slope) = value_and_slope(loss, z, k);
        let expected = loops(z);
        assert!((value - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{value} {expected}");
        assert_slopes(&slope, loops, z, 1e-7);
    }

    /// Holds a gradient against the central differences of loops.
    pub fn assert_slopes(slope: &[f64], loops: &dyn Fn(&[f64]) -> f64, at: &[f64], tolerance: f64) {
        for (index, slope) in slope.iter().enumerate() {
            let moved = |step: f64| {
                let mut at = at.to_vec();
                at[index] += step;
                loops(&at)
            };
            let central = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            let error = (slope - central).abs();
            assert!(error < tolerance * (1.0 + central.abs()), "{slope} {central}");
        }
    }

    /// Holds the words with which a call panics against some that they have.
    pub fn assert_panics<T>(call: impl FnOnce() -> T, words: &str) {
        let panic = catch_unwind(AssertUnwindSafe(call)).err().expect("nothing is refused");
        let message = panic_message(&*panic);
        assert!(message.contains(words), "{message}");
    }

    /// Holds a value and its gradient against others.
    pub fn assert_both(found: &(f64, Vec<f64>), expected: &(f64, Vec<f64>), tolerance: f64) {
        assert_close(&[found.0], &[expected.0], tolerance);
        assert_close(&found.1, &expected.1, tolerance);
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::testing::assert_panics;
    use super::*;

    fn rows(n: usize) -> Tensor<2> {
        Tensor::zeros([n, 2], &Device::flex())
    }

    #[test]
    fn any_integers_will_do_as_labels() {
        let labels = Tensor::<1, Int>::from_ints([-7, 300, 300, 0], &Device::flex());
        assert_eq!(of_batch(rows(4), labels).1, [0, 2, 2, 1]);
    }

    #[test]
    fn one_label_per_row_and_a_row_are_asked_for() {
        let device = Device::flex();
        assert_panics(|| of_batch(rows(3), Tensor::from_ints([0, 1], &device)), "3");
        assert_panics(|| of_batch(rows(0), Tensor::zeros([0], &device)), "the batch has no row");
    }
}
