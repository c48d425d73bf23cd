//! The nearest-neighbor search, and the choice of its method.

use std::ops::Range;

use burn::config::Config;
use burn::tensor::{Device, Tensor};

use super::box_search::BoxSearch;
use super::candidate_filter::{CandidateFilter, FilteredRow};
use super::points::{Points, check_dimensions, check_own, of_both, read_both};
use super::ranking::{Candidate, Neighbors, k_nearest};
use super::selection::{at_most, k_smallest};
use super::tree;
use crate::data::Features;
use crate::device::runs_on_host;
use crate::error::{Error, Result};

/// Values of a table of references from which on few queries search it in parts.
const LARGE: usize = 1 << 22;

/// Values of such a part, 8 MiB, and its rows at least: of fewer, boxes do not pay.
const PART_VALUES: usize = 1 << 20;
const PART_ROWS: usize = 1 << 14;

/// How neighbors are searched. Every method gives the same neighbors; they differ in time.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum SearchMethod {
    /// The k-d tree for few dimensions and many references, boxes where they pay, else brute force: see
    /// [`NearestConfig`] for the rule.
    Auto,
    /// All distances, by blocks of matrix products on the tensors' device.
    BruteForce,
    /// A k-d tree on the host, for 1 to 8 dimensions.
    Tree,
    /// A tree of bounding boxes on the host, in the leading principal directions: for embeddings and other
    /// data whose directions differ in spread.
    Boxes,
}

/// A search for the k nearest references of each query.
///
/// `Auto` takes the k-d tree up to 8 dimensions, from `2^(d + 3)` references for d dimensions on (2 dimensions: 32;
/// 8 dimensions: 2048), and for k of at most a twentieth of the references. A tree visits
/// a share of the references that shrinks with their number and grows with d and k, while a matrix
/// product costs the same for any data. Measured at k = 5 on Gaussian clouds, brute force takes 31 times
/// as long as the tree for 10000 references in 1 dimension, 15 in 2, 7 in 4, 3 in 6 and 1.4 in 8; 2 for
/// 300 references in 2 dimensions, 1 for 3000 in 8. At k = a tenth of the references they are even in 2
/// dimensions, and the tree takes twice as long in 8.
///
/// Else, on the host, from 1000 queries and 4000 references on and for k of at most a two-hundredth of these,
/// `Auto` builds the boxes, searches 32 of the queries with them, and takes them for all if what those had to look
/// at is worth less than a matrix product: boxes leave most of an embedding unseen, but little of data that spread
/// alike in many dimensions. In all other cases it takes brute force.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::neighbors::{NearestConfig, SearchMethod};
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[0.0], [1.0], [3.0]], &device);
/// let queries = Tensor::<2>::from_floats([[2.5]], &device);
/// let search = NearestConfig::new(2).with_method(SearchMethod::BruteForce);
/// let neighbors = search.search(&queries, &references, None)?;
/// assert_eq!(neighbors.indices(0), [2, 1]);
/// assert_eq!(neighbors.sq_distances(0), [0.25, 2.25]);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Config, Debug)]
pub struct NearestConfig {
    /// Number of neighbors of each query, k.
    pub k: usize,
    /// How to search.
    #[config(default = "SearchMethod::Auto")]
    pub method: SearchMethod,
}

