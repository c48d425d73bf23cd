//! Nearest neighbors by a tree of boxes: few coordinates first, and only of references that may be near.

use std::collections::BinaryHeap;

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::box_tree::{BoxTree, grouped};
use super::contraction::{Contracted, Contraction};
use super::excluded::Excluded;
use super::lanes::{Eight, LANES, to_boxes, to_points};
use super::points::{Points, sq_distance};
use super::ranking::{Candidate, Resolution, k_nearest};

/// The most queries of a task, neighbors of each other: what one has loaded the next finds in the cache.
const TASK_QUERIES: usize = 128;

/// Tasks for each thread, so that no thread waits long for the last.
const TASKS_PER_THREAD: usize = 4;

/// Queries that are tried to see whether the tree pays.
const TRIALS: usize = 32;

/// Queries and references, ready to search.
pub(super) struct BoxSearch<'a> {
    queries: &'a Points,
    references: &'a Points,
    excluded: Option<&'a Excluded<'a>>,
    scale: f64,
    contracted: Contracted,
    /// How much longer a contracted distance may be than the distance.
    slack: f64,
    /// Whether it may be shorter by no more than that either.
    isometric: bool,
    tree: BoxTree,
}

impl<'a> BoxSearch<'a> {
    /// Prepares a search among at least one reference.
    pub(super) fn new(
        queries: &'a Points,
        references: &'a Points,
        excluded: Option<&'a Excluded<'a>>,
    ) -> Self {
        let contraction = Contraction::of(queries, references);
        let [contracted, among] = [queries, references].map(|points| contraction.map(points));
        let slack = contraction.slack(&contracted, &among);
        let (scale, isometric) = (contraction.scale, contraction.is_isometric());
        let tree = BoxTree::new(&among);
        Self { queries, references, excluded, scale, contracted, slack, isometric, tree }
    }

    /// The `k` nearest references of each query, exactly as by brute force.
    pub(super) fn search(&self, k: usize) -> Vec<Vec<Candidate>> {
        let tasks = TASKS_PER_THREAD * rayon::current_num_threads();
        let size = (self.queries.rows() / tasks).clamp(1, TASK_QUERIES);
        let (order, tasks) = grouped(&self.contracted, size);
        let nearest = |query: &u32| self.nearest(*query as usize, k).0;
        let found: Vec<Vec<Candidate>> =
            tasks.into_par_iter().flat_map_iter(|task| order[task].iter().map(nearest)).collect();
        let mut rows = vec![Vec::new(); order.len()];
        for (query, nearest) in order.into_iter().zip(found) {
            rows[query as usize] = nearest;
        }
        rows
    }

    /// Whether the tree takes less time than a matrix product, by what some of the queries look at: in the time that the
    /// product takes for one coordinate of one reference ([`Descent`]); the choice among its distances takes 20.
    pub(super) fn pays(&self, k: usize) -> bool {
        let (n, m) = (self.queries.rows(), self.references.rows());
        let d = self.references.dimensions();
        let trials = n.min(TRIALS);
        let costs = (0..trials).into_par_iter().map(|at| self.nearest(at * n / trials, k).1);
        costs.sum::<usize>() < trials * m * (d + 20)
    }

    /// The `k` nearest references of a query, and what it took to find them.
    fn nearest(&self, query: usize, k: usize) -> (Vec<Candidate>, usize) {
        let (found, cost) = self.tree.arch.dispatch(Descent { search: self, query, k });
        let limit = self.limit_of(&found, k);
        let near = found.references.iter().filter(|(sq_distance, _)| *sq_distance <= limit);
        let candidates = near.map(|&(_, reference)| Candidate {
            sq_distance: self.sq_distance(query, reference),
            reference,
        });
        (k_nearest(candidates.collect(), k, found.resolution), cost)
    }

    fn sq_distance(&self, query: usize, reference: u32) -> f64 {
        sq_distance(self.queries.row(query), self.references.row(reference as usize))
    }

    /// At least `s ||q - x||` of a query and a reference with this contracted squared distance.
    fn at_most(&self, query: usize, reference: u32, contracted: f32) -> f64 {
        if self.isometric {
            // Without a look at the reference, which is not in the cache.
            f64::from(contracted).sqrt() * self.rounding() + self.slack
        } else {
            self.scale * self.sq_distance(query, reference).sqrt()
        }
    }

    /// The contracted squared distance above which there is none of the `k` nearest of a query.
    ///
    /// ```text
    /// ((s distance + slack) (1 + (width + 5) u))²        u = 2^-24, for the rounding of the sum in f32
    /// ```
    fn limit_of(&self, found: &Found, k: usize) -> f32 {
        match found.bounds.peek() {
            Some(&largest) if found.bounds.len() == k => {
                // With those that are equal to the largest.
                let distance = found.resolution.reach(f64::from_bits(largest) / self.scale);
                let reach = (self.scale * distance + self.slack) * self.rounding();
                ((reach * reach) as f32).next_up().min(f32::MAX)
            }
            _ => f32::MAX,
        }
    }

