//! The nearest-neighbor search, and the choice of its method.

use std::ops::Range;

use burn::config::Config;
use burn::tensor::{Device, Tensor};

use super::box_search::BoxSearch;
use super::candidate_filter::{CandidateFilter, FilteredRow};
use super::excluded::{Exclude, Excluded, none_left};
use super::in_parts::of_rows;
use super::points::{Points, check_dimensions};
use super::ranking::{Candidate, Neighbors, k_nearest};
use super::selection::{at_most, k_smallest};
use crate::data::Features;
use crate::device::runs_on_host;
use crate::error::{Error, Result};

/// Values of a table of references from which on few queries search it in parts.
const LARGE: usize = 1 << 22;

/// Values of such a part, 8 MiB, and its rows at least: of fewer, boxes do not pay.
const PART_VALUES: usize = 1 << 20;
const PART_ROWS: usize = 1 << 14;

/// Dimensions up to which a tree leaves most of any points unseen.
const FEW_DIMENSIONS: usize = 8;

/// How neighbors are searched. Every method gives the same neighbors; they differ in time.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum SearchMethod {
    /// The tree where it pays, else brute force: see [`NearestConfig`] for the rule.
    Auto,
    /// All distances, by blocks of matrix products on the tensors' device.
    BruteForce,
    /// A tree of bounding boxes on the host, in the leading principal directions: for few dimensions, and for embeddings
    /// and other data whose directions differ in spread.
    Tree,
}

