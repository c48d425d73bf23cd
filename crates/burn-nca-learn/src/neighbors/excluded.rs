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
        let is_plain = rows.is_none() && self.groups.is_none();
        let mut eligible = Eligible { rows, excluded: self.own.map(Excluded::own) };
        if let Some(own) = self.own.filter(|_| !is_plain) {
            let key = |row: usize| self.groups.map_or(row, |groups| groups[row]);
            let of_query = own.iter().map(|&row| key(row)).collect();
            let places = 0..eligible.count(references);
            let of_reference = places.map(|place| key(eligible.row(place))).collect();
            eligible.excluded = Some(Excluded::of(of_query, of_reference, self.groups.is_some()));
        }
        Ok(eligible)
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
    of_reference: Keys,
    /// Whether whole groups are left out, not the query alone.
    pub(super) is_grouped: bool,
}

#[derive(Clone, Debug)]
enum Keys {
    /// The key of a reference is its place.
    Places,
    /// A key for each reference, and the references of each key.
    Listed(Vec<usize>, HashMap<usize, Vec<usize>>),
}

impl Eligible<'_> {
    /// These references.
    pub(super) fn of(&self, references: &Points) -> Points {
        self.rows.as_ref().map_or_else(|| references.clone(), |rows| references.select(rows))
    }

    /// How many of so many references these are.
    pub(super) fn count(&self, references: usize) -> usize {
        self.rows.as_ref().map_or(references, Vec::len)
    }

    /// The row of the reference at a place among these.
    pub(super) fn row(&self, place: usize) -> usize {
        self.rows.as_ref().map_or(place, |rows| rows[place])
    }

    /// Checks that each of so many queries has one of so many references.
    pub(super) fn check_usable(&self, queries: usize, references: usize) -> Result<()> {
        let left_out = self.excluded.as_ref().map_or(0, Excluded::most);
        if queries == 0 || self.count(references) > left_out {
            return Ok(());
        }
        Err(none_left(self.excluded.as_ref()))
    }
}

/// What to say of a query without a reference, where itself or its group may be left out.
pub(super) fn none_left(excluded: Option<&Excluded<'_>>) -> Error {
    Error::data(match excluded.map(|excluded| excluded.is_grouped) {
        Some(true) => {
            "there is no reference that is not of the query's own group; give rows of at least two groups"
        }
        Some(false) => "there is no reference other than the query itself; give at least two rows",
        None => "there is no reference; give at least one row",
    })
}

impl<'a> Excluded<'a> {
    /// The query itself: the reference `own[i]` for query i; a number behind all references is none of them.
    pub(crate) fn own(own: &'a [usize]) -> Self {
        Self { of_query: Cow::Borrowed(own), of_reference: Keys::Places, is_grouped: false }
    }

    /// The references whose key is that of the query.
    fn of(of_query: Cow<'a, [usize]>, of_reference: Vec<usize>, is_grouped: bool) -> Self {
        let mut rows: HashMap<usize, Vec<usize>> = HashMap::new();
        for (row, &key) in of_reference.iter().enumerate() {
            rows.entry(key).or_default().push(row);
        }
        Self { of_query, of_reference: Keys::Listed(of_reference, rows), is_grouped }
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

    /// What the references that a query leaves out have in common.
    pub(super) fn key(&self, reference: usize) -> usize {
        match &self.of_reference {
            Keys::Places => reference,
            Keys::Listed(keys, _) => keys[reference],
        }
    }

    /// The most references that are left out for a query.
    pub(super) fn most(&self) -> usize {
        (0..self.of_query.len()).map(|query| self.rows(query).len()).max().unwrap_or(0)
    }

    /// What is left out of a part of the references.
    pub(super) fn part(&self, part: Range<usize>) -> Excluded<'_> {
        match &self.of_reference {
            Keys::Places => {
                let place =
                    |key: &usize| if part.contains(key) { key - part.start } else { usize::MAX };
                let of_query = self.of_query.iter().map(place).collect();
                Excluded { of_query, of_reference: Keys::Places, is_grouped: false }
            }
            Keys::Listed(keys, _) => {
                let of_query = Cow::Borrowed(&*self.of_query);
                Excluded::of(of_query, keys[part].to_vec(), self.is_grouped)
            }
        }
    }

    /// Where those that each query leaves out are in `rows`, in which they follow each other.
    pub(super) fn spans(&self, rows: &[usize]) -> Vec<Range<usize>> {
        let mut spans: HashMap<usize, Range<usize>> = HashMap::new();
        for (at, &row) in rows.iter().enumerate() {
            spans.entry(self.key(row)).or_insert(at..at).end = at + 1;
        }
        let none = rows.len()..rows.len();
        self.of_query.iter().map(|key| spans.get(key).unwrap_or(&none).clone()).collect()
    }
}
