//! A data loader of class-balanced batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use burn::config::Config;
use burn::data::dataloader::batcher::Batcher;
use burn::data::dataloader::{DataLoader, DataLoaderIterator, Progress};
use burn::data::dataset::{Dataset, DatasetError};
use burn::tensor::Device;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{ClassBalancedSampler, Sample};
use crate::error::{Error, Result};

/// The settings of a [`ClassBalancedLoader`].
#[derive(Config, Debug)]
pub struct ClassBalancedLoaderConfig {
    /// Classes of a batch, m; all where there are fewer.
    pub classes_per_batch: usize,
    /// Samples of each class of a batch, s.
    pub samples_per_class: usize,
    /// The seed of the order.
    #[config(default = 0)]
    pub seed: u64,
    /// The first epoch, counted from 0: give the epochs done when a training is resumed, and the order continues
    /// as if it had not been interrupted.
    #[config(default = 0)]
    pub first_epoch: usize,
}

impl ClassBalancedLoaderConfig {
    /// A loader of these samples, which reads each of them once for its class.
    ///
    /// # Errors
    /// No sample, one that cannot be read, or a batch of nothing.
    pub fn build<O, D, B>(&self, dataset: D, batcher: B) -> Result<Arc<ClassBalancedLoader<O>>>
    where
        D: Dataset<Sample> + 'static,
        B: Batcher<Sample, O> + 'static,
    {
        let unreadable =
            |row: usize, error: DatasetError| Error::data(format!("sample {row}: {error}"));
        let labels = (0..dataset.len())
            .map(|row| dataset.get(row).map_err(|error| unreadable(row, error)))
            .map(|sample| sample.map(|sample| sample.label))
            .collect::<Result<Vec<usize>>>()?;
        // A slice of the order is a device's share of the data; shuffled, it has all classes.
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let source = Source {
            dataset: Box::new(dataset),
            labels,
            batcher: Box::new(batcher),
            config: self.clone(),
        };
        Source::loader(Arc::new(source), order, None, self.first_epoch).map(Arc::new)
    }
}

/// Where samples come from and how they become batches.
struct Source<O> {
    dataset: Box<dyn Dataset<Sample>>,
    labels: Vec<usize>,
    batcher: Box<dyn Batcher<Sample, O>>,
    config: ClassBalancedLoaderConfig,
}

impl<O> Source<O> {
    fn loader(
        self: Arc<Self>,
        order: Vec<usize>,
        device: Option<Device>,
        epoch: usize,
    ) -> Result<ClassBalancedLoader<O>> {
        let labels: Vec<usize> = order.iter().map(|&row| self.labels[row]).collect();
        let ClassBalancedLoaderConfig { classes_per_batch, samples_per_class, seed, .. } =
            self.config;
        let sampler =
            ClassBalancedSampler::new(&labels, classes_per_batch, samples_per_class, seed)?;
        Ok(ClassBalancedLoader {
            source: self,
            sampler,
            order,
            device,
            epoch: AtomicUsize::new(epoch),
        })
    }
}

/// A Burn data loader whose batches are balanced between classes ([`ClassBalancedSampler`]).
///
/// Each iteration is the next epoch. The progress of an epoch counts its samples; where some are repeated, it
/// continues by shares.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::data::dataloader::DataLoader;
/// use burn::data::dataset::InMemDataset;
/// use burn_nca::train::{ClassBalancedLoaderConfig, Sample, SampleBatcher};
///
/// let sample = |id| Sample { id, features: vec![id as f32], label: id / 10 };
/// let data = InMemDataset::new((0..30).map(sample).collect());
/// let loader = ClassBalancedLoaderConfig::new(3, 5).build(data, SampleBatcher)?;
/// assert_eq!(loader.iter().count(), 2); // 2 batches of 3 classes with 5 samples each
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
pub struct ClassBalancedLoader<O> {
    source: Arc<Source<O>>,
    sampler: ClassBalancedSampler,
    /// The samples of this loader; the sampler's rows are places in it.
    order: Vec<usize>,
    /// Burn's default one until a training says which.
    device: Option<Device>,
    epoch: AtomicUsize,
}

impl<O> ClassBalancedLoader<O> {
    /// Number of batches of an epoch, the same for all epochs.
    pub fn batches_per_epoch(&self) -> usize {
        self.sampler.epoch(0).len()
    }
}

impl<O: Send + 'static> DataLoader<O> for ClassBalancedLoader<O> {
    fn iter<'a>(&'a self) -> Box<dyn DataLoaderIterator<O> + 'a> {
        let epoch = self.epoch.fetch_add(1, Ordering::Relaxed);
        Box::new(Epoch { loader: self, batches: self.sampler.epoch(epoch), done: 0 })
    }

    fn num_items(&self) -> usize {
        self.order.len()
    }

    fn to_device(&self, device: &Device) -> Arc<dyn DataLoader<O>> {
        let epoch = self.epoch.load(Ordering::Relaxed);
        Arc::new(Self {
            source: self.source.clone(),
            sampler: self.sampler.clone(),
            order: self.order.clone(),
            device: Some(device.clone()),
            epoch: AtomicUsize::new(epoch),
        })
    }

    /// # Panics
    /// If the slice holds no sample.
    fn slice(&self, start: usize, end: usize) -> Arc<dyn DataLoader<O>> {
        let epoch = self.epoch.load(Ordering::Relaxed);
        let order = self.order[start..end].to_vec();
        let part = self.source.clone().loader(order, self.device.clone(), epoch);
        Arc::new(part.unwrap_or_else(|error| panic!("samples {start} to {end}: {error}")))
    }
}

struct Epoch<'a, O> {
    loader: &'a ClassBalancedLoader<O>,
    batches: Vec<Vec<usize>>,
    done: usize,
}

impl<O: Send + 'static> Iterator for Epoch<'_, O> {
    type Item = core::result::Result<O, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let places = self.batches.get(self.done)?;
        let ClassBalancedLoader { source, order, device, .. } = self.loader;
        let rows = places.iter().map(|&place| order[place]).collect();
        self.done += 1;
        let device = device.clone().unwrap_or_default();
        Some(source.dataset.get_many(rows).map(|items| source.batcher.batch(items, &device)))
    }
}

impl<O: Send + 'static> DataLoaderIterator<O> for Epoch<'_, O> {
    fn progress(&self) -> Progress {
        let items = self.loader.order.len();
        let processed = items * self.done / self.batches.len();
        Progress::new(processed, items, Some("items".to_string()))
    }
}
