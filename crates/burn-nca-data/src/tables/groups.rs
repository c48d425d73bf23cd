//! Splits and folds that keep groups of rows together: the visits of a patient, the frames of a film.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::folds::{check_number, into_splits};
use super::labeled::check_groups;
use super::split::check_share;
use super::{Split, rows_by_class};
use crate::{Error, Result};

/// Holds out whole groups, about a share of the rows of every class, at random but seeded.
///
/// Groups are shuffled, the largest go first, and each goes to the part that lacks most of its classes:
///
/// ```text
/// argmin_p Σ_c ((a_pc + g_c - s_p n_c)² - (a_pc - s_p n_c)²) / n_c
/// ```
/// with `a_pc` rows of class c in part p so far, `g_c` of the group, `n_c` in all, and the part's share `s_p`. Where
/// there is one class throughout (a numeric target) only the numbers of rows count.
///
/// # Errors
/// Not one group per row, a share outside 0..1, or fewer than two groups where a part is to be held out.
pub fn grouped_split(labels: &[usize], groups: &[usize], share: f64, seed: u64) -> Result<Split> {
    check_share(share)?;
    check_groups(groups, labels.len())?;
    let all = rows_by_class(groups);
    if share == 0.0 {
        return Ok(Split { train: (0..labels.len()).collect(), test: Vec::new() });
    }
    at_least(all.len(), 2)?;
    let part_of = deal(labels, all, &[1.0 - share, share], seed);
    let (test, train) = (0..labels.len()).partition(|&row| part_of[row] == 1);
    Ok(Split { train, test })
}

/// The folds of a cross-validation that holds out whole groups, about as many rows of every class in each.
///
/// # Errors
/// Not one group per row, fewer than two folds, or fewer groups than folds.
pub fn grouped_folds(
    labels: &[usize],
    groups: &[usize],
    folds: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    check_number(folds)?;
    check_groups(groups, labels.len())?;
    let all = rows_by_class(groups);
    at_least(all.len(), folds)?;
    Ok(into_splits(&deal(labels, all, &vec![1.0 / folds as f64; folds], seed), folds))
}

fn at_least(groups: usize, parts: usize) -> Result<()> {
    if groups >= parts {
        return Ok(());
    }
    Err(Error::data(format!(
        "there {} for {parts} parts, and no group is in two; give more groups, or ask for fewer parts",
        if groups == 1 { "is 1 group".to_string() } else { format!("are {groups} groups") }
    )))
}

fn deal(labels: &[usize], mut groups: Vec<Vec<usize>>, shares: &[f64], seed: u64) -> Vec<usize> {
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    // A stable sort: groups of one size stay shuffled.
    groups.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let count = |rows: &mut dyn Iterator<Item = usize>| {
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        rows.for_each(|row| *counts.entry(labels[row]).or_default() += 1.0);
        counts
    };
    let all = count(&mut (0..labels.len()));
    let mut held: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); shares.len()];
    let mut part_of = vec![0; labels.len()];
    for rows in groups {
        let group = count(&mut rows.iter().copied());
        let cost = |part: usize| -> f64 {
            let of_class = |(class, g): (&usize, &f64)| {
                let n = all[class];
                let lacking = held[part].get(class).unwrap_or(&0.0) - shares[part] * n;
                ((lacking + g).powi(2) - lacking.powi(2)) / n
            };
            group.iter().map(of_class).sum()
        };
        let costs: Vec<f64> = (0..shares.len()).map(cost).collect();
        let part = (0..shares.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
        group.into_iter().for_each(|(class, g)| *held[part].entry(class).or_default() += g);
        rows.into_iter().for_each(|row| part_of[row] = part);
    }
    part_of
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixty groups of one to four rows, each of one class.
    fn table() -> (Vec<usize>, Vec<usize>) {
        let sizes = (0..60).map(|group| (group, 1 + group % 4));
        sizes.flat_map(|(group, size)| vec![(usize::from(group % 5 == 0), group); size]).unzip()
    }

    #[test]
    fn no_group_stands_on_both_sides_and_classes_are_held_out_alike() {
        let (labels, groups) = table();
        let split = grouped_split(&labels, &groups, 0.3, 1).unwrap();
        assert_eq!(split.train.len() + split.test.len(), labels.len());
        assert!(split.train.iter().all(|&a| split.test.iter().all(|&b| groups[a] != groups[b])));
        for class in [0, 1] {
            let of = |rows: &[usize]| rows.iter().filter(|&&row| labels[row] == class).count();
            let share = of(&split.test) as f64 / (of(&split.test) + of(&split.train)) as f64;
            assert!((share - 0.3).abs() < 0.06, "class {class}: {share}");
        }
        assert_eq!(split, grouped_split(&labels, &groups, 0.3, 1).unwrap());
        assert_ne!(split, grouped_split(&labels, &groups, 0.3, 2).unwrap());
    }

    #[test]
    fn every_row_is_held_out_by_one_fold_with_its_group() {
        let (labels, groups) = table();
        let folds = grouped_folds(&labels, &groups, 5, 3).unwrap();
        let mut held_out: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        held_out.sort_unstable();
        assert_eq!(held_out, (0..labels.len()).collect::<Vec<_>>());
        for fold in &folds {
            assert!(fold.test.len().abs_diff(labels.len() / 5) <= 3, "{}", fold.test.len());
            assert!(fold.train.iter().all(|&a| fold.test.iter().all(|&b| groups[a] != groups[b])));
        }
    }
}