    /// Notes a reference at this contracted squared distance; gives the limit of the query from now on.
    fn offer(
        &self,
        found: &mut Found,
        (query, k): (usize, usize),
        row: u32,
        sq_distance: f32,
    ) -> f32 {
        if self.excluded.is_none_or(|excluded| !excluded.has(query, row as usize)) {
            found.references.push((sq_distance, row));
            found.bounds.push(self.at_most(query, row, sq_distance).to_bits());
            if found.bounds.len() > k {
                found.bounds.pop();
            }
        }
        self.limit_of(found, k)
    }

    fn rounding(&self) -> f64 {
        1.0 + (self.contracted.width + 5) as f64 * 2f64.powi(-24)
    }
}

/// The way of a query through the tree, nearest boxes first, to whatever is within its limit, and what it costs: eight boxes
/// or a slot some 400, a distance in full 1200 (its reference is not in the cache) and 20 a dimension.
struct Descent<'a> {
    search: &'a BoxSearch<'a>,
    query: usize,
    k: usize,
}

impl WithSimd for Descent<'_> {
    type Output = (Found, usize);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (Found, usize) {
        let Self { search, query, k } = self;
        let (tree, point) = (&search.tree, search.contracted.row(query));
        let resolution = search.queries.resolution(query, search.references);
        let mut found = Found { resolution, references: Vec::new(), bounds: BinaryHeap::new() };
        let (mut limit, mut cost) = (f32::MAX, 0);
        let cost_of_distance = 1200 + 20 * search.references.dimensions();
        // Level, box (below the levels a slot), and its distance.
        let mut pending = vec![(tree.height() as u32, 0, 0.0); LANES * (tree.height() + 1)];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (level, at, distance) = pending[count];
            let at = at as usize;
            if distance > limit {
                continue;
            }
            cost += 400;
            if level > 0 {
                let distances = to_boxes(simd, point, tree.boxes(level as usize - 1, at));
                let first = (level - 1, (at * LANES) as u32);
                count += put_near(&mut pending[count..], first, &distances, limit);
                continue;
            }
            let distances = to_points(simd, point, tree.points(at), limit);
            for (lane, distance) in distances.into_iter().flatten().enumerate() {
                if distance <= limit {
                    cost += cost_of_distance;
                    limit = search.offer(&mut found, (query, k), tree.rows[at][lane], distance);
                }
            }
        }
        (found, cost)
    }
}

/// Writes the boxes of a group that are within the limit, the nearest last; how many these are. Written first and counted
/// then: whether a box is near cannot be foreseen, and a wrong guess of the machine takes longer than the distances.
#[inline(always)]
fn put_near(
    pending: &mut [(u32, u32, f32)],
    (level, first): (u32, u32),
    distances: &Eight,
    limit: f32,
) -> usize {
    let (mut count, mut nearest) = (0, 0);
    for (lane, &distance) in distances.iter().enumerate() {
        pending[count] = (level, first + lane as u32, distance);
        nearest = if distance < pending[nearest].2 { count } else { nearest };
        count += usize::from(distance <= limit);
    }
    if count > 0 {
        pending.swap(nearest, count - 1);
    }
    count
}

/// What a query has found.
struct Found {
    resolution: Resolution,
    /// Contracted squared distances and references: the nearest are among them.
    references: Vec<(f32, u32)>,
    /// The bits of the k smallest bounds of [`BoxSearch::at_most`], which are in the order of the bounds; the largest
    /// on top.
    bounds: BinaryHeap<u64>,
}

#[cfg(test)]
mod tests {
    use pulp::Arch;

    use super::super::fixture::random_points;
    use super::*;

    /// Uniform points whose features from `spread` on vary a hundred times less than those before.
    fn points(n: usize, d: usize, spread: usize, seed: u64) -> Points {
        random_points([n, d], seed, |c, x| if c < spread { x } else { 0.01 * x })
    }

    #[test]
    fn neighbors_are_those_of_the_definition_in_few_and_many_dimensions() {
        for (d, spread) in [(2, 2), (20, 20), (64, 5), (65, 5), (150, 150)] {
            let (queries, references) = (points(70, d, spread, 1), points(900, d, spread, 2));
            let own: Vec<usize> = (0..70).collect();
            let excluded = Excluded::own(&own);
            let mut search = BoxSearch::new(&queries, &references, Some(&excluded));
            let found = search.search(7);
            for (query, found) in found.iter().enumerate() {
                let of = |row: usize| Candidate {
                    sq_distance: sq_distance(queries.row(query), references.row(row)),
                    reference: row as u32,
                };
                let mut all: Vec<_> = (0..900).filter(|row| *row != query).map(of).collect();
                all.sort_unstable_by(Candidate::order);
                assert_eq!(*found, all[..7], "{d} dimensions, query {query}");
            }
            search.tree.arch = Arch::Scalar;
            assert_eq!(search.search(7), found, "{d} dimensions without vectors");
        }
    }

    #[test]
    fn the_tree_pays_where_few_directions_matter_and_not_where_all_do() {
        let flat = points(6000, 40, 4, 3);
        assert!(BoxSearch::new(&flat, &flat, None).pays(5));
        let round = points(6000, 40, 40, 3);
        assert!(!BoxSearch::new(&round, &round, None).pays(5));
    }
}