/// A search for the k nearest references of each query.
///
/// `Auto` takes the tree up to 8 dimensions, from `2^(d + 3)` references for d dimensions on (2 dimensions: 32;
/// 8 dimensions: 2048), and for k of at most a twentieth of the references. Else, on the host, from 1000 queries and 4000
/// references on and for k of at most a two-hundredth of these, it searches 32 of the queries with the tree, and takes it
/// for all if what those had to look at is worth less than a matrix product. In all other cases it takes brute force.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::{NearestConfig, SearchMethod};
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[0.0], [1.0], [3.0]], &device);
/// let queries = Tensor::<2>::from_floats([[2.5]], &device);
/// let search = NearestConfig::new(2).with_method(SearchMethod::BruteForce);
/// let neighbors = search.search(&queries, &references, None)?;
/// assert_eq!(neighbors.indices(0), [2, 1]);
/// assert_eq!(neighbors.sq_distances(0), [0.25, 2.25]);
/// # Ok::<(), burn_nca_learn::Error>(())
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
    /// The k nearest references of each query, ascending by distance; of equal distances ([see](super)) the lower reference
    /// row comes first.
    ///
    /// # Shapes
    /// - queries: `[n, d]`, references: `[m, d]`
    /// - own: n entries; `own[i]` is the reference row that is query i, which is never its own neighbor
    ///
    /// # Errors
    /// k of 0 or larger than the references (less one where `own` is given), queries and references of
    /// different dimensions, a coordinate that is not finite, or `own` that does not fit.
    pub fn search(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        own: Option<&[usize]>,
    ) -> Result<Neighbors> {
        self.search_excluding(queries, references, Exclude::own_if(own))
    }

    /// The k nearest of the references that a query may find: not itself, none of its group, none of weight 0.
    ///
    /// # Errors
    /// As [`NearestConfig::search`], k larger than what is left for some query, or groups or weights that do not fit.
    pub fn search_excluding(
        &self,
        queries: &Tensor<2>,
        references: &Tensor<2>,
        exclude: Exclude<'_>,
    ) -> Result<Neighbors> {
        let (queries, shape) = (Points::read(queries, "queries")?, references.dims());
        let part = |rows: Range<usize>| Points::read(&of_rows(references, rows), "references");
        self.search_eligible(&queries, (shape, &part), false, (exclude, &references.device()))
    }

    /// The same of rows on the host, which are not copied; products are taken on `device`.
    ///
    /// # Errors
    /// As [`search_excluding`](Self::search_excluding).
    pub fn search_features_excluding(
        &self,
        queries: &Features,
        references: &Features,
        exclude: Exclude<'_>,
        device: &Device,
    ) -> Result<Neighbors> {
        let shape = [references.rows(), references.columns()];
        let queries = Points::of(queries, "queries")?;
        let part = |rows: Range<usize>| match rows.len() == shape[0] {
            true => Points::of(references, "references"),
            false => Points::of(&references.select(&rows.collect::<Vec<_>>()), "references"),
        };
        let is_narrow = references.is_narrow();
        self.search_eligible(&queries, (shape, &part), is_narrow, (exclude, device))
    }

    /// The search among those of m references that count; in [parts](rows_at_a_time) where all do.
    fn search_eligible(
        &self,
        queries: &Points,
        (shape, part): ([usize; 2], &Part<'_>),
        is_narrow: bool,
        (exclude, device): (Exclude<'_>, &Device),
    ) -> Result<Neighbors> {
        let m = shape[0];
        let eligible = exclude.eligible(queries.rows(), m)?;
        let excluded = eligible.excluded.as_ref();
        let at_a_time = rows_at_a_time(queries.rows(), shape, is_narrow);
        if let (None, Some(rows)) = (&eligible.rows, at_a_time) {
            return self.search_parts(queries, (m, part), excluded, (rows, device));
        }
        let references = part(0..m)?;
        check_dimensions(queries.dimensions(), references.dimensions())?;
        let mut found = self.search_points(queries, &eligible.of(&references), excluded, device)?;
        for Candidate { reference, .. } in found.iter_mut().flatten() {
            *reference = eligible.row(*reference as usize) as u32;
        }
        Ok(Neighbors::from_rows(found, m, self.k))
    }

    /// The same among m references of which `part` gives some, so many at a time: neither their values in f64 nor a
    /// copy for products stands for all of them.
    pub(super) fn search_parts(
        &self,
        queries: &Points,
        (m, part): (usize, &Part<'_>),
        excluded: Option<&Excluded<'_>>,
        (rows, device): (usize, &Device),
    ) -> Result<Neighbors> {
        self.check(m, excluded)?;
        let mut nearest: Vec<Vec<Candidate>> = vec![Vec::new(); queries.rows()];
        // A part has more rows than there are neighbors to find.
        let most = excluded.map_or(0, Excluded::most);
        let parts = (m / rows.max(2 * (self.k + most))).max(1);
        for at in 0..parts {
            let (start, end) = (at * m / parts, (at + 1) * m / parts);
            // The message of all references has the row's number.
            let among = part(start..end).or_else(|_| part(0..m))?;
            check_dimensions(queries.dimensions(), among.dimensions())?;
            let excluded = excluded.map(|excluded| excluded.part(start..end));
            let near = self.search_points(queries, &among, excluded.as_ref(), device)?;
            for (query, (nearest, near)) in nearest.iter_mut().zip(near).enumerate() {
                let numbered = |near: Candidate| near.reference + start as u32;
                nearest.extend(
                    near.into_iter().map(|near| Candidate { reference: numbered(near), ..near }),
                );
                let resolution = queries.resolution(query, &among);
                *nearest = k_nearest(std::mem::take(nearest), self.k, resolution);
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
        let found = self.search_points(&rows, &rows, Some(&Excluded::own(&own)), &points.device());
        Ok(Neighbors::from_rows(found?, own.len(), self.k))
    }

    fn search_points(
        &self,
        queries: &Points,
        references: &Points,
        excluded: Option<&Excluded<'_>>,
        device: &Device,
    ) -> Result<Vec<Vec<Candidate>>> {
        self.check(references.rows(), excluded)?;
        let k = self.k;
        let brute_force = || {
            let filter = CandidateFilter::new(queries, references, device);
            filter.map_rows(excluded, |row| nearest_in_row(row, k))
        };
        let tree = || BoxSearch::new(queries, references, excluded);
        let (n, m, d) = (queries.rows(), references.rows(), references.dimensions());
        // Whatever the points are.
        let is_faster = d <= FEW_DIMENSIONS && m >= 1 << (d + 3) && k <= m / 20;
        let may_pay = || n >= 1000 && m >= 4000 && k <= m / 200 && runs_on_host(device);
        Ok(match self.method {
            _ if n == 0 => Vec::new(),
            SearchMethod::BruteForce => brute_force(),
            SearchMethod::Tree => tree().search(k),
            SearchMethod::Auto if is_faster => tree().search(k),
            SearchMethod::Auto => {
                let tree = may_pay().then(tree).filter(|tree| tree.pays(k));
                tree.map_or_else(brute_force, |tree| tree.search(k))
            }
        })
    }

    fn check(&self, m: usize, excluded: Option<&Excluded<'_>>) -> Result<()> {
        check_k(self.k, m, excluded)?;
        if u32::try_from(m).is_err() {
            return Err(Error::data(format!(
                "{m} references; at most {} can be numbered: search them in parts",
                u32::MAX
            )));
        }
        Ok(())
    }
}

/// Some of the references, by their rows.
pub(super) type Part<'a> = dyn Fn(Range<usize>) -> Result<Points> + 'a;

/// How many references are searched at a time: of many where they are stored in f32, and where there are few queries.
fn rows_at_a_time(queries: usize, [m, d]: [usize; 2], is_narrow: bool) -> Option<usize> {
    let are_few = 8 * queries <= m && m * d > LARGE;
    (are_few || is_narrow).then(|| (PART_VALUES / d.max(1)).max(PART_ROWS))
}

/// Checks that every query has k neighbors among so many references, of which some may be left out for it.
pub(crate) fn check_k(k: usize, references: usize, excluded: Option<&Excluded<'_>>) -> Result<()> {
    let left_out = excluded.map_or(0, Excluded::most);
    let usable = references.saturating_sub(left_out);
    if k == 0 {
        return Err(Error::setting("k is 0; ask for at least 1 neighbor"));
    }
    if usable == 0 {
        return Err(none_left(excluded));
    }
    if k <= usable {
        return Ok(());
    }
    let own = match excluded.map(|excluded| excluded.is_grouped) {
        Some(true) => {
            return Err(Error::setting(format!(
                "k is {k}, but for some row only {usable} references are left that are not of its own group; give k \
                 from 1 to {usable}, or rows of more groups"
            )));
        }
        Some(false) => " other than the query itself",
        None => "",
    };
    Err(Error::setting(format!(
        "k is {k}, but there are only {usable} references{own}; give k from 1 to {usable}, or more references"
    )))
}

/// The k nearest references of each query, by the method that is faster: short for [`NearestConfig::search`].
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
    let resolution = row.resolution();
    let candidates = at_most(row.estimates(), row.limit(resolution.sq_reach(farthest)))
        .into_iter()
        .map(|reference| Candidate { sq_distance: row.sq_distance(reference as usize), reference })
        .collect();
    k_nearest(candidates, k, resolution)
}
