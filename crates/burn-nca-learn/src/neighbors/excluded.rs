//! The references that a query does not find: itself, those of its group, those without weight.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::points::{Points, check_groups, check_own};
use crate::data::check_weights;
use crate::error::{Error, Result};

/// Which references a query does not find.
///
/// - its own row, where queries are references: leave-one-out
/// - all rows of the group of its own row: the visits of a patient say nothing about another visit of the same patient
/// - rows of weight 0, for every query
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::{Exclude, NearestConfig};
///
/// let points = Tensor::<2>::from_floats([[0.0], [0.1], [5.0], [7.0]], &Device::flex());
/// let own = [0, 1, 2, 3];
/// let nearest = |exclude| NearestConfig::new(1).search_excluding(&points, &points, exclude);
/// let itself = Exclude::own(&own);
/// assert_eq!(nearest(itself)?.indices(0), [1]);
/// assert_eq!(nearest(itself.with_groups(Some(&[8, 8, 9, 9])))?.indices(0), [2]);
/// assert_eq!(nearest(itself.with_weights(Some(&[1.0, 0.0, 0.0, 1.0])))?.indices(0), [3]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Exclude<'a> {
    own: Option<&'a [usize]>,
    groups: Option<&'a [usize]>,
    weights: Option<&'a [f64]>,
}

impl<'a> Exclude<'a> {
    /// Nothing: queries are no references.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// The query itself: `own[i]` is the reference row that is query i.
    pub fn own(own: &'a [usize]) -> Self {
        Self { own: Some(own), ..Self::default() }
    }

    /// The query itself where queries are references.
    pub fn own_if(own: Option<&'a [usize]>) -> Self {
        Self { own, ..Self::default() }
    }

    /// And all references of the group of the query's own row; a group for each reference.
    #[must_use]
    pub fn with_groups(self, groups: Option<&'a [usize]>) -> Self {
        Self { groups, ..self }
    }

    /// And references of weight 0; a weight for each reference.
    #[must_use]
    pub fn with_weights(self, weights: Option<&'a [f64]>) -> Self {
        Self { weights, ..self }
    }

    /// What remains of so many references for so many queries.
    pub(super) fn eligible(self, queries: usize, references: usize) -> Result<Eligible<'a>> {
        check_own(self.own, queries, references)?;
        check_groups(self.groups, references)?;
        if let Some(weights) = self.weights {
            check_weights(weights, references)?;
        }
        let rows = self.weights.filter(|weights| weights.contains(&0.0)).map(|weights| {
            (0..references).filter(|&row| weights[row] > 0.0).collect::<Vec<usize>>()
        });
        let excluded = self.own.map(|own| match &rows {
            None => Excluded::own_or_group(own, self.groups),
            Some(rows) => {
                let key = |&row: &usize| self.groups.map_or(row, |groups| groups[row]);
                Excluded::of(own.iter().map(key).collect(), rows.iter().map(key).collect())
            }
        });
        Ok(Eligible { rows, excluded })
    }
}

/// The fewest others that any of so many rows has: all but itself, or all of other groups where there are groups.
pub fn fewest_others(rows: usize, groups: Option<&[usize]>) -> usize {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    groups.unwrap_or_default().iter().for_each(|&group| *sizes.entry(group).or_default() += 1);
    rows.saturating_sub(sizes.into_values().max().unwrap_or(1))
}

/// The references that some queries may find.
pub(super) struct Eligible<'a> {
    /// Those with a weight, where there are others.
    pub(super) rows: Option<Vec<usize>>,
    /// What is left out of those for each query.
    pub(super) excluded: Option<Excluded<'a>>,
}

/// References that are left out, query by query: those of the query's key.
#[derive(Clone, Debug)]
pub(crate) struct Excluded<'a> {
    of_query: Cow<'a, [usize]>,
    of_reference: Keys<'a>,
}

#[derive(Clone, Debug)]
enum Keys<'a> {
    /// The key of a reference is its place.
    Places,
    /// A key for each reference, and the references of each key.
    Listed(Cow<'a, [usize]>, HashMap<usize, Vec<usize>>),
}

impl Eligible<'_> {
    /// These references.
    pub(super) fn of(&self, references: &Points) -> Points {
        self.rows.as_ref().map_or_else(|| references.clone(), |rows| references.select(rows))
    }

    /// The row of the reference at a place among these.
    pub(super) fn row(&self, place: usize) -> usize {
        self.rows.as_ref().map_or(place, |rows| rows[place])
    }

    /// Checks that every query has a reference, of [these](Self::of).
    pub(super) fn check_usable(&self, queries: &Points, references: &Points) -> Result<()> {
        check_usable(references.rows(), queries.rows(), self.excluded.as_ref(), |_| true)
    }
}

/// What to say of a query without a reference, where itself or its group may be left out.
pub(super) fn none_left(excluded: Option<&Excluded<'_>>) -> Error {
    Error::data(match excluded.map(Excluded::is_of_keys) {
        Some(true) => {
            "there is no reference that is not of the query's own group; give rows of at least two groups"
        }
        Some(false) => "there is no reference other than the query itself; give at least two rows",
        None => "there is no reference; give at least one row",
    })
}

