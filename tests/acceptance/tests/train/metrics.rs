//! The metrics of a batch are those of `evaluate`.

use burn::tensor::{Device, Int, Tensor};
use burn::train::metric::{Metric, MetricMetadata, Numeric};
use burn_nca_learn::evaluate::{Embedded, leave_one_out_accuracy, perplexities};
use burn_nca_learn::objective::ClassTarget;
use burn_nca_learn::train::metric::{
    EmbeddingSpread, LeaveOneOutAccuracy, NeighborPerplexity, ReferenceAccuracy,
    RowsWithoutPositive, SoftAccuracy,
};
use burn_nca_learn::train::{LabeledEmbedding, ReferencedEmbedding};

fn line(points: &[f32], labels: &[i32]) -> LabeledEmbedding {
    let device = Device::flex();
    let labels = Tensor::<1, Int>::from_ints(labels, &device);
    let points = Tensor::<1>::from_floats(points, &device).unsqueeze_dim(1);
    LabeledEmbedding { points, target: ClassTarget::of_labels(labels) }
}

fn metadata() -> MetricMetadata {
    let progress = burn::data::dataloader::Progress::new(1, 1, None);
    MetricMetadata { progress, iteration: None, lr: None }
}

/// The mean over batches.
fn assert_mean<M: Metric + Numeric>(mut metric: M, batches: &[M::Input], expected: f64) {
    for batch in batches {
        metric.update(batch, &metadata()).unwrap();
    }
    metric.compute().unwrap();
    let found = metric.final_value().current();
    assert!((found - expected).abs() < 1e-10, "{}: {found} is not {expected}", metric.name());
}

#[test]
fn metrics_are_means_over_rows_and_not_over_batches() {
    // Right: 0, 1; wrong: 1.5 (its nearest is 1); right: 10, 11.
    let first = line(&[0.0, 1.0, 1.5, 10.0, 11.0], &[0, 0, 1, 1, 1]);
    let embedded = Embedded::new(&first.points, &[0, 0, 1, 1, 1]);
    assert_eq!(leave_one_out_accuracy(embedded, 1).unwrap().value(), Some(0.6));
    let second = line(&[0.0, 1.0], &[0, 1]);
    let share = 100.0 * 3.0 / 7.0;
    assert_mean(LeaveOneOutAccuracy::new(1), &[first, second], share);
    assert_mean(RowsWithoutPositive::new(), &[line(&[0.0, 1.0, 2.0, 3.0], &[0, 5, 0, 2])], 50.0);

    let batch = line(&[0.0, 0.5, 2.0, 2.25], &[0, 0, 1, 0]);
    let p = |d: f64| (-d * d).exp();
    let rows = [
        (p(0.5) + p(2.25), p(0.5) + p(2.0) + p(2.25)),
        (p(0.5) + p(1.75), p(0.5) + p(1.5) + p(1.75)),
        (0.0, 1.0),
        (p(2.25) + p(1.75), p(2.25) + p(1.75) + p(0.25)),
    ];
    let share = 100.0 * rows.iter().map(|(same, all)| same / all).sum::<f64>() / 4.0;
    assert_mean(SoftAccuracy::new(), std::slice::from_ref(&batch), share);
    let mean = perplexities(&batch.points).unwrap().iter().sum::<f64>() / 4.0;
    assert_mean(NeighborPerplexity::new(), &[batch.points], mean);
}

#[test]
fn the_reference_set_classifies_the_batch() {
    let batch = |references| ReferencedEmbedding {
        queries: line(&[-1.0, 12.0, 1.6], &[0, 1, 0]),
        references,
    };
    let references = line(&[0.0, 1.0, 1.5, 10.0, 11.0], &[0, 0, 1, 1, 1]);
    let mut metric = ReferenceAccuracy::new(1);
    assert!(metric.update(&batch(None), &metadata()).unwrap().is_not_available());
    assert!(metric.value().is_none() && metric.running_value().is_none());
    assert_mean(metric, &[batch(Some(references))], 200.0 / 3.0);
}

#[test]
fn a_collapse_is_told_and_a_healthy_embedding_is_not_accused() {
    let device = Device::flex();
    let entry =
        |points: Tensor<2>| EmbeddingSpread::new().update(&points, &metadata()).unwrap().formatted;
    let square = Tensor::from_floats([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]], &device);
    let healthy = entry(square.clone());
    assert!(healthy.contains("effective rank 2.0 of 2"), "{healthy}");
    assert!(!healthy.contains("WARNING"), "{healthy}");
    assert!(entry(square.clone().mul_scalar(1e-3)).contains("collapsed to a point"));
    let flat = Tensor::from_floats([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], &device);
    assert!(entry(flat).contains("collapsed to a line"));
    assert!(entry(square.mul_scalar(0.0)).contains("all rows equal"));
}

#[test]
fn what_has_no_value_says_so() {
    let mut metric = LeaveOneOutAccuracy::new(3);
    let small = metric.update(&line(&[0.0, 1.0], &[0, 1]), &metadata()).unwrap();
    assert!(small.is_not_available());
    let broken = line(&[0.0, f32::NAN, 1.0, 2.0, 3.0], &[0, 1, 0, 1, 0]);
    let entry = metric.update(&broken, &metadata()).unwrap();
    assert!(entry.is_not_available() && entry.formatted.contains("NaN"), "{}", entry.formatted);
    assert!(metric.compute().unwrap().is_not_available());
    assert_eq!(LeaveOneOutAccuracy::new(3).name().as_str(), "Leave-one-out 3-NN accuracy");
}
