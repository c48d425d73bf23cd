//! The k nearest references of each query, in order.

use std::cmp::Ordering;

/// The nearest references of each query: rows ascend by distance, equal distances by reference row.
///
/// Distances are equal where rounding alone may part them (see the module); each is then given as the smallest of them.
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

    /// The reference rows nearest to query `row` (below [`rows`](Self::rows)), nearest first.
    pub fn indices(&self, row: usize) -> &[u32] {
        &self.indices[row * self.k..(row + 1) * self.k]
    }

    /// The squared distances to [`indices`](Self::indices), ascending.
    pub fn sq_distances(&self, row: usize) -> &[f64] {
        &self.sq_distances[row * self.k..(row + 1) * self.k]
    }
}

/// A reference and its exact squared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) sq_distance: f64,
    pub(super) reference: u32,
}

impl Candidate {
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.sq_distance
            .total_cmp(&other.sq_distance)
            .then_with(|| self.reference.cmp(&other.reference))
    }
}

/// When two distances from one query are equal: where rounding alone may part them.
///
/// ```text
/// d_l = d_j   where   |d_l - d_j| <= r (2 ||z_i|| + d_j),   d_j <= d_l
/// ```
/// Coordinates that are rounded twice, as a feature and as its product, err by 2u relative to them (u is the unit
/// roundoff), a distance by at most `2u (||z_i|| + ||z_j||) <= 2u (2 ||z_i|| + d)`, the difference of two of them by twice
/// that: r is 4u, `2^-22`, for coordinates in f32. In f64 it is 64u, `2^-47`, for the sums of a map of many features.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolution {
    relative: f64,
    norm: f64,
}

impl Resolution {
    /// r, and the norm of the query.
    pub(crate) fn new(relative: f64, norm: f64) -> Self {
        Self { relative, norm }
    }

    /// The same for a query of another norm.
    pub(super) fn of_norm(self, norm: f64) -> Self {
        Self { norm, ..self }
    }

    /// The largest distance that equals one.
    pub(super) fn reach(self, distance: f64) -> f64 {
        distance + self.relative * (2.0 * self.norm + distance)
    }

    /// The largest squared distance that equals one.
    pub(crate) fn sq_reach(self, sq_distance: f64) -> f64 {
        let reach = self.reach(sq_distance.sqrt());
        // A sum of squares may be above the square of its root.
        (reach * reach).max(sq_distance).min(f64::MAX)
    }
}

/// The `k` nearest candidates in their final order: by distance, those at equal distances by row.
///
/// Equal are all distances that [`Resolution`] does not tell from the smallest of them; they become this one.
pub(super) fn k_nearest(
    mut candidates: Vec<Candidate>,
    k: usize,
    resolution: Resolution,
) -> Vec<Candidate> {
    if candidates.len() > k {
        let (_, kth, _) = candidates.select_nth_unstable_by(k - 1, Candidate::order);
        let limit = resolution.sq_reach(kth.sq_distance);
        candidates.retain(|candidate| candidate.sq_distance <= limit);
    }
    candidates.sort_unstable_by(Candidate::order);
    let mut start = 0;
    while start < candidates.len().min(k) {
        let least = candidates[start].sq_distance;
        let limit = resolution.sq_reach(least);
        let equal = candidates[start..].partition_point(|other| other.sq_distance <= limit);
        let equal = &mut candidates[start..start + equal];
        equal.iter_mut().for_each(|candidate| candidate.sq_distance = least);
        equal.sort_unstable_by_key(|candidate| candidate.reference);
        start += equal.len();
    }
    candidates.truncate(k);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(sq_distances: &[f64], k: usize, resolution: Resolution) -> Vec<(u32, f64)> {
        let candidates = sq_distances.iter().enumerate().rev();
        let candidates = candidates
            .map(|(row, &sq_distance)| Candidate { sq_distance, reference: row as u32 })
            .collect();
        let found = k_nearest(candidates, k, resolution);
        found.into_iter().map(|found| (found.reference, found.sq_distance)).collect()
    }

    #[test]
    fn distances_that_rounding_parts_are_equal_and_ordered_by_row() {
        let tie = Resolution::new(1e-6, 0.0);
        let (least, above) = (4.0, 4.0 * (1.0 + 1e-6));
        assert_eq!(ranked(&[9.0, above, least, 1.0], 3, tie), [(3, 1.0), (1, least), (2, least)]);
        assert_eq!(ranked(&[9.0, above, least, 1.0], 2, tie), [(3, 1.0), (1, least)]);
        let exact = Resolution::new(1e-9, 0.0);
        assert_eq!(ranked(&[above, least], 2, exact), [(1, least), (0, above)]);
    }

    #[test]
    fn a_chain_of_near_distances_is_cut_where_the_first_ends() {
        let tie = Resolution::new(0.1, 0.0);
        // 1.0 reaches to 1.1, and 1.15 starts again.
        let chain: Vec<f64> = [1.15, 1.08, 1.0, 1.2].map(|d: f64| d * d).to_vec();
        let rows: Vec<u32> = ranked(&chain, 4, tie).into_iter().map(|found| found.0).collect();
        assert_eq!(rows, [1, 2, 0, 3]);
    }

    #[test]
    fn the_norm_of_the_query_widens_what_is_equal() {
        let sq_distances = [1.000_1, 1.0];
        assert_eq!(ranked(&sq_distances, 1, Resolution::new(1e-7, 0.0))[0].0, 1);
        assert_eq!(ranked(&sq_distances, 1, Resolution::new(1e-7, 1e4))[0].0, 0);
        assert_eq!(Resolution::new(1e-7, 1e300).sq_reach(1e300), f64::MAX);
    }
}
