//! Whether pairs to measure on are those that the model was fitted to.

use anyhow::{Result, bail};
use burn_nca_data::read_pairs;
use burn_nca_learn::data::{Features, Pairs, random_split};

use crate::source::Source;
use burn_nca_report::evaluation::{Seen, VALUES, seen_pairs};

/// Which of `pairs` the model was fitted to; `train` are the rows of the fit, `data` those of `pairs`.
///
/// # Errors
/// The file of the pairs of the fit is not there any more, is another, or was a pipe.
pub fn seen(
    source: Option<&Source>,
    train: &Features,
    data: &Features,
    pairs: &Pairs,
) -> Result<Seen> {
    let Some((source, file)) = source.and_then(|source| Some((source, source.rereadable_pairs()?)))
    else {
        bail!("the pairs of the fit cannot be read again");
    };
    let all: Vec<(usize, usize, f64)> = read_pairs(file, train.rows())?.iter().collect();
    let split = random_split(all.len(), source.split.share, source.split.seed)?;
    let learned = split.train.iter().map(|&pair| (all[pair].0, all[pair].1));
    let seen = seen_pairs((train, learned), (data, pairs));
    Ok(Seen { noun: "pair", measured: "pair", same: VALUES, seen, by_chance: 0.0 })
}
