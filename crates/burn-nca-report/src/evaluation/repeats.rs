//! Rows that are measured and were learned from, and rows that occur more than once: what it does to the scores.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Pairs, Split};
use burn_nca_learn::evaluate::{row_numbers, seen_rows};

use super::rounded_rows;
use crate::{Warning, WarningCode, counted};

/// A share of rows below this is no warning: 1 in so many.
const SHARE: usize = 100;

/// Among more rows than these one copy is no warning.
const FEW_ROWS: usize = 20;

/// Copies of which chance explains more than this share are those of a table of few values.
const FEW: f64 = 0.25;

/// Rows that occur so many times on average are those of a table of few values.
const OFTEN: usize = 10;

/// How far from a training row its copy may be embedded, relative to their length.
const TOLERANCE: f64 = 1e-6;

/// So many training rows on a line leave gaps far wider than that.
const MOST_ON_A_LINE: usize = 1000;

/// What copies have in common where both tables are at hand.
pub const VALUES: &str = "the same values in all features";

/// The same of rows of which some were rounded.
const ROUNDED: &str = "the same values in all features, but for rounding";

/// Rows (or pairs: the `noun`) that are measured, and which of them were learned from.
pub struct Seen {
    /// Rows, or pairs.
    pub noun: &'static str,
    /// What each that is measured is called, such as `test row`.
    pub measured: &'static str,
    /// What they have in common with one that was learned from.
    pub same: &'static str,
    /// One for each that is measured.
    pub seen: Vec<bool>,
    /// Of each, the probability that it has a copy by chance alone: `chance_of_copy`.
    pub by_chance: f64,
}

impl Seen {
    /// The rows that a split holds out of `all`, and which of them are training rows, too.
    pub fn of_test(all: &Features, split: &Split, train: &Features) -> Self {
        let test = all.select(&split.test);
        Self { measured: "test row", ..Self::of_model(&test, train) }
    }

    /// Rows that a saved model is measured on, and which of them are among the rows that it was fitted on.
    pub fn of_model(rows: &Features, train: &Features) -> Self {
        let mut seen = seen_rows(train, rows);
        let rounded = rounded_rows::find(train, rows, &seen);
        let same = if rounded.iter().any(Option::is_some) { ROUNDED } else { VALUES };
        seen.iter_mut().zip(&rounded).for_each(|(seen, rounded)| *seen |= rounded.is_some());
        let by_chance = if seen.contains(&true) { chance_of_copy(train) } else { 0.0 };
        Self { noun: "row", measured: "row", same, seen, by_chance }
    }

    /// As [`of_model`](Self::of_model), by the embedding, which a model keeps of its training rows; `None` where they
    /// are too many for one dimension to tell them apart.
    ///
    /// # Errors
    /// Other columns than the model's, or an embedding of other than floats.
    pub fn of_embedding(model: &Fitted, rows: &Features) -> Result<Option<Self>> {
        let [train, dimensions] = model.references().dims();
        if dimensions == 1 && train > MOST_ON_A_LINE {
            return Ok(None);
        }
        let values = |tensor: Tensor<2>| tensor.into_data().convert::<f64>().try_to_vec();
        let known = values(model.references().clone())?;
        let seen = embedded_alike(&known, &values(model.transform(rows)?)?, dimensions);
        let by_chance = if seen.contains(&true) { chance_of_copy(rows) } else { 0.0 };
        let same = "the same embedding";
        Ok(Some(Self { noun: "row", measured: "row", same, seen, by_chance }))
    }

