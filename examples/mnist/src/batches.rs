//! The batches of an epoch, assembled on a thread of their own while the one before is learned from.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use burn::tensor::{Device, Int, Tensor, TensorData};
use burn_nca_learn::objective::ClassTarget;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::augment::distorted;
use crate::digits::{Centering, Digits, PIXELS};
use crate::recipe::Recipe;

/// Batches that wait to be learned from.
const AHEAD: usize = 2;

/// Digits to learn from together.
pub struct Batch {
    /// Row-major `[n, 784]`.
    pub features: Vec<f32>,
    /// The class of each.
    pub labels: Vec<usize>,
}

impl Batch {
    /// The features `[n, 784]` and classes `[n]` on a device, without gradients.
    pub fn tensors(&self, device: &Device) -> (Tensor<2>, ClassTarget) {
        let device = device.clone().inner();
        let shape = [self.labels.len(), PIXELS];
        let features = TensorData::new(self.features.clone(), shape);
        let labels: Vec<i32> = self.labels.iter().map(|&label| label as i32).collect();
        let shape = [labels.len()];
        let labels = Tensor::<1, Int>::from_data(TensorData::new(labels, shape), &device);
        (Tensor::from_data(features, &device), ClassTarget::of_labels(labels))
    }
}

/// Where batches come from.
#[derive(Clone)]
pub struct Source<'a> {
    digits: &'a Digits,
    centering: &'a Centering,
    recipe: &'a Recipe,
}

impl<'a> Source<'a> {
    /// Batches of these digits.
    pub fn new(digits: &'a Digits, centering: &'a Centering, recipe: &'a Recipe) -> Self {
        Self { digits, centering, recipe }
    }

    /// Batches in an epoch.
    pub fn batches(&self) -> usize {
        let share = self.digits.len() as f64 / self.recipe.batch_size as f64;
        (share.round() as usize).max(1)
    }

    /// Sends the batches of epoch `epoch` from number `first` on, until all are sent or the receiver is gone.
    pub fn send<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        epoch: usize,
        first: usize,
    ) -> Receiver<Batch> {
        let (sender, receiver) = sync_channel(AHEAD);
        scope.spawn(move || self.assemble(epoch, first, &sender));
        receiver
    }

    fn assemble(&self, epoch: usize, first: usize, sender: &SyncSender<Batch>) {
        let order = self.order(epoch);
        for batch in first..self.batches() {
            let rows = &order[self.span(batch)];
            if sender.send(self.batch(epoch, rows)).is_err() {
                return;
            }
        }
    }

    /// Batches of nearly equal size: a small last one would have few neighbors.
    fn span(&self, batch: usize) -> Range<usize> {
        let (n, count) = (self.digits.len(), self.batches());
        batch * n / count..(batch + 1) * n / count
    }

    /// All digits in an order that depends on seed and epoch alone, so that a run can continue anywhere.
    fn order(&self, epoch: usize) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.recipe.seed);
        rng.set_stream(epoch as u64 + 1);
        let mut rows: Vec<usize> = (0..self.digits.len()).collect();
        rows.shuffle(&mut rng);
        rows
    }

    fn batch(&self, epoch: usize, rows: &[usize]) -> Batch {
        let mut features = Vec::with_capacity(rows.len() * PIXELS);
        for &row in rows {
            // One stream a digit and epoch: its distortion depends on nothing else.
            let mut rng = ChaCha8Rng::seed_from_u64(self.recipe.seed ^ 0x5eed_d161_7515_0000);
            rng.set_stream((epoch * self.digits.len() + row) as u64);
            let image = distorted(self.digits.image(row), self.recipe.augment, &mut rng);
            self.centering.push(image.into_iter(), &mut features);
        }
        let labels = rows.iter().map(|&row| self.digits.labels()[row]).collect();
        Batch { features, labels }
    }
}
