//! The folds of a cross-validation.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{Labeled, Split, grouped_folds, rows_by_class};
use crate::{Error, Result, quoted};

/// The folds of a stratified cross-validation: every row is held out exactly once.
///
/// The rows of each class are shuffled and dealt to the folds in turn, each class continuing where the one
/// before it ended: the folds of a class differ by at most one row, and so do whole folds. The same seed gives
/// the same folds on every machine. Where the rows have groups, whole groups are held out ([`grouped_folds`]).
///
/// # Errors
/// Fewer than two folds, a class with fewer rows than folds (a fold would hold none of it out), or fewer groups than
/// folds.
pub fn stratified_folds(data: &Labeled, folds: usize, seed: u64) -> Result<Vec<Split>> {
    check(data, folds)?;
    if let Some(groups) = data.groups() {
        return grouped_folds(data.labels(), groups, folds, seed);
    }
    Ok(dealt(data.labels(), folds, seed))
}

/// The folds of a cross-validation over all rows alike (of numeric targets, of pairs): every row is held out
/// exactly once.
///
/// The rows are shuffled and dealt to the folds in turn. The same seed gives the same folds on every machine.
///
/// # Errors
/// Fewer than two folds, or fewer rows than folds.
pub fn random_folds(rows: usize, folds: usize, seed: u64) -> Result<Vec<Split>> {
    check_number(folds)?;
    if rows < folds {
        return Err(Error::data(format!(
            "there are {rows} rows for {folds} folds, and each fold holds one out; give more rows or fewer folds"
        )));
    }
    Ok(dealt(&vec![0; rows], folds, seed))
}

/// The folds of rows that are shuffled class by class, and dealt in turn.
fn dealt(labels: &[usize], folds: usize, seed: u64) -> Vec<Split> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut fold_of = vec![0; labels.len()];
    let mut classes = rows_by_class(labels);
    classes.iter_mut().for_each(|rows| rows.shuffle(&mut rng));
    classes.iter().flatten().enumerate().for_each(|(at, &row)| fold_of[row] = at % folds);
    into_splits(&fold_of, folds)
}

/// The folds of rows that are dealt out already.
pub(super) fn into_splits(fold_of: &[usize], folds: usize) -> Vec<Split> {
    let split = |fold| {
        let (test, train) = (0..fold_of.len()).partition(|&row| fold_of[row] == fold);
        Split { train, test }
    };
    (0..folds).map(split).collect()
}

pub(super) fn check_number(folds: usize) -> Result<()> {
    if folds < 2 {
        return Err(Error::setting(format!(
            "a cross-validation of {folds} folds; give 2 folds or more, such as 5"
        )));
    }
    Ok(())
}

fn check(data: &Labeled, folds: usize) -> Result<()> {
    check_number(folds)?;
    let counts = data.class_counts();
    let smallest =
        (0..counts.len()).filter(|class| counts[*class] > 0).min_by_key(|class| counts[*class]);
    match smallest {
        Some(class) if counts[class] < folds => {
            let cure = if counts[class] < 2 {
                "join it with another class, or leave it out".to_string()
            } else {
                format!("give {} folds or fewer, or join it with another class", counts[class])
            };
            Err(Error::data(format!(
                "the class {} has {} training row{}, too few for {folds} folds; {cure}",
                quoted(&data.class_names()[class]),
                counts[class],
                if counts[class] == 1 { "" } else { "s" }
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Features;

    #[test]
    fn every_row_is_held_out_once_and_every_fold_holds_out_each_class_alike() {
        let labels = [vec![0; 23], vec![1; 11], vec![2; 5]].concat();
        let features = Features::unnamed(vec![0.0; labels.len()], 1).unwrap();
        let data = Labeled::from_labels(features, labels).unwrap();
        let folds = stratified_folds(&data, 5, 3).unwrap();
        let mut held_out = vec![0; data.rows()];
        for fold in &folds {
            assert_eq!(fold.train.len() + fold.test.len(), data.rows());
            assert!(fold.train.iter().all(|row| !fold.test.contains(row)));
            fold.test.iter().for_each(|row| held_out[*row] += 1);
            let count =
                |class| fold.test.iter().filter(|row| data.labels()[**row] == class).count();
            assert!((4..=5).contains(&count(0)) && (2..=3).contains(&count(1)) && count(2) == 1);
            assert!((7..=8).contains(&fold.test.len()));
        }
        assert!(held_out.iter().all(|count| *count == 1));
        assert_eq!(folds, stratified_folds(&data, 5, 3).unwrap());
        assert_ne!(folds, stratified_folds(&data, 5, 4).unwrap());
    }
}
