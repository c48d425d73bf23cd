//! The confusion matrix: a matrix for few classes, a list of its cells for many.

mod page;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::picture::Part;

/// Counts of true against predicted classes, by 1-NN in the learned metric or its own rule; classes as in `data.classes`.
///
/// Up to [`Confusion::LARGEST`] classes the whole matrix is in `counts`; above, where nearly all of it would be zeros,
/// the cells that are not zero are in `cells`. One of the two is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// The rows counted: those held out, or the training rows left out one by one.
    pub part: Part,
    /// `counts[t][p]`: rows of class t predicted as class p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<Vec<usize>>>,
    /// `[t, p, rows]` for each t and p with rows, in the order of t and p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<Cell>>,
}

/// True class, predicted class, number of rows.
pub type Cell = [usize; 3];

impl Confusion {
    /// The most classes whose matrix is kept whole.
    pub const LARGEST: usize = 50;

    /// Counts the predictions of each true class.
    pub fn of(part: Part, predicted: &[usize], truth: &[usize], classes: usize) -> Self {
        let mut found = BTreeMap::new();
        for pair in truth.iter().zip(predicted) {
            *found.entry(pair).or_insert(0) += 1;
        }
        let cells = found.into_iter().map(|((&truth, &predicted), rows)| [truth, predicted, rows]);
        if classes > Self::LARGEST {
            return Self { part, counts: None, cells: Some(cells.collect()) };
        }
        let mut counts = vec![vec![0; classes]; classes];
        cells.for_each(|[truth, predicted, rows]| counts[truth][predicted] = rows);
        Self { part, counts: Some(counts), cells: None }
    }

    /// Every cell with rows.
    fn filled(&self) -> Vec<Cell> {
        if let Some(cells) = &self.cells {
            return cells.clone();
        }
        let counts = self.counts.iter().flatten().enumerate();
        let cells = counts.flat_map(|(truth, row)| {
            row.iter().enumerate().map(move |(predicted, &rows)| [truth, predicted, rows])
        });
        cells.filter(|cell| cell[2] > 0).collect()
    }

    /// The cells off the diagonal, those of most rows first.
    pub fn errors(&self) -> Vec<Cell> {
        let mut errors = self.filled();
        errors.retain(|[truth, predicted, _]| truth != predicted);
        errors.sort_by_key(|&[truth, predicted, rows]| (usize::MAX - rows, truth, predicted));
        errors
    }

    /// Number of rows counted.
    pub fn rows(&self) -> usize {
        self.filled().iter().map(|cell| cell[2]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_classes_give_a_matrix_and_many_its_cells() {
        let (predicted, truth) = ([0, 1, 1, 2, 0], [0, 1, 2, 2, 2]);
        let few = Confusion::of(Part::Test, &predicted, &truth, 3);
        assert_eq!(few.counts, Some(vec![vec![1, 0, 0], vec![0, 1, 0], vec![1, 1, 1]]));
        let many = Confusion::of(Part::Test, &predicted, &truth, 5000);
        assert_eq!(many.counts, None);
        assert_eq!(many.cells.as_ref().map(Vec::len), Some(5));
        assert_eq!((few.rows(), many.rows()), (5, 5));
        assert_eq!(few.errors(), [[2, 0, 1], [2, 1, 1]]);
        assert_eq!(few.errors(), many.errors());
    }

    #[test]
    fn the_most_frequent_error_comes_first_and_json_holds_one_form() {
        let predicted = [1, 1, 2, 0];
        let confusion = Confusion::of(Part::Train, &predicted, &[0, 0, 0, 1], 3);
        assert_eq!(confusion.errors(), [[0, 1, 2], [0, 2, 1], [1, 0, 1]]);
        let text = serde_json::to_string(&confusion).unwrap();
        assert_eq!(text, r#"{"part":"train","counts":[[0,2,1],[1,0,0],[0,0,0]]}"#);
        let many = Confusion::of(Part::Train, &predicted, &[0, 0, 0, 1], 51);
        let text = serde_json::to_string(&many).unwrap();
        assert_eq!(text, r#"{"part":"train","cells":[[0,1,2],[0,2,1],[1,0,1]]}"#);
        assert_eq!(serde_json::from_str::<Confusion>(&text).unwrap(), many);
    }
}