    /// Says of rows which of them are training rows, by `train` where these are at hand, else by their embedding, and how
    /// many occur more than once; `score` is that of what is predicted and true of the others.
    pub(super) fn warnings_of<T: Copy>(
        (model, train): (&Fitted, Option<&Features>),
        (rows, [predicted, truth]): (&Features, [&[T]; 2]),
        score: impl Fn(&[T], &[T]) -> Option<String>,
    ) -> Result<Vec<Warning>> {
        let score = |others: &[usize]| {
            let of = |values: &[T]| others.iter().map(|&at| values[at]).collect::<Vec<T>>();
            score(&of(predicted), &of(truth))
        };
        let of_model = train.map(|train| Self::of_model(rows, train));
        let seen = match of_model
            .map_or_else(|| Self::of_embedding(model, rows), |seen| Ok(Some(seen)))?
        {
            Some(seen) => seen.warning(score),
            None => Some(not_checked("row", "one dimension does not tell so many of them apart")),
        };
        let consequence = "they count as often, and the intervals of the accuracies are too narrow";
        let copies = about_copies((rows, None), "rows", consequence);
        Ok(seen.into_iter().chain(copies).collect())
    }

    /// The places of those that were not learned from.
    pub fn others(&self) -> Vec<usize> {
        (0..self.seen.len()).filter(|&at| !self.seen[at]).collect()
    }

    /// How many were learned from.
    pub fn count(&self) -> usize {
        self.seen.iter().filter(|seen| **seen).count()
    }

    /// Says how many were learned from, and what `score` is on the others, if there are any; nothing where they are one of
    /// many, or a few of very many.
    pub fn warning(&self, score: impl FnOnce(&[usize]) -> Option<String>) -> Option<Warning> {
        let (seen, all) = (self.count(), self.seen.len());
        let by_chance = self.by_chance * all as f64 > FEW * seen as f64;
        let may_be_one = all == 1 || all <= FEW_ROWS && !by_chance;
        if seen == 0 || seen == 1 && !may_be_one || SHARE * seen < all {
            return None;
        }
        let Self { noun, measured, same, .. } = self;
        let also = match (seen, all) {
            (_, 1) => format!("the {measured} is also a training {noun}"),
            _ if seen == all => format!("all {all} {measured}s are also training {noun}s"),
            (1, _) => format!("1 of {all} {measured}s is also a training {noun}"),
            _ => format!("{seen} of {all} {measured}s are also training {noun}s"),
        };
        let scores = if by_chance {
            ", as is likely where columns have so few values: the scores hold for new rows that repeat as often"
        } else {
            ": the scores are optimistic"
        };
        let others = self.others();
        let on_others = match score(&others) {
            _ if others.is_empty() => format!("; measure on {noun}s that the fit has not seen"),
            Some(score) => format!("; on the other {}: {score}", counted(others.len(), noun)),
            None => String::new(),
        };
        Some(Warning::new(WarningCode::TrainingRows, format!("{also} ({same}){scores}{on_others}")))
    }
}

/// Says that it is not known which of the rows or pairs, the `noun`, were learned from.
pub fn not_checked(noun: &str, reason: &str) -> Warning {
    let text = format!("whether these {noun}s are training {noun}s is not checked: {reason}");
    Warning::new(WarningCode::TrainingRows, text)
}

