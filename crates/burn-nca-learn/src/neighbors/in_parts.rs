//! The probabilities of a rule in parts: the n x c of them of thousands of classes would fill the memory.

use std::ops::Range;

use burn::tensor::Tensor;
use burn_nca::internal::cut;
use burn_nca::objective::transfer::int_tensor;

use super::points::{Points, fitting};
use super::{ClassReferences, Rule, Voters};
use crate::data::Features;
use crate::error::Result;

/// The most probabilities that are held at a time: 32 MiB.
const AT_A_TIME: usize = 1 << 22;

impl Rule {
    /// The most probable class of each query `[m, k]`, by all references.
    ///
    /// No more than 32 MiB of probabilities are held at a time, however many classes there are.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn most_probable_classes(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
    ) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for rows in parts(queries.dims()[0], references.classes) {
            let part = self.probabilities(&of_rows(queries, rows), references, None)?;
            found.extend(part.most_probable());
        }
        Ok(found)
    }

    /// The logarithm of p_i, the probability of its own class, of each of these references given all others; in parts,
    /// as [`most_probable_classes`](Self::most_probable_classes).
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn log_own_probabilities(
        &self,
        references: ClassReferences<'_>,
        rows: &[usize],
    ) -> Result<Vec<f64>> {
        let ClassReferences { embedding, labels, classes, .. } = references;
        by_parts(embedding, rows, classes, |queries, own| {
            let part = self.probabilities(queries, references, Some(own))?;
            let log_p = |(at, &row): (usize, &usize)| part.log_probabilities(at)[labels[row]];
            Ok(own.iter().enumerate().map(log_p).collect())
        })
    }
}

impl Voters<'_> {
    /// The most probable class of each query by the stochastic rule, of rows on the host, which are not
    /// copied; in parts, as [`Rule::most_probable_classes`].
    ///
    /// # Errors
    /// As [`Voters::probabilities`].
    pub fn most_probable_of_features(
        &self,
        queries: &Features,
        references: &Features,
    ) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        for rows in parts(queries.rows(), self.classes) {
            let some = queries.select(&rows.collect::<Vec<_>>());
            let both = [Points::of(&some, "queries")?, Points::of(references, "references")?];
            found.extend(self.among(&fitting(both)?, None)?.most_probable());
        }
        Ok(found)
    }
}

/// So many rows in parts, each of so many numbers.
pub(super) fn parts(rows: usize, classes: usize) -> Vec<Range<usize>> {
    cut(0..rows, AT_A_TIME / classes.max(1))
}

/// What `of` finds of some rows of an embedding, in parts, each of so many numbers.
pub(super) fn by_parts(
    embedding: &Tensor<2>,
    rows: &[usize],
    numbers: usize,
    of: impl Fn(&Tensor<2>, &[usize]) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    for some in parts(rows.len(), numbers) {
        let rows = &rows[some];
        found.extend(of(&rows_at(embedding, rows), rows)?);
    }
    Ok(found)
}

/// The rows of a range.
pub(super) fn of_rows(points: &Tensor<2>, rows: Range<usize>) -> Tensor<2> {
    let [all, columns] = points.dims();
    if rows == (0..all) { points.clone() } else { points.clone().slice([rows, 0..columns]) }
}

/// These rows.
pub(super) fn rows_at(points: &Tensor<2>, rows: &[usize]) -> Tensor<2> {
    points.clone().select(0, int_tensor(rows, &points.device()))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::tensor;
    use super::*;
    use crate::data::TensorFeatures;
    use crate::neighbors::{class_probabilities, leave_one_out_probabilities};

    #[test]
    fn parts_say_what_the_whole_says() {
        let points = tensor(&[0.0, 1.0, 4.0, 4.0, 1.0, 0.0], 1);
        let labels = [0, 1, 0, 1, 2, 2];
        // So many classes that each part is of two rows.
        let classes = AT_A_TIME / 2;
        let whole = leave_one_out_probabilities(&points, &labels, 3).unwrap();
        let (rule, references) = (Rule::Neighbors, ClassReferences::new(&points, &labels, classes));
        let found = rule.log_own_probabilities(references, &[0, 1, 2, 3, 4, 5]).unwrap();
        for (row, log_p) in found.iter().enumerate() {
            assert!((log_p - whole.log_probabilities(row)[labels[row]]).abs() < 1e-12);
        }
        let whole = class_probabilities(&points, &points, &labels, 3, None).unwrap();
        assert_eq!(rule.most_probable_classes(&points, references).unwrap(), whole.most_probable());
        let rows = Features::from_tensor(points.clone()).unwrap();
        let voters = references.voters().unwrap();
        let found = voters.most_probable_of_features(&rows, &rows).unwrap();
        assert_eq!(found, whole.most_probable());
    }
}
