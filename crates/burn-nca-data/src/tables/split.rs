//! Rows kept for training and rows held out.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::{Error, Result};

/// Rows kept for training and rows held out, as indices into the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to learn from, ascending.
    pub train: Vec<usize>,
    /// Rows held out, ascending.
    pub test: Vec<usize>,
}

/// Holds out a share of every class, at random but seeded.
///
/// Each class gives `round(share * members)` rows to the test part, but keeps at least one row in the
/// training part, and two where it can (a class with a single training row has no same-class neighbor).
/// The same seed gives the same split on every machine.
///
/// # Errors
/// A share outside 0..1.
pub fn stratified_split(labels: &[usize], share: f64, seed: u64) -> Result<Split> {
    check_share(share)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut split = Split { train: Vec::new(), test: Vec::new() };
    for mut rows in rows_by_class(labels) {
        rows.shuffle(&mut rng);
        let wanted = (share * rows.len() as f64).round() as usize;
        let held_out = wanted.min(rows.len().saturating_sub(2));
        split.test.extend_from_slice(&rows[..held_out]);
        split.train.extend_from_slice(&rows[held_out..]);
    }
    split.train.sort_unstable();
    split.test.sort_unstable();
    Ok(split)
}

/// Holds out a share of all rows, at random but seeded: for numeric targets and pairs.
///
/// `round(share * rows)` rows are held out, but at least two stay. The same seed gives the same split on
/// every machine.
///
/// # Errors
/// A share outside 0..1.
pub fn random_split(rows: usize, share: f64, seed: u64) -> Result<Split> {
    stratified_split(&vec![0; rows], share, seed)
}

/// The rows of each class that has rows, classes and rows ascending.
#[doc(hidden)]
pub fn rows_by_class(labels: &[usize]) -> Vec<Vec<usize>> {
    let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (row, &label) in labels.iter().enumerate() {
        classes.entry(label).or_default().push(row);
    }
    classes.into_values().collect()
}

pub(super) fn check_share(share: f64) -> Result<()> {
    if (0.0..1.0).contains(&share) {
        return Ok(());
    }
    Err(Error::setting(format!(
        "the held-out share is {share}; give a number from 0 to below 1, such as 0.3"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_held_out_in_proportion_and_small_classes_keep_a_pair() {
        let labels: Vec<usize> = [vec![0; 20], vec![1; 10], vec![2; 3], vec![3; 1]].concat();
        let split = stratified_split(&labels, 0.3, 1).unwrap();
        let count = |class| split.test.iter().filter(|row| labels[**row] == class).count();
        assert_eq!([count(0), count(1), count(2), count(3)], [6, 3, 1, 0]);
        assert_eq!(split.train.len() + split.test.len(), labels.len());
        assert_eq!(split, stratified_split(&labels, 0.3, 1).unwrap());
        assert_ne!(split, stratified_split(&labels, 0.3, 2).unwrap());
    }

    #[test]
    fn a_random_split_holds_out_its_share_and_keeps_a_pair() {
        let split = random_split(20, 0.25, 3).unwrap();
        assert_eq!((split.train.len(), split.test.len()), (15, 5));
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
        assert_eq!(split, random_split(20, 0.25, 3).unwrap());
        assert_ne!(split, random_split(20, 0.25, 4).unwrap());
        assert_eq!(random_split(3, 0.9, 0).unwrap().train.len(), 2);
    }
}
