//! Pairs of faces as a dataset of Burn.

use burn::data::dataset::{Dataset, DatasetError};

use super::pairs::{FacePair, FacePairs};

/// The first [`epoch_len`](FacePairs::epoch_len) pairs, each rendered when it is asked for.
impl Dataset<FacePair> for FacePairs {
    fn get(&self, index: usize) -> Result<FacePair, DatasetError> {
        assert!(index < self.epoch_len(), "pair {index} of {}", self.epoch_len());
        Ok(self.pair(index as u64))
    }

    fn len(&self) -> usize {
        self.epoch_len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::faces::{PoseOptions, synthetic_faces};

    #[test]
    fn a_loader_finds_the_pairs_by_number() {
        let bank = Arc::new(synthetic_faces(5, 2, 0).unwrap());
        let pairs = FacePairs::new(bank, PoseOptions::default(), 0).unwrap().with_epoch_len(30);
        let dataset: &dyn Dataset<FacePair> = &pairs;
        assert_eq!(dataset.len(), 30);
        assert_eq!(dataset.get(17).unwrap(), pairs.pair(17));
    }
}
