//! Whether pairs to measure on are those that the model was fitted to.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use burn_nca::data::{Features, Pairs, random_split};
use burn_nca_data::read_pairs;

use super::training_rows::bits;
use crate::source::Source;
use burn_nca_report::{Warning, WarningCode};

/// A pair, its ends numbered by their features; in either order.
type Ends = (usize, usize);

/// A warning where half of the pairs, or of those of the fit, are in both; `train` are the rows of the fit, `data` those
/// of `pairs`. `None`, too, for a model that does not tell its pairs, or whose pairs came through a pipe.
///
/// # Errors
/// The file of the pairs of the fit is not there any more, or is another.
pub fn warning(
    source: Option<&Source>,
    train: &Features,
    data: &Features,
    pairs: &Pairs,
) -> Result<Option<Warning>> {
    let Some((source, file)) = source.and_then(|source| Some((source, source.rereadable_pairs()?)))
    else {
        return Ok(None);
    };
    let all: Vec<(usize, usize, f64)> = read_pairs(file, train.rows())?.iter().collect();
    let split = random_split(all.len(), source.split.share, source.split.seed)?;
    let learned = split.train.iter().map(|&pair| (all[pair].0, all[pair].1));
    Ok(about(train, learned, data, pairs))
}

/// Pairs are the same where both rows are: the table may be another, or in another order.
fn about(
    train: &Features,
    learned: impl Iterator<Item = (usize, usize)>,
    data: &Features,
    pairs: &Pairs,
) -> Option<Warning> {
    let mut numbers = HashMap::new();
    let mut number_of = |row: &[f64]| {
        let next = numbers.len();
        *numbers.entry(bits(row)).or_insert(next)
    };
    let mut ends = |table: &Features, (a, b): (usize, usize)| -> Ends {
        let (a, b) = (number_of(table.row(a)), number_of(table.row(b)));
        (a.min(b), a.max(b))
    };
    let learned: HashSet<Ends> = learned.map(|pair| ends(train, pair)).collect();
    let seen = pairs.iter().filter(|&(a, b, _)| learned.contains(&ends(data, (a, b)))).count();
    (seen > 0 && 2 * seen >= learned.len().min(pairs.len())).then(|| {
        Warning::new(
            WarningCode::TrainingRows,
            format!(
                "{seen} of these {} pairs are pairs that the model was fitted to: the figures flatter; those of the \
                 held-out pairs are in the report of the fit",
                pairs.len()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_the_fit_are_known_by_their_rows() {
        let train = Features::unnamed(vec![0.0, 1.0, 2.0, 3.0, 4.0], 1).unwrap();
        // The same rows the other way round.
        let data = Features::unnamed(vec![4.0, 3.0, 2.0, 1.0, -0.0], 1).unwrap();
        let told = |pairs: &[(usize, usize)]| {
            let pairs = pairs.iter().map(|&(a, b)| (a, b, 1.0)).collect();
            let learned = [(0, 1), (1, 2), (2, 3)].into_iter();
            about(&train, learned, &data, &Pairs::new(5, pairs).unwrap()).map(|found| found.text)
        };
        let text = told(&[(4, 3), (2, 3), (0, 4)]).unwrap();
        assert!(text.starts_with("2 of these 3 pairs are pairs that the model was fitted to"));
        assert_eq!(told(&[(0, 1), (0, 2), (0, 3)]), None);
        assert_eq!(told(&[(0, 1), (0, 2), (1, 2), (0, 4)]), None, "one of three by chance");
    }
}
