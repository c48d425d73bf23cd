//! Any Burn dataset as one of samples.

use core::marker::PhantomData;

use burn::data::dataset::{Dataset, DatasetError, InMemDataset};

use super::Sample;
use crate::data::Labeled;

/// Any Burn dataset as one of [`Sample`]s: a function gives the features and the class of an item.
///
/// The number of a sample is its index.
///
/// # Examples
/// ```
/// use burn::data::dataset::{Dataset, InMemDataset};
/// use burn_nca::train::SampleDataset;
///
/// let words = InMemDataset::new(vec!["ant", "bee", "aphid"]);
/// let samples = SampleDataset::new(words, |word: &str| {
///     (vec![word.len() as f32], usize::from(word.starts_with('b')))
/// });
/// let second = samples.get(1)?;
/// assert_eq!((second.id, second.features, second.label), (1, vec![3.0], 1));
/// # Ok::<(), burn::data::dataset::DatasetError>(())
/// ```
pub struct SampleDataset<D, I, F> {
    items: D,
    read: F,
    item: PhantomData<fn(I)>,
}

impl<D, I, F> SampleDataset<D, I, F>
where
    D: Dataset<I>,
    F: Fn(I) -> (Vec<f32>, usize) + Send + Sync,
{
    /// The samples that `read` makes of the items.
    pub fn new(items: D, read: F) -> Self {
        Self { items, read, item: PhantomData }
    }
}

impl<D, I, F> Dataset<Sample> for SampleDataset<D, I, F>
where
    D: Dataset<I>,
    F: Fn(I) -> (Vec<f32>, usize) + Send + Sync,
{
    fn get(&self, index: usize) -> Result<Sample, DatasetError> {
        let (features, label) = (self.read)(self.items.get(index)?);
        Ok(Sample { id: index, features, label })
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

/// The rows of a labeled table as a Burn dataset.
pub fn samples(data: &Labeled) -> InMemDataset<Sample> {
    let sample = |id: usize| {
        let columns = 0..data.features().columns();
        let features = columns.map(|at| data.features().value(id, at) as f32).collect();
        Sample { id, features, label: data.labels()[id] }
    };
    InMemDataset::new((0..data.rows()).map(sample).collect())
}