impl NearestConfig {
    /// The k nearest references of each query.
    ///
    /// Ascending by distance; of equal distances the lower reference row comes first. Distances are computed
    /// in f64 from the values in the tensors, whatever their dtype.
    ///
    /// # Shapes
    /// - queries: `[n, d]`, references: `[m, d]`
    /// - own: n entries; `own[i]` is the reference row that is query i, which is never its own neighbor
    ///
    /// # Errors
    /// k of 0 or larger than the references (less one where `own` is given), queries and references of
    /// different dimensions, a coordinate that is not finite, `own` that does not fit, or a tree for more
    /// than 8 dimensions.
    pub fn search(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        own: Option<&[usize]>,
    ) -> Result<Neighbors> {
        let (n, device) = (queries.dims()[0], &references.device());
        if let Some(rows) = rows_at_a_time(n, references.dims(), false) {
            let found = Points::read(queries, "queries")?;
            let part =
                |rows: Range<usize>| Points::read(&references.clone().slice([rows]), "references");
            let whole = (references.dims(), &part as &Part<'_>);
            return self.search_parts(&found, whole, own, (rows, device));
        }
        let [found, among] = read_both(queries, references, own)?;
        self.search_points(&found, &among, own, device)
    }

    /// The same of rows that stand on the host, which are not copied; products are taken on `device`.
    ///
    /// # Errors
    /// As [`NearestConfig::search`].
    pub fn search_features(
        &self,
        queries: &Features,
        references: &Features,
        own: Option<&[usize]>,
        device: &Device,
    ) -> Result<Neighbors> {
        let shape = [references.rows(), references.columns()];
        if let Some(rows) = rows_at_a_time(queries.rows(), shape, references.is_narrow()) {
            let found = Points::of(queries, "queries")?;
            let part = |rows: Range<usize>| {
                Points::of(&references.select(&rows.collect::<Vec<_>>()), "references")
            };
            let whole = (shape, &part as &Part<'_>);
            return self.search_parts(&found, whole, own, (rows, device));
        }
        let [found, among] = of_both(queries, references, own)?;
        self.search_points(&found, &among, own, device)
    }

    /// The same among `[m, d]` references of which `part` gives some, so many at a time: neither their values in f64 nor a
    /// copy for products stands for all of them.
    pub(super) fn search_parts(
        &self,
        queries: &Points,
        ([m, d], part): ([usize; 2], &Part<'_>),
        own: Option<&[usize]>,
        (rows, device): (usize, &Device),
    ) -> Result<Neighbors> {
        check_own(own, queries.rows(), m)?;
        self.check([m, d], own.is_some())?;
        let mut nearest: Vec<Vec<Candidate>> = vec![Vec::new(); queries.rows()];
        // A part has more rows than there are neighbors to find.
        let parts = (m / rows.max(2 * self.k + 2)).max(1);
        for at in 0..parts {
            let (start, end) = (at * m / parts, (at + 1) * m / parts);
            // The message of all references has the row's number.
            let among = part(start..end).or_else(|_| part(0..m))?;
            check_dimensions(queries, &among)?;
            // Of a query that stands in another part, a place behind all of this one.
            let place = |&row: &usize| row.checked_sub(start).unwrap_or(m).min(end - start);
            let own: Option<Vec<usize>> = own.map(|own| own.iter().map(place).collect());
            let near = self.search_points(queries, &among, own.as_deref(), device)?;
            for (query, nearest) in nearest.iter_mut().enumerate() {
                let more = near.indices(query).iter().zip(near.sq_distances(query));
                nearest.extend(more.map(|(&row, &sq_distance)| Candidate {
                    sq_distance,
                    reference: row + start as u32,
                }));
                *nearest = k_nearest(std::mem::take(nearest), self.k);
            }
        }
        Ok(Neighbors::from_rows(nearest, m, self.k))
    }

    /// The k nearest other rows of each row of `points`.
    ///
    /// # Errors
    /// As [`NearestConfig::search`].
    pub fn search_others(&self, points: &Tensor<2>) -> Result<Neighbors> {
        let rows = Points::read(points, "points")?;
        let own: Vec<usize> = (0..rows.rows()).collect();
        self.search_points(&rows, &rows, Some(&own), &points.device())
    }

    fn search_points(
        &self,
        queries: &Points,
        references: &Points,
        own: Option<&[usize]>,
        device: &Device,
    ) -> Result<Neighbors> {
        self.check([references.rows(), references.dimensions()], own.is_some())?;
        let k = self.k;
        let brute_force = || {
            let filter = CandidateFilter::new(queries, references, device);
            filter.map_rows(own, |row| nearest_in_row(row, k))
        };
        let tree = || tree::search(queries, references, own, k);
        let boxes = || BoxSearch::new(queries, references, own);
        let (m, d) = (references.rows(), references.dimensions());
        let rows = match self.method {
            _ if queries.rows() == 0 => Vec::new(),
            SearchMethod::BruteForce => brute_force(),
            SearchMethod::Tree => tree(),
            SearchMethod::Boxes => boxes().search(k),
            SearchMethod::Auto if tree_is_faster(m, d, k) => tree(),
            SearchMethod::Auto => {
                let on_host = runs_on_host(device);
                let boxes = (on_host && boxes_may_pay(queries.rows(), m, k)).then(boxes);
                match boxes.filter(|boxes| boxes.pays(k)) {
                    Some(boxes) => boxes.search(k),
                    None => brute_force(),
                }
            }
        };
        Ok(Neighbors::from_rows(rows, references.rows(), k))
    }

    fn check(&self, [m, d]: [usize; 2], own: bool) -> Result<()> {
        check_k(self.k, m, own)?;
        if u32::try_from(m).is_err() {
            return Err(Error::data(format!(
                "{m} references; at most {} can be numbered: search them in parts",
                u32::MAX
            )));
        }
        if self.method == SearchMethod::Tree && d > tree::MAX_DIMENSIONS {
            return Err(Error::setting(format!(
                "a k-d tree is for 1 to {} dimensions, the points have {d}; use the method Auto or \
                 BruteForce",
                tree::MAX_DIMENSIONS
            )));
        }
        Ok(())
    }
}

/// Some of the references, by their rows.
pub(super) type Part<'a> = dyn Fn(Range<usize>) -> Result<Points> + 'a;

/// How many of many references are searched at a time: where they stand in f32 on the host, and where few queries are
/// compared with them. `None`: all of them at once.
fn rows_at_a_time(queries: usize, [m, d]: [usize; 2], is_narrow: bool) -> Option<usize> {
    let are_few = 8 * queries <= m && m * d > LARGE;
    (are_few || is_narrow).then(|| (PART_VALUES / d.max(1)).max(PART_ROWS))
}

/// Checks that every query has k neighbors among `references` rows, of which it is one where `own` says so.
///
/// # Errors
/// k of 0, or more than there are.
pub(crate) fn check_k(k: usize, references: usize, own: bool) -> Result<()> {
    let usable = references.saturating_sub(usize::from(own));
    if k == 0 {
        return Err(Error::setting("k is 0; ask for at least 1 neighbor"));
    }
    if k > usable {
        let own = if own { " other than the query itself" } else { "" };
        return Err(Error::setting(format!(
            "k is {k}, but there are only {usable} references{own}; give k from 1 to {usable}, \
             or more references"
        )));
    }
    Ok(())
}

/// The k nearest references of each query, by the method that is faster.
///
/// Shorthand for [`NearestConfig::search`]; see there for the order, `own` and the errors.
///
/// # Errors
/// As [`NearestConfig::search`].
pub fn nearest(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    k: usize,
    own: Option<&[usize]>,
) -> Result<Neighbors> {
    NearestConfig::new(k).search(queries, references, own)
}

/// The k nearest other rows of each row of `points`, as leave-one-out classification needs them.
///
/// # Errors
/// As [`NearestConfig::search`].
pub fn nearest_others(points: &Tensor<2>, k: usize) -> Result<Neighbors> {
    NearestConfig::new(k).search_others(points)
}

/// The `k` references nearest to a query in the order of [`NearestConfig::search`]; there must be so many.
pub(crate) fn nearest_rows(row: &FilteredRow, k: usize) -> Vec<u32> {
    nearest_in_row(row, k).into_iter().map(|candidate| candidate.reference).collect()
}

fn nearest_in_row(row: &FilteredRow, k: usize) -> Vec<Candidate> {
    // Any k references bound the k-th distance from above; those with the smallest estimates bound it well.
    let farthest = k_smallest(row.estimates(), k)
        .into_iter()
        .map(|reference| row.sq_distance(reference as usize))
        .fold(0.0, f64::max);
    let candidates = at_most(row.estimates(), row.limit(farthest))
        .into_iter()
        .map(|reference| Candidate { sq_distance: row.sq_distance(reference as usize), reference })
        .collect();
    k_nearest(candidates, k)
}

/// Whether there are enough references and queries that boxes, once built, may save time.
fn boxes_may_pay(queries: usize, references: usize, k: usize) -> bool {
    queries >= 1000 && references >= 4000 && k <= references / 200
}

/// The rule of [`NearestConfig`] for the tree.
fn tree_is_faster(references: usize, dimensions: usize, k: usize) -> bool {
    dimensions <= tree::MAX_DIMENSIONS
        && references >= 1 << (dimensions + 3)
        && k <= references / 20
}