/// Which rows are embedded where one of the known rows is, but for rounding.
fn embedded_alike(known: &[f64], rows: &[f64], dimensions: usize) -> Vec<bool> {
    let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
    let mut known: Vec<&[f64]> = known.chunks_exact(dimensions).collect();
    let typical = known.iter().map(|row| square(row)).sum::<f64>() / known.len().max(1) as f64;
    let spread = |&column: &usize| {
        let values = || known.iter().map(|row| row[column]);
        values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
    };
    let widest = (0..dimensions).max_by(|a, b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
    known.sort_unstable_by(|a, b| a[widest].total_cmp(&b[widest]));
    let is_known = |row: &[f64]| {
        let reach = TOLERANCE * (typical + square(row)).sqrt();
        let first = known.partition_point(|other| other[widest] < row[widest] - reach);
        known[first..].iter().take_while(|other| other[widest] <= row[widest] + reach).any(
            |other| {
                let distance: f64 = other.iter().zip(row).map(|(a, b)| (a - b).powi(2)).sum();
                distance <= reach * reach
            },
        )
    };
    rows.chunks_exact(dimensions).map(is_known).collect()
}

/// The probability that a row has a copy in a table of independent columns with the values of this one.
///
/// ```text
/// 1 - (1 - P)^n,   P = Π_c Σ_v n_cv (n_cv - 1) / (m (m - 1))
/// ```
/// n_cv of the m distinct rows have the value v in column c: a row is no evidence of copies by being one itself, nor by
/// occurring again. It is 1 where rows occur [`OFTEN`] times on average, and near 1 where a few columns of a few values
/// each (yes or no, a grade) leave nothing else.
fn chance_of_copy(table: &Features) -> f64 {
    let numbers = row_numbers(&[table]).pop().unwrap_or_default();
    let mut distinct = 0;
    let mut counts: Vec<HashMap<u64, f64>> = vec![HashMap::new(); table.columns()];
    table.each_row(|row, values| {
        if numbers[row] < distinct {
            return;
        }
        distinct += 1;
        for (counts, value) in counts.iter_mut().zip(values) {
            *counts.entry((value + 0.0).to_bits()).or_default() += 1.0;
        }
    });
    if table.rows() >= OFTEN * distinct {
        return 1.0;
    }
    let m = distinct as f64;
    let pairs = (m * (m - 1.0)).max(1.0);
    let same = |counts: &HashMap<u64, f64>| {
        counts.values().map(|count| count * (count - 1.0)).sum::<f64>() / pairs
    };
    let share: f64 = counts.iter().map(same).product();
    1.0 - (-(table.rows() as f64) * share).exp()
}

/// Says how many rows of a table have copies in it, and what is optimistic by that; `rows` is what they are called.
///
/// Copies of a row of the same group are none: nothing is measured by them.
pub fn about_copies(
    (table, groups): (&Features, Option<&[usize]>),
    rows: &str,
    consequence: &str,
) -> Option<Warning> {
    let (copies, all) = (copies(table, groups), table.rows());
    let few_values = || chance_of_copy(table) * all as f64 > FEW * copies as f64;
    (copies > 2 && SHARE * copies >= all).then(|| {
        let why = if few_values() { ", as is likely where columns have so few values" } else { "" };
        Warning::new(
            WarningCode::RepeatedRows,
            format!(
                "{copies} of {all} {rows} occur more than once (the same values in all features){why}: {consequence}"
            ),
        )
    })
}

/// How many rows have a copy, in another group where there are groups.
fn copies(table: &Features, groups: Option<&[usize]>) -> usize {
    let numbers = row_numbers(&[table]).pop().unwrap_or_default();
    let mut rows_of: HashMap<usize, Vec<usize>> = HashMap::new();
    numbers
        .iter()
        .enumerate()
        .for_each(|(row, &number)| rows_of.entry(number).or_default().push(row));
    let is_measured_by_itself = |rows: &&Vec<usize>| match groups {
        None => rows.len() > 1,
        Some(groups) => rows.iter().any(|&row| groups[row] != groups[rows[0]]),
    };
    rows_of.values().filter(is_measured_by_itself).map(Vec::len).sum()
}

/// Which of the pairs `asked` join the same rows as a pair of `learned`, in either order; rows are the same where their
/// features are, but for rounding, so that the tables may be two.
pub fn seen_pairs(
    (train, learned): (&Features, impl Iterator<Item = (usize, usize)>),
    (data, asked): (&Features, &Pairs),
) -> Vec<bool> {
    let mut numbers = row_numbers(&[train, data]);
    let (mut asked_of, learned_of) = (numbers.pop().unwrap_or_default(), numbers.pop());
    let ends = |numbers: &[usize], (a, b): (usize, usize)| {
        let (a, b) = (numbers[a], numbers[b]);
        (a.min(b), a.max(b))
    };
    let learned_of = learned_of.unwrap_or_default();
    let known = learned_of.iter().max().map_or(0, |largest| largest + 1);
    let is_known: Vec<bool> = asked_of.iter().map(|number| *number < known).collect();
    let rounded = rounded_rows::find(train, data, &is_known);
    for (number, other) in asked_of.iter_mut().zip(rounded) {
        *number = other.map_or(*number, |other| learned_of[other]);
    }
    let learned: HashSet<(usize, usize)> = learned.map(|pair| ends(&learned_of, pair)).collect();
    asked.iter().map(|(a, b, _)| learned.contains(&ends(&asked_of, (a, b)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_fit_are_counted_and_the_others_are_scored() {
        let text = |known: usize, others: usize, by_chance| {
            let seen = [vec![true; known], vec![false; others]].concat();
            let seen = Seen { noun: "row", measured: "test row", same: VALUES, seen, by_chance };
            let score = |others: &[usize]| Some(format!("1-NN accuracy of {others:?}"));
            seen.warning(score).map_or(String::new(), |warning| warning.text)
        };
        assert_eq!(
            text(3, 1, 0.0),
            "3 of 4 test rows are also training rows (the same values in all features): the scores are optimistic; on the other \
             1 row: 1-NN accuracy of [3]"
        );
        let all = text(3, 0, 0.0);
        assert!(all.starts_with("all 3 test rows are also training rows"), "{all}");
        assert!(all.ends_with("measure on rows that the fit has not seen"), "{all}");
        assert!(text(1, 0, 0.0).starts_with("the test row is also a training row"));
        assert!(text(1, 2, 0.0).starts_with("1 of 3 test rows is also"));
        assert_eq!([text(0, 4, 0.0), text(1, 20, 0.0), text(2, 300, 0.0)], [""; 3]);
        assert!(text(3, 1, 0.9).contains("as is likely where columns have so few values"));
    }

    #[test]
    fn copies_within_a_table_are_counted() {
        let table = |values: &[f64]| Features::unnamed(values.to_vec(), 1).unwrap();
        let about = |values: &[f64]| about_copies((&table(values), None), "training rows", "so");
        assert_eq!(about(&[0.0, 1.0, 2.0]), None);
        assert_eq!(about(&[0.0, 1.0, 1.0]), None, "two rows may be copies by chance");
        let text = about(&[0.0, 1.0, -0.0, 1.0, 0.0, 7.0]).unwrap().text;
        assert!(text.starts_with("5 of 6 training rows occur more than once"), "{text}");
        let of_groups = |groups: [usize; 4]| copies(&table(&[0.0, 1.0, 0.0, 1.0]), Some(&groups));
        assert_eq!([[0, 1, 0, 1], [0, 1, 2, 1], [0, 1, 2, 3]].map(of_groups), [0, 2, 4]);
    }

    #[test]
    fn few_values_make_copies_likely_and_rows_are_no_evidence_by_themselves() {
        let chance = |values: Vec<f64>, columns| {
            chance_of_copy(&Features::unnamed(values, columns).unwrap())
        };
        let bits = (0..400).map(|i| f64::from(i * i * 7 % 13 % 2)).collect();
        assert!(chance(bits, 4) > 0.99);
        assert_eq!(chance((0..400).map(|i| f64::from(i % 5)).collect(), 1), 1.0);
        let number = |i: usize| (i * i % 1009) as f64 / 7.0;
        let with_bit = |i: usize| [number(i / 3), (i / 9 % 2) as f64];
        let thrice = (0..270).map(|i| number(i / 3)).collect();
        for (values, columns) in [
            ((0..400).map(number).collect(), 4),
            (thrice, 1),
            ((0..270).flat_map(with_bit).collect(), 2),
        ] {
            let found = chance(values, columns);
            assert!(found < 1e-6, "{columns}: {found}");
        }
    }

    #[test]
    fn copies_are_embedded_alike_but_for_rounding() {
        let known = [0.0, 1.0, 0.0, -1.0, 3.0, 4.0];
        let near = 1.0 + 1e-7;
        let rows = [0.0, near, 3.0, 4.0, 3.0, 4.0 + 1e-4, 0.0, 0.0, 9.0, 9.0];
        assert_eq!(embedded_alike(&known, &rows, 2), [true, true, false, false, false]);
        assert_eq!(embedded_alike(&[], &[1.0], 1), [false]);
    }
}
