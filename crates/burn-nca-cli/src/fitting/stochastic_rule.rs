//! The stochastic rule in parts: the n x c probabilities of thousands of classes would fill the memory.

use std::ops::Range;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::neighbors::{ClassReferences, Rule};

use super::sample::rows_of;

/// The most probabilities that stand at a time: 32 MiB.
const AT_A_TIME: usize = 1 << 22;

/// The most probable class of each query.
///
/// # Errors
/// A coordinate that is not finite.
pub fn most_probable(
    rule: &Rule,
    queries: &Tensor<2>,
    references: ClassReferences<'_>,
) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for rows in parts(queries.dims()[0], references.classes) {
        let part = rule.of_classes().probabilities(&of_rows(queries, rows), references, None)?;
        found.extend(part.most_probable());
    }
    Ok(found)
}

/// The logarithm of p_i, the probability of its own class, of each of these rows given all others.
///
/// # Errors
/// A coordinate that is not finite.
pub fn log_p(rule: &Rule, points: ClassReferences<'_>, rows: &[usize]) -> Result<Vec<f64>> {
    let ClassReferences { embedding, labels, classes } = points;
    let mut found = Vec::new();
    for some in parts(rows.len(), classes) {
        let own = &rows[some];
        let queries = rows_of(embedding, own);
        let part = rule.of_classes().probabilities(&queries, points, Some(own))?;
        found.extend(
            own.iter().enumerate().map(|(at, &row)| part.log_probabilities(at)[labels[row]]),
        );
    }
    Ok(found)
}

fn parts(rows: usize, classes: usize) -> impl Iterator<Item = Range<usize>> {
    let step = (AT_A_TIME / classes.max(1)).max(1);
    (0..rows).step_by(step).map(move |start| start..(start + step).min(rows))
}

fn of_rows(points: &Tensor<2>, rows: Range<usize>) -> Tensor<2> {
    let [all, columns] = points.dims();
    if rows == (0..all) { points.clone() } else { points.clone().slice([rows, 0..columns]) }
}

#[cfg(test)]
mod tests {
    use burn_nca::device;
    use burn_nca::neighbors::{class_probabilities, leave_one_out_probabilities};

    use super::*;

    #[test]
    fn the_parts_cover_all_rows() {
        assert_eq!(parts(5, 1 << 21).collect::<Vec<_>>(), [0..2, 2..4, 4..5]);
        assert_eq!(parts(5, 3).collect::<Vec<_>>(), [0..5]);
        assert_eq!(parts(2, 1 << 30).count(), 2);
    }

    #[test]
    fn parts_say_what_the_whole_says() {
        let host = device::host().unwrap();
        let values: Vec<[f64; 1]> = (0..6).map(|row| [f64::from(row * row % 5)]).collect();
        let points = Tensor::<2>::from_data(
            [values[0], values[1], values[2], values[3], values[4], values[5]],
            &host,
        );
        let labels = [0, 1, 0, 1, 2, 2];
        // So many classes that each part is of two rows.
        let classes = AT_A_TIME / 2;
        let whole = leave_one_out_probabilities(&points, &labels, 3).unwrap();
        let (rule, references) =
            (Rule::Neighbors, ClassReferences { embedding: &points, labels: &labels, classes });
        let found = log_p(&rule, references, &[0, 1, 2, 3, 4, 5]).unwrap();
        for (row, log_p) in found.iter().enumerate() {
            assert!((log_p - whole.log_probabilities(row)[labels[row]]).abs() < 1e-12);
        }
        let whole = class_probabilities(&points, &points, &labels, 3, None).unwrap();
        assert_eq!(most_probable(&rule, &points, references).unwrap(), whole.most_probable());
    }
}
