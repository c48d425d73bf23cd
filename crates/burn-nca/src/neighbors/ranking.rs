//! The k nearest references of each query, in order.

use std::cmp::Ordering;

/// The nearest references of each query: rows ascend by distance, equal distances by reference row.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbors {
    indices: Vec<u32>,
    sq_distances: Vec<f64>,
    references: usize,
    k: usize,
}

impl Neighbors {
    pub(super) fn from_rows(rows: Vec<Vec<Candidate>>, references: usize, k: usize) -> Self {
        let found = || rows.iter().flatten();
        Self {
            indices: found().map(|candidate| candidate.reference).collect(),
            sq_distances: found().map(|candidate| candidate.sq_distance).collect(),
            references,
            k,
        }
    }

    /// Number of queries, n.
    pub fn rows(&self) -> usize {
        self.indices.len() / self.k
    }

    /// Number of neighbors of each query.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Number of references that were searched, m.
    pub fn references(&self) -> usize {
        self.references
    }

    /// The reference rows nearest to query `row`, nearest first.
    ///
    /// # Panics
    /// If `row` is not below [`rows`](Self::rows).
    pub fn indices(&self, row: usize) -> &[u32] {
        &self.indices[row * self.k..(row + 1) * self.k]
    }

    /// The squared distances to [`indices`](Self::indices), ascending.
    ///
    /// # Panics
    /// If `row` is not below [`rows`](Self::rows).
    pub fn sq_distances(&self, row: usize) -> &[f64] {
        &self.sq_distances[row * self.k..(row + 1) * self.k]
    }
}

/// A reference and its exact squared distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) sq_distance: f64,
    pub(super) reference: u32,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        self.sq_distance
            .total_cmp(&other.sq_distance)
            .then_with(|| self.reference.cmp(&other.reference))
    }
}

/// The `k` nearest candidates in their final order.
pub(super) fn k_nearest(mut candidates: Vec<Candidate>, k: usize) -> Vec<Candidate> {
    if candidates.len() > k {
        candidates.select_nth_unstable_by(k - 1, Candidate::order);
        candidates.truncate(k);
    }
    candidates.sort_unstable_by(Candidate::order);
    candidates
}
