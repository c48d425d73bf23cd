//! The accuracy of k nearest neighbors in an embedding.

use burn::tensor::Tensor;

use super::Accuracy;
use crate::error::{Error, Result};
use crate::neighbors::{Exclude, NearestConfig, Neighbors, majority_vote, nearest};

/// An embedding `[n, k]` and the class of each of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Embedded<'a> {
    /// The embedding, `[n, k]`.
    pub points: &'a Tensor<2>,
    /// The class of each row, counted from 0.
    pub labels: &'a [usize],
    /// The group of each row, where there are groups: rows of one group say nothing about each other.
    pub groups: Option<&'a [usize]>,
}

impl<'a> Embedded<'a> {
    /// Rows of these classes, of no group.
    pub fn new(points: &'a Tensor<2>, labels: &'a [usize]) -> Self {
        Self { points, labels, groups: None }
    }

    /// The same rows with the group of each, or without groups.
    #[must_use]
    pub fn with_groups(self, groups: Option<&'a [usize]>) -> Self {
        Self { groups, ..self }
    }
}

/// The leave-one-out accuracy of k nearest neighbors: each row is classified by all others, of other groups where there
/// are groups.
///
/// Ties as in [`majority_vote`].
///
/// # Errors
/// k of 0 or above the rows that a row may be classified by, not one label (or group) per row, or a coordinate that is not finite. An empty embedding is no
/// error: it has no accuracy.
pub fn leave_one_out_accuracy(embedded: Embedded, k: usize) -> Result<Accuracy> {
    if embedded.labels.is_empty() && embedded.points.dims()[0] == 0 {
        return Accuracy::new(0, 0);
    }
    accuracy(&nearest_others(embedded, k)?, embedded.labels, embedded.labels, k)
}

/// The k nearest other rows of each row, of other groups where there are groups.
pub(super) fn nearest_others(embedded: Embedded, k: usize) -> Result<Neighbors> {
    check_rows("embedding", embedded)?;
    let own: Vec<usize> = (0..embedded.labels.len()).collect();
    let others = Exclude::own(&own).with_groups(embedded.groups);
    NearestConfig::new(k).search_excluding(embedded.points, embedded.points, others)
}

/// The accuracy of the votes of the k nearest, which have the classes `labels`.
pub(super) fn accuracy(
    neighbors: &Neighbors,
    labels: &[usize],
    truth: &[usize],
    k: usize,
) -> Result<Accuracy> {
    let classes = labels.iter().max().map_or(0, |label| label + 1);
    Accuracy::of(&majority_vote(neighbors, labels, classes, k)?, truth)
}

/// The accuracy of k nearest neighbors among `train` on the rows of `test`.
///
/// Ties as in [`majority_vote`]. A class that only the test rows have is always wrong.
///
/// # Errors
/// k of 0 or above the training rows, not one label per row, different dimensions, or a coordinate that is not
/// finite. An empty test part is no error: it has no accuracy.
pub fn held_out_accuracy(train: Embedded, test: Embedded, k: usize) -> Result<Accuracy> {
    check_rows("training part", train)?;
    check_rows("test part", test)?;
    if test.labels.is_empty() {
        return Accuracy::new(0, 0);
    }
    accuracy(&nearest(test.points, train.points, k, None)?, train.labels, test.labels, k)
}

/// Checks that an embedding has one group per row, where there are groups.
pub(super) fn check_groups(embedded: Embedded) -> Result<()> {
    let rows = embedded.labels.len();
    match embedded.groups.filter(|groups| groups.len() != rows) {
        None => Ok(()),
        Some(groups) => Err(Error::data(format!(
            "{} groups for {rows} rows; give the group of each row",
            groups.len()
        ))),
    }
}

/// Checks that an embedding has one label per row; `part` names it.
pub(super) fn check_rows(part: &str, embedded: Embedded) -> Result<()> {
    let [rows, _] = embedded.points.dims();
    if rows != embedded.labels.len() {
        return Err(Error::data(format!(
            "the {part} has {rows} rows and {} labels; give one label per row",
            embedded.labels.len()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::fixture::line;

    #[test]
    fn left_out_and_held_out_rows_are_classified_by_their_neighbors() {
        let points = line(&[0.0, 1.0, 1.5, 10.0, 11.0]);
        let train = Embedded::new(&points, &[0, 0, 1, 1, 1]);
        // Row 0: nearest 1 (right); 1: nearest 1.5 (wrong); 1.5: nearest 1 (wrong); 10 and 11: right.
        let accuracy = leave_one_out_accuracy(train, 1).unwrap();
        assert_eq!((accuracy.correct(), accuracy.total()), (3, 5));
        let test_points = line(&[-1.0, 12.0, 1.6]);
        let test = Embedded::new(&test_points, &[0, 1, 0]);
        assert_eq!(held_out_accuracy(train, test, 1).unwrap(), Accuracy::new(2, 3).unwrap());
        assert_eq!(held_out_accuracy(train, test, 3).unwrap(), Accuracy::new(3, 3).unwrap());
    }

    #[test]
    fn an_empty_test_part_has_no_accuracy_and_a_class_that_it_alone_has_is_wrong() {
        let points = line(&[0.0, 1.0]);
        let train = Embedded::new(&points, &[0, 1]);
        let other = Embedded::new(&points, &[7, 7]);
        assert_eq!(held_out_accuracy(train, other, 1).unwrap(), Accuracy::new(0, 2).unwrap());
        let empty = points.clone().slice([0..0]);
        let test = Embedded::new(&empty, &[]);
        assert_eq!(held_out_accuracy(train, test, 1).unwrap().value(), None);
        assert_eq!(leave_one_out_accuracy(test, 1).unwrap().value(), None);
    }
}
