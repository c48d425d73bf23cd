//! Nearest neighbors by a k-d tree, for few dimensions.

use std::num::NonZero;

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;

use super::excluded::Excluded;
use super::points::{Points, sq_distance};
use super::ranking::{Candidate, Resolution, k_nearest};

/// The most dimensions a tree is built for; fewer in a browser, which downloads the code of each.
pub(super) const MAX_DIMENSIONS: usize = if cfg!(target_family = "wasm") { 3 } else { 8 };

/// The `k` nearest references of each query, exactly as by brute force.
///
/// # Panics
/// For points of more than [`MAX_DIMENSIONS`] dimensions.
pub(super) fn search(
    queries: &Points,
    references: &Points,
    excluded: Option<&Excluded<'_>>,
    k: usize,
) -> Vec<Vec<Candidate>> {
    match references.dimensions() {
        1 => search_in::<1>(queries, references, excluded, k),
        2 => search_in::<2>(queries, references, excluded, k),
        3 => search_in::<3>(queries, references, excluded, k),
        #[cfg(not(target_family = "wasm"))]
        4 => search_in::<4>(queries, references, excluded, k),
        #[cfg(not(target_family = "wasm"))]
        5 => search_in::<5>(queries, references, excluded, k),
        #[cfg(not(target_family = "wasm"))]
        6 => search_in::<6>(queries, references, excluded, k),
        #[cfg(not(target_family = "wasm"))]
        7 => search_in::<7>(queries, references, excluded, k),
        #[cfg(not(target_family = "wasm"))]
        8 => search_in::<8>(queries, references, excluded, k),
        more => panic!("a k-d tree is for 1 to {MAX_DIMENSIONS} dimensions, not {more}"),
    }
}

fn search_in<const D: usize>(
    queries: &Points,
    references: &Points,
    excluded: Option<&Excluded<'_>>,
    k: usize,
) -> Vec<Vec<Candidate>> {
    let tree = Tree::<D>::build(references);
    (0..queries.rows())
        .into_par_iter()
        .map(|query| {
            let resolution = queries.resolution(query, references);
            let left_out = |row: usize| excluded.is_some_and(|excluded| excluded.has(query, row));
            let most = excluded.map_or(0, |excluded| excluded.rows(query).len());
            tree.nearest(queries.row(query), (&left_out, most), (k, resolution))
        })
        .collect()
}

/// A k-d tree of the distinct points among the references.
///
/// Each point is kept once, with the rows it represents: a tree can not split equal points, and the lowest
/// rows of equal points are known without a search.
struct Tree<'a, const D: usize> {
    references: &'a Points,
    tree: ImmutableKdTree<f64, D>,
    /// All reference rows, grouped by point, ascending within a group.
    rows: Vec<u32>,
    /// Where each group starts in `rows`; the last entry is its end.
    starts: Vec<usize>,
}

impl<'a, const D: usize> Tree<'a, D> {
    fn build(references: &'a Points) -> Self {
        let point = |row: u32| as_point::<D>(references.row(row as usize));
        let mut rows: Vec<u32> = (0..references.rows() as u32).collect();
        let order = |a: &u32, b: &u32| {
            let pairs = point(*a).into_iter().zip(point(*b));
            pairs.map(|(x, y)| x.total_cmp(&y)).find(|order| order.is_ne()).unwrap_or(a.cmp(b))
        };
        rows.par_sort_unstable_by(order);
        let mut starts: Vec<usize> = (0..rows.len())
            .filter(|&at| at == 0 || point(rows[at]) != point(rows[at - 1]))
            .collect();
        let distinct: Vec<[f64; D]> = starts.iter().map(|&start| point(rows[start])).collect();
        starts.push(rows.len());
        let tree = ImmutableKdTree::new_from_slice(&distinct)
            .expect("distinct points, numbered in u32, can be split on some dimension");
        Self { references, tree, rows, starts }
    }

