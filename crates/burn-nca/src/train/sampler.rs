//! The order of class-balanced batches.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::data::rows_by_class;
use crate::error::{Error, Result};

/// Batches of m classes with s samples each, in epochs that visit every sample.
///
/// In each epoch the samples of every class are shuffled and cut into groups of s; a batch is m groups of
/// different classes.
///
/// - Every sample is in at least one batch of the epoch, and in no batch twice.
/// - A class's last group is filled up with samples of the class that came before; a class of fewer than s
///   samples comes as it is.
/// - A batch takes the classes that have most groups left. Where fewer than m classes have any, classes come
///   again from their start, so that each batch holds m classes (all, if there are fewer than m). Large classes
///   therefore decide the number of batches, and small ones are repeated.
///
/// Seed and epoch alone decide the order.
///
/// # Examples
/// ```
/// use burn_nca::train::ClassBalancedSampler;
///
/// let labels = [0, 0, 0, 0, 1, 1, 2];
/// let sampler = ClassBalancedSampler::new(&labels, 2, 2, 7)?;
/// let batches = sampler.epoch(0);
/// assert!(batches.iter().all(|rows| rows.len() == 3 || rows.len() == 4));
/// assert!((0..labels.len()).all(|row| batches.iter().any(|rows| rows.contains(&row))));
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClassBalancedSampler {
    /// The rows of each class that has any.
    classes: Vec<Vec<usize>>,
    classes_per_batch: usize,
    samples_per_class: usize,
    seed: u64,
}

impl ClassBalancedSampler {
    /// A sampler of `classes_per_batch` (m) times `samples_per_class` (s) rows.
    ///
    /// # Errors
    /// No row, or m or s of 0.
    pub fn new(
        labels: &[usize],
        classes_per_batch: usize,
        samples_per_class: usize,
        seed: u64,
    ) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::data("there is no labeled row to draw batches from; give some"));
        }
        if classes_per_batch == 0 || samples_per_class == 0 {
            return Err(Error::setting(format!(
                "a batch of {classes_per_batch} classes with {samples_per_class} samples each is empty; \
                 give at least 1 of both (2 samples make a pair)"
            )));
        }
        let classes = rows_by_class(labels);
        Ok(Self { classes, classes_per_batch, samples_per_class, seed })
    }

    /// The rows of each batch of an epoch.
    pub fn epoch(&self, epoch: usize) -> Vec<Vec<usize>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(epoch as u64 + 1);
        let groups: Vec<Vec<Vec<usize>>> =
            self.classes.iter().map(|rows| self.groups(rows, &mut rng)).collect();
        let mut taken = vec![0; groups.len()];
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let mut batches = Vec::new();
        while (0..groups.len()).any(|class| taken[class] < groups[class].len()) {
            // Equal claims are settled by lot for each batch.
            order.shuffle(&mut rng);
            let left = |class: usize| groups[class].len().saturating_sub(taken[class]);
            order.sort_by_key(|&class| core::cmp::Reverse(left(class)));
            let mut batch = Vec::new();
            for &class in order.iter().take(self.classes_per_batch) {
                let own = &groups[class];
                batch.extend_from_slice(&own[taken[class] % own.len()]);
                taken[class] += 1;
            }
            batches.push(batch);
        }
        batches
    }

    /// The rows of a class in shuffled groups of s distinct ones.
    fn groups(&self, rows: &[usize], rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
        let size = self.samples_per_class.min(rows.len());
        let mut rows = rows.to_vec();
        rows.shuffle(rng);
        let mut groups: Vec<Vec<usize>> = rows.chunks(size).map(<[usize]>::to_vec).collect();
        if let Some(last) = groups.last_mut() {
            let missing = size - last.len();
            last.extend_from_slice(&rows[..missing]);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_epoch_visits_every_row_in_batches_of_distinct_rows(
            labels in prop::collection::vec(0usize..7, 1..90),
            m in 1usize..6,
            s in 1usize..5,
            epoch in 0usize..3,
        ) {
            let sampler = ClassBalancedSampler::new(&labels, m, s, 3).unwrap();
            let batches = sampler.epoch(epoch);
            let counts = |class: usize| labels.iter().filter(|&&label| label == class).count();
            let present = (0..7).filter(|&class| counts(class) > 0).count();
            let mut seen = BTreeSet::new();
            for batch in &batches {
                let rows: BTreeSet<usize> = batch.iter().copied().collect();
                prop_assert_eq!(rows.len(), batch.len());
                let classes: BTreeSet<usize> = batch.iter().map(|&row| labels[row]).collect();
                prop_assert_eq!(classes.len(), m.min(present));
                for &class in &classes {
                    let rows = batch.iter().filter(|&&row| labels[row] == class).count();
                    prop_assert_eq!(rows, s.min(counts(class)));
                }
                seen.extend(rows);
            }
            prop_assert_eq!(seen.len(), labels.len());
        }
    }

    #[test]
    fn equal_classes_are_visited_exactly_once() {
        let labels: Vec<usize> = (0..40).map(|row| row % 4).collect();
        let sampler = ClassBalancedSampler::new(&labels, 2, 5, 1).unwrap();
        let batches = sampler.epoch(0);
        assert_eq!(batches.len(), 4);
        let mut rows: Vec<usize> = batches.concat();
        rows.sort_unstable();
        assert_eq!(rows, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn empty_batches_are_refused_with_both_numbers_and_the_cure() {
        let of = |labels: &[usize], classes, samples| {
            ClassBalancedSampler::new(labels, classes, samples, 0)
                .map_err(|error| error.to_string())
        };
        let error = of(&[0, 1], 2, 0).unwrap_err();
        assert!(error.contains("2 classes with 0 samples each"), "{error}");
        assert!(error.ends_with("; give at least 1 of both (2 samples make a pair)"), "{error}");
        assert!(of(&[], 1, 1).unwrap_err().ends_with("; give some"));
        assert!(of(&[0, 1], 1, 1).is_ok());
    }
}
