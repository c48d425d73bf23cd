//! Samples, and the batches that Burn's data loaders make of them.

use burn::data::dataloader::batcher::Batcher;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::objective::ClassTarget;

/// One row of a data set: its features, its class, and its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The number of the sample in its data set, from 0.
    pub id: usize,
    /// The features, d of them, row-major for an image.
    pub features: Vec<f32>,
    /// The class.
    pub label: usize,
}

/// A batch for a [`MetricModel`](crate::MetricModel): feature rows and their targets.
#[derive(Clone, Debug)]
pub struct SampleBatch<T = ClassTarget> {
    /// The feature rows, `[n, d]`.
    pub x: Tensor<2>,
    /// The targets of the rows.
    pub target: T,
}

/// Puts [`Sample`]s into a [`SampleBatch`].
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::data::dataloader::batcher::Batcher;
/// use burn::tensor::Device;
/// use burn_nca::train::{Sample, SampleBatcher};
///
/// let sample = |id| Sample { id, features: vec![id as f32, 1.0], label: id % 2 };
/// let batch = SampleBatcher.batch((0..3).map(sample).collect(), &Device::flex());
/// assert_eq!((batch.x.dims(), batch.target.labels.dims()), ([3, 2], [3]));
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SampleBatcher;

impl Batcher<Sample, SampleBatch> for SampleBatcher {
    /// # Panics
    /// If the samples have different numbers of features.
    fn batch(&self, items: Vec<Sample>, device: &Device) -> SampleBatch {
        let n = items.len();
        let d = items.first().map_or(0, |sample| sample.features.len());
        let mut x = Vec::with_capacity(n * d);
        for sample in &items {
            assert_eq!(
                sample.features.len(),
                d,
                "sample {} has {} features, the first of its batch {d}; give all the same number",
                sample.id,
                sample.features.len()
            );
            x.extend_from_slice(&sample.features);
        }
        let numbers = |number: fn(&Sample) -> usize| -> Tensor<1, Int> {
            let values: Vec<i32> = items.iter().map(|sample| number(sample) as i32).collect();
            Tensor::from_data(TensorData::new(values, [n]), device)
        };
        let target = ClassTarget {
            labels: numbers(|sample| sample.label),
            ids: numbers(|sample| sample.id),
        };
        SampleBatch { x: Tensor::from_data(TensorData::new(x, [n, d]), device), target }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn samples_of_other_sizes_are_refused_with_the_cure() {
        let batch = |sizes: [usize; 2]| {
            let sample = |(id, d)| Sample { id, features: vec![1.0; d], label: 0 };
            let items = sizes.into_iter().enumerate().map(sample).collect();
            catch_unwind(|| SampleBatcher.batch(items, &Device::flex()).x.dims())
        };
        let panic = batch([2, 3]).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.contains("sample 1 has 3 features"), "{text}");
        assert!(text.contains("; give all the same number"), "{text}");
        assert_eq!(batch([3, 3]).unwrap(), [2, 3]);
    }
}