    /// The nearest of those that are not `left_out`, which are `most` at most.
    fn nearest(
        &self,
        query: &[f64],
        (left_out, most): (&LeftOut<'_>, usize),
        (k, resolution): (usize, Resolution),
    ) -> Vec<Candidate> {
        let point = as_point::<D>(query);
        // One point more than needed shows whether the k-th distance is tied beyond the points found.
        let wanted = k.saturating_add(1 + most);
        let wanted = NonZero::new(wanted).expect("one more than something is not zero");
        let found = self.tree.query(&point).nearest_n::<SquaredEuclidean<f64>>(wanted).execute();
        let complete = found.len() == self.distinct();
        let groups = found.into_iter().map(|item| item.item);
        let (mut candidates, farthest) = self.candidates(query, left_out, k, groups);
        let (_, kth, _) = candidates.select_nth_unstable(k - 1);
        let limit = resolution.sq_reach(kth.sq_distance);
        if complete || farthest > limit * (1.0 + 1e-9) {
            return k_nearest(candidates, k, resolution);
        }
        // The tree sums in another order than `sq_distance`: a little more than the tied distance is asked for.
        let radius = (limit * (1.0 + 1e-9)).max(f64::MIN_POSITIVE);
        let found = self.tree.query(&point).within::<SquaredEuclidean<f64>>(radius).execute();
        let groups = found.into_iter().map(|item| item.item);
        k_nearest(self.candidates(query, left_out, k, groups).0, k, resolution)
    }

    fn distinct(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of `groups` that can be among the `k` nearest, and the largest squared distance of a group.
    fn candidates(
        &self,
        query: &[f64],
        left_out: &LeftOut<'_>,
        k: usize,
        groups: impl Iterator<Item = u32>,
    ) -> (Vec<Candidate>, f64) {
        let mut candidates = Vec::with_capacity(2 * k);
        let mut farthest: f64 = 0.0;
        for group in groups {
            let rows = &self.rows[self.starts[group as usize]..self.starts[group as usize + 1]];
            let sq_distance = sq_distance(query, self.references.row(rows[0] as usize));
            farthest = farthest.max(sq_distance);
            let others = rows.iter().filter(|row| !left_out(**row as usize)).take(k);
            candidates.extend(others.map(|&reference| Candidate { sq_distance, reference }));
        }
        (candidates, farthest)
    }
}

/// Whether a reference is left out for a query.
type LeftOut<'a> = dyn Fn(usize) -> bool + Sync + 'a;

fn as_point<const D: usize>(row: &[f64]) -> [f64; D] {
    // Adding 0 turns -0 into 0: the two are one point.
    std::array::from_fn(|k| row[k] + 0.0)
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, Tensor, TensorData};

    use super::*;

    fn points(values: &[f64], d: usize) -> Points {
        let data = TensorData::new(values.to_vec(), [values.len() / d, d]);
        let tensor = Tensor::from_data(data, (&Device::flex(), DType::F64));
        Points::read(&tensor, "points").unwrap()
    }

    #[test]
    fn many_equal_values_on_one_axis_are_no_trouble() {
        let flat: Vec<f64> = (0..5000).flat_map(|i| [1.0, f64::from(i % 7)]).collect();
        let points = points(&flat, 2);
        let found = search(&points, &points, None, 3);
        let rows = |i: usize| found[i].iter().map(|c| c.reference).collect::<Vec<_>>();
        assert_eq!(rows(0), [0, 7, 14]);
        assert_eq!(rows(4999), [1, 8, 15]);
    }

    #[test]
    fn ties_beyond_the_points_first_found_are_seen() {
        // 400 points on a circle around the query, at equal distance.
        let mut values: Vec<f64> = Vec::new();
        for (a, b) in [(3.0, 4.0), (4.0, 3.0), (5.0, 0.0), (0.0, 5.0)] {
            for (x, y) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
                values.extend((0..25).flat_map(|_| [x, y]));
            }
        }
        let (circle, center) = (points(&values, 2), points(&[0.0, 0.0], 2));
        for k in [1, 2, 30, 399, 400] {
            let found = search(&center, &circle, None, k);
            let rows: Vec<u32> = found[0].iter().map(|c| c.reference).collect();
            assert_eq!(rows, (0..k as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn both_zeros_are_one_point() {
        let zeros = points(&[0.0, -0.0, 0.0, -0.0], 1);
        let tree = Tree::<1>::build(&zeros);
        assert_eq!((tree.distinct(), tree.rows.len()), (1, 4));
        assert_eq!(tree.rows, [0, 1, 2, 3]);
    }
}
