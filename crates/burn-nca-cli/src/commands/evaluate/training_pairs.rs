//! Whether pairs to measure on are those that the model was fitted to.

use anyhow::Result;
use burn_nca_data::read_pairs;
use burn_nca_learn::data::{Features, Pairs, random_split};

use crate::source::Source;
use burn_nca_report::evaluation::{Seen, seen_pairs};

/// Which of `pairs` the model was fitted to; `train` are the rows of the fit, `data` those of `pairs`. `None` for a model that does not tell its pairs, or whose pairs came through a pipe.
///
/// # Errors
/// The file of the pairs of the fit is not there any more, or is another.
pub fn seen(
    source: Option<&Source>,
    train: &Features,
    data: &Features,
    pairs: &Pairs,
) -> Result<Option<Seen>> {
    let Some((source, file)) = source.and_then(|source| Some((source, source.rereadable_pairs()?)))
    else {
        return Ok(None);
    };
    let all: Vec<(usize, usize, f64)> = read_pairs(file, train.rows())?.iter().collect();
    let split = random_split(all.len(), source.split.share, source.split.seed)?;
    let learned = split.train.iter().map(|&pair| (all[pair].0, all[pair].1));
    let seen = seen_pairs((train, learned), (data, pairs));
    Ok(Some(Seen { noun: "pair", measured: "pair", seen, by_chance: 0.0 }))
}
