//! A sparse matrix in compressed rows.

use std::collections::HashMap;

/// A sparse square table of weights, row by row (compressed sparse rows).
///
/// Entries of a row are in the order of their column; one column may occur several times.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct SparseRows {
    /// The entries of row i are `starts[i]..starts[i + 1]`.
    starts: Vec<usize>,
    columns: Vec<usize>,
    weights: Vec<f64>,
}

/// Where the entries of each row begin, and the last one's end, of entries in these rows.
pub(super) fn starts_of(rows: usize, of_entries: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0; rows + 1];
    of_entries.for_each(|row| starts[row + 1] += 1);
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }
    starts
}

impl SparseRows {
    /// The table of `points` rows with these entries `(row, column, weight)`, all below `points`.
    pub fn new(points: usize, mut entries: Vec<(usize, usize, f64)>) -> Self {
        entries.sort_by_key(|&(row, column, _)| (row, column));
        Self {
            starts: starts_of(points, entries.iter().map(|entry| entry.0)),
            columns: entries.iter().map(|entry| entry.1).collect(),
            weights: entries.iter().map(|entry| entry.2).collect(),
        }
    }

    /// Number of rows.
    pub fn points(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the entries of each row begin, and the last one's end: `points + 1` numbers.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The column of each entry.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The weight of each entry.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The entries `(column, weight)` of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.starts[row]..self.starts[row + 1];
        self.columns[span.clone()].iter().copied().zip(self.weights[span].iter().copied())
    }

    /// The weight of `(row, column)`; 0 where there is no entry. The first of several.
    pub fn weight(&self, row: usize, column: usize) -> f64 {
        let span = self.starts[row]..self.starts[row + 1];
        let at = self.columns[span.clone()].partition_point(|&other| other < column);
        match self.columns[span.clone()].get(at) {
            Some(&found) if found == column => self.weights[span.start + at],
            _ => 0.0,
        }
    }

    /// The entries between the points `rows` alone, which must be distinct, numbered in that order.
    pub fn select(&self, rows: &[usize]) -> Self {
        let position: HashMap<usize, usize> =
            rows.iter().enumerate().map(|(at, &row)| (row, at)).collect();
        let mut entries = Vec::new();
        for (at, &row) in rows.iter().enumerate() {
            let kept = self.row(row).filter_map(|(column, weight)| {
                position.get(&column).map(|&column| (at, column, weight))
            });
            entries.extend(kept);
        }
        Self::new(rows.len(), entries)
    }
}