/// Checks that every query has a reference, of so many that count.
pub(super) fn check_usable(
    usable: usize,
    queries: usize,
    excluded: Option<&Excluded<'_>>,
    counts: impl Fn(usize) -> bool,
) -> Result<()> {
    let left_out = excluded.map_or(0, |excluded| excluded.most(counts));
    if queries == 0 || usable > left_out {
        return Ok(());
    }
    Err(none_left(excluded))
}

impl<'a> Excluded<'a> {
    /// The query itself: the reference `own[i]` for query i; a number behind all references is none of them.
    pub(crate) fn own(own: &'a [usize]) -> Self {
        Self { of_query: Cow::Borrowed(own), of_reference: Keys::Places }
    }

    /// The references whose key is that of the query.
    pub(crate) fn of(of_query: Cow<'a, [usize]>, of_reference: Cow<'a, [usize]>) -> Self {
        let mut rows: HashMap<usize, Vec<usize>> = HashMap::new();
        for (row, &key) in of_reference.iter().enumerate() {
            rows.entry(key).or_default().push(row);
        }
        Self { of_query, of_reference: Keys::Listed(of_reference, rows) }
    }

    /// For the rows `own` of a table, these rows themselves, or their groups where there are groups.
    pub(crate) fn own_or_group(own: &'a [usize], groups: Option<&'a [usize]>) -> Self {
        match groups {
            None => Self::own(own),
            Some(groups) => {
                let of_query = own.iter().map(|&row| groups[row]).collect();
                Self::of(of_query, Cow::Borrowed(groups))
            }
        }
    }

    /// The references that are left out for a query; of own rows, perhaps one behind all references.
    pub(crate) fn rows(&self, query: usize) -> &[usize] {
        let key = &self.of_query[query];
        match &self.of_reference {
            Keys::Places => std::slice::from_ref(key),
            Keys::Listed(_, rows) => rows.get(key).map_or(&[], Vec::as_slice),
        }
    }

    /// Whether a reference is left out for a query.
    pub(crate) fn has(&self, query: usize, reference: usize) -> bool {
        self.of_query[query] == self.key(reference)
    }

    fn key(&self, reference: usize) -> usize {
        match &self.of_reference {
            Keys::Places => reference,
            Keys::Listed(keys, _) => keys[reference],
        }
    }

    /// The most references that count and are left out for a query.
    pub(super) fn most(&self, counts: impl Fn(usize) -> bool) -> usize {
        let mut keys = self.of_query.to_vec();
        keys.sort_unstable();
        keys.dedup();
        let of_key = |key: &usize| match &self.of_reference {
            Keys::Places => usize::from(counts(*key)),
            Keys::Listed(_, rows) => {
                rows.get(key).map_or(0, |rows| rows.iter().filter(|row| counts(**row)).count())
            }
        };
        keys.iter().map(of_key).max().unwrap_or(0)
    }

    /// What is left out of a part of the references.
    pub(super) fn part(&self, part: Range<usize>) -> Excluded<'_> {
        match &self.of_reference {
            Keys::Places => {
                let place =
                    |key: &usize| if part.contains(key) { key - part.start } else { usize::MAX };
                let of_query = self.of_query.iter().map(place).collect();
                Excluded { of_query, of_reference: Keys::Places }
            }
            Keys::Listed(keys, _) => {
                Excluded::of(Cow::Borrowed(&*self.of_query), Cow::Borrowed(&keys[part]))
            }
        }
    }

    /// Sorts references so that those that a query leaves out follow each other, without parting what `order` keeps
    /// together.
    pub(crate) fn arrange<K: Ord>(&self, rows: &mut [usize], order: impl Fn(usize) -> K) {
        rows.sort_by_key(|&row| (order(row), self.key(row)));
    }

    /// Where those that each query leaves out are in `rows`, which are [arranged](Self::arrange).
    pub(crate) fn spans(&self, rows: &[usize]) -> Vec<Range<usize>> {
        let mut spans: HashMap<usize, Range<usize>> = HashMap::new();
        for (at, &row) in rows.iter().enumerate() {
            spans.entry(self.key(row)).or_insert(at..at).end = at + 1;
        }
        let none = rows.len()..rows.len();
        self.of_query.iter().map(|key| spans.get(key).unwrap_or(&none).clone()).collect()
    }

    /// Whether whole groups are left out, not the query alone.
    pub(crate) fn is_of_keys(&self) -> bool {
        matches!(self.of_reference, Keys::Listed(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::assert_refused;

    #[test]
    fn what_does_not_fit_is_refused() {
        let own = Exclude::own(&[0, 1]);
        for (exclude, refused) in [
            (own.with_groups(Some(&[1, 2])), "2 groups for 3 references"),
            (own.with_weights(Some(&[0.0; 3])), "positive weight"),
            (Exclude::own(&[0]), "1 own rows"),
            (Exclude::own(&[0, 3]), "query 1 is said to be reference row 3"),
        ] {
            assert_refused(exclude.eligible(2, 3), &[refused]);
        }
    }
}
