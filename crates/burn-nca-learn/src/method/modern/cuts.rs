//! The rows that the members learn from, and those that stop them: the cuts of a cross-validation.

use crate::data::{AnyData, Split, TrainingData};
use crate::error::{Error, Result};

/// Members where no number is asked for: ten, which learn from nine tenths of the rows each, or five.
///
/// Chosen on eight tables of KEEL, eight of UCI and cpu_act.
pub(super) const MEMBERS: usize = 10;
const FEWER_MEMBERS: usize = 5;

/// More rows than these are many: a fit of them takes minutes.
pub(super) const MANY_ROWS: usize = 10_000;

/// The cuts of so many members, as many as the rows suit where that is 0; a single one is stopped by a fifth of the rows. All
/// members learn from classes of fewer rows than members.
pub(super) fn cuts<D: TrainingData>(data: &D, members: usize, seed: u64) -> Result<Vec<Split>> {
    match members {
        0 => {
            let ten = suits_ten(data).then(|| each_held_out(data, MEMBERS, seed));
            // There may be fewer groups.
            let ten = ten.and_then(Result::ok);
            ten.map_or_else(|| each_held_out(data, FEWER_MEMBERS, seed), Ok)
        }
        1 => Ok(vec![data.split(0.2, seed)?]),
        _ => each_held_out(data, members, seed),
    }
}

/// Whether rows are few enough, and most of classes that each of ten members can hold a row out of.
fn suits_ten<D: TrainingData>(data: &D) -> bool {
    let rows = data.features().rows();
    let of_small = match data.as_any_data() {
        AnyData::Classes(labeled) => {
            labeled.class_counts().into_iter().filter(|&count| count < MEMBERS).sum()
        }
        _ => 0,
    };
    rows <= MANY_ROWS && 10 * of_small <= rows
}

/// The cuts of two members or more.
fn each_held_out<D: TrainingData>(data: &D, members: usize, seed: u64) -> Result<Vec<Split>> {
    let (mut rows, mut small): (Vec<usize>, Vec<usize>) = ((0..data.units()).collect(), Vec::new());
    if let AnyData::Classes(labeled) = data.as_any_data() {
        let counts = labeled.class_counts();
        let most = counts.iter().max().copied().unwrap_or_default();
        if most < members {
            return Err(Error::setting(format!(
                "the largest class has {most} rows, and each of {members} members holds one out; give {most} \
                 members or fewer"
            )));
        }
        (rows, small) = rows.iter().partition(|&&row| counts[labeled.labels()[row]] >= members);
    }
    if small.is_empty() {
        return data.folds(members, seed);
    }
    let of_table = |part: Vec<usize>| part.into_iter().map(|row| rows[row]).collect::<Vec<_>>();
    let folds = data.part(&rows)?.folds(members, seed)?.into_iter();
    let cuts = folds.map(|Split { train, test }| {
        let mut train = of_table(train);
        train.extend(&small);
        train.sort_unstable();
        Split { train, test: of_table(test) }
    });
    Ok(cuts.collect())
}

/// The member that did not learn from each of so many rows; `None` for rows that all learned from.
pub(super) fn held_out(cuts: &[Split], rows: usize) -> Vec<Option<usize>> {
    let mut held_out = vec![None; rows];
    for (number, Split { test, .. }) in cuts.iter().enumerate() {
        test.iter().for_each(|&row| held_out[row] = Some(number));
    }
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Features, Labeled};

    #[test]
    fn small_classes_are_held_out_of_no_member() {
        let features = Features::unnamed((0..23).map(f64::from).collect(), 1).unwrap();
        let labels = (0..23).map(|row| if row % 8 == 0 { 2 } else { row % 2 }).collect();
        let data = Labeled::from_labels(features, labels).unwrap();
        let cuts = cuts(&data, 5, 7).unwrap();
        let mut held_out: Vec<usize> = cuts.iter().flat_map(|cut| cut.test.clone()).collect();
        held_out.sort_unstable();
        let large: Vec<usize> = (0..23).filter(|row| row % 8 != 0).collect();
        assert_eq!(held_out, large);
        for Split { train, test } in cuts {
            assert!([0, 8, 16].iter().all(|row| train.contains(row)));
            assert_eq!(train.len() + test.len(), 23);
        }
        let error = super::cuts(&data.select(&[0, 1, 2, 8]), 5, 7).unwrap_err().to_string();
        assert!(error.contains("give 2 members or fewer"), "{error}");
        let count = |rows: &[usize], asked| {
            super::cuts(&data.select(rows), asked, 7).map(|cuts| cuts.len())
        };
        assert_eq!(count(&[0, 1, 2, 3, 8], 2).unwrap(), 2);
        // Too many rows of classes that ten members cannot cut; and none of them.
        let rows: Vec<usize> = (0..23).collect();
        assert_eq!(count(&rows, 0).unwrap(), 5);
        let of_one: Vec<usize> = (1..23).step_by(2).collect();
        assert_eq!(count(&of_one, 0).unwrap(), 10);
        assert!(count(&rows[..6], 0).is_err());
    }
}
