//! A metric learned from pairs compared with Euclidean distance and PCA: where the partners of pairs held out are.

use std::collections::BTreeMap;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Coincidences, Pairs, Split};
use burn_nca_learn::evaluate::{PartnerRanks, perplexities_of};

use super::Stages;
use super::baselines::baselines;
use super::parts::Parts;
use super::picture::{Picture, Shown};
use super::repeats::{Seen, VALUES, seen_pairs};
use super::sample::{Sample, rows_of};
use super::{Evaluation, label};
use crate::{
    Data, Embedding, Measure, MeasureRow, MeasureTable, Measured, Part, Point, Results, Unit,
    ValueMark, ValueResults,
};

/// The most pairs joined in the picture.
const JOINED: usize = 3000;

/// The pairs that were learned from, and those that are measured.
pub struct PairParts {
    pub train: Pairs,
    /// How many pairs are held out.
    pub test: usize,
    /// The pairs that ask for their partners: of those held out, or else of those learned from.
    pub asked: Pairs,
    /// How many pairs are measured, where these are not all.
    pub measured: Option<Measured>,
    /// The seed of the sample of rows.
    pub seed: u64,
}

/// A model of pairs compared with the baselines, and its picture.
///
/// # Errors
/// An embedding that is not finite.
pub fn evaluate(
    model: &Fitted,
    data: &Coincidences,
    pairs: &PairParts,
    stages: &dyn Stages,
) -> Result<Evaluation> {
    stages.announce("evaluating");
    let features = data.features();
    let rows = (0..features.rows()).collect();
    let split = Split { train: rows, test: Vec::new() };
    let rows = Sample::of(&split, [features.rows(), features.columns()], pairs.seed)?.train;
    let parts = Parts { train: features, test: None };
    let precise = parts.precise(model)?.train;
    let [_, dimension] = precise.dims();
    let part = if pairs.test > 0 { "test" } else { "train" };
    let mut compared = baselines(features, None, dimension, stages, |method, map| {
        let space = parts.mapped(map)?.train;
        let ranks = PartnerRanks::of_features(&space, &pairs.asked, Some(data.pairs()))?;
        Ok(row((method, space.columns()), values(part, &ranks)))
    })?;
    let method = label(model);
    compared.retain(|row| row.method != method);
    let ranks = PartnerRanks::of(model.references(), &pairs.asked, Some(data.pairs()))?;
    let learned = row((&method, dimension), values(part, &ranks));
    compared.push(learned.clone());
    let seen = seen(data, pairs);
    let on_others = |others: &[usize]| recall_of(others, model, (data, pairs));
    let warnings = seen.warning(on_others).into_iter().collect();
    let comparison = MeasureTable { neighbors: None, measures: measures(part), rows: compared };
    stages.announce("drawing the embedding");
    let embedding = embedding(&precise, &rows, &pairs.train)?;
    let value = model.summary().value;
    Ok(Evaluation {
        data: Data {
            rows: features.rows(),
            columns: features.columns(),
            train: pairs.train.len(),
            test: pairs.test,
            test_in_training: seen.count(),
            measured: pairs.measured,
            ..Data::default()
        },
        shortfall: comparison.shortfall(&format!("recall_5_{part}"), None),
        comparison,
        warnings,
        results: Results::Pairs(ValueResults {
            value,
            scores: learned,
            explained: None,
            embedding,
        }),
        perplexity: perplexities_of(&precise, &rows, None)?,
        embedding: precise,
    })
}

/// The pairs held out that ask, and which of them are training pairs, too.
fn seen(data: &Coincidences, pairs: &PairParts) -> Seen {
    let learned = pairs.train.iter().map(|(a, b, _)| (a, b));
    let seen = match pairs.test {
        0 => Vec::new(),
        _ => seen_pairs((data.features(), learned), (data.features(), &pairs.asked)),
    };
    Seen { noun: "pair", measured: "test pair", same: VALUES, seen, by_chance: 0.0 }
}

/// The recall of the partner among 5, of some of the pairs that ask.
fn recall_of(
    some: &[usize],
    model: &Fitted,
    (data, pairs): (&Coincidences, &PairParts),
) -> Option<String> {
    let asked: Vec<(usize, usize, f64)> = pairs.asked.iter().collect();
    let some = some.iter().map(|&pair| asked[pair]).collect();
    let some = Pairs::new(pairs.asked.points(), some).ok()?;
    let ranks = PartnerRanks::of(model.references(), &some, Some(data.pairs())).ok()?;
    Some(format!("the partner is among the 5 nearest in {:.1} %", 100.0 * ranks.recall(5)?))
}

/// Recall of the partner, its median rank and the mean of 1 / rank, of the part `train` or `test`.
pub fn measures(part: &str) -> Vec<Measure> {
    let of_part = |key: &str, label: &str, unit, more_is_better| {
        Measure::new(&format!("{key}_{part}"), label, unit, more_is_better)
    };
    vec![
        of_part("recall_1", "nearest", Unit::Share, true),
        of_part("recall_5", "among 5", Unit::Share, true),
        of_part("recall_10", "among 10", Unit::Share, true),
        of_part("median_rank", "median rank", Unit::Number, false),
        of_part("mean_reciprocal_rank", "mean 1/rank", Unit::Number, true),
    ]
}

/// The values of [`measures`] by their keys.
pub fn values(part: &str, ranks: &PartnerRanks) -> BTreeMap<String, Option<f64>> {
    let values = [
        ("recall_1", ranks.recall(1)),
        ("recall_5", ranks.recall(5)),
        ("recall_10", ranks.recall(10)),
        ("median_rank", ranks.median()),
        ("mean_reciprocal_rank", ranks.mean_reciprocal()),
    ];
    values.into_iter().map(|(key, value)| (format!("{key}_{part}"), value)).collect()
}

fn row((method, dimension): (&str, usize), values: BTreeMap<String, Option<f64>>) -> MeasureRow {
    let method = method.to_string();
    MeasureRow { method, rule: String::new(), dimension, interval: None, values }
}

/// These rows, colored by their order, the pairs of them that were learned from joined.
fn embedding(embedding: &Tensor<2>, rows: &[usize], pairs: &Pairs) -> Result<Embedding<ValueMark>> {
    let picture = Picture::of(&rows_of(embedding, rows), Shown::default())?;
    let point = |(&row, coordinates)| {
        let mark = ValueMark { value: (row + 1) as f64, predicted: None };
        Point { row: row + 1, id: None, coordinates, part: Part::Train, mark }
    };
    let points = rows.iter().zip(picture.train).map(point).collect();
    let place = |row: usize| rows.binary_search(&row).ok();
    let links = pairs.iter().filter(|pair| pair.2 > 0.0);
    let links = links.filter_map(|(a, b, _)| Some([place(a)?, place(b)?])).take(JOINED);
    let [_, dimension] = embedding.dims();
    Ok(Embedding {
        dimension,
        variance_share: picture.variance_share,
        color: Some("row".to_string()),
        points,
        links: links.collect(),
        unlabeled: Vec::new(),
        density: None,
    })
}
