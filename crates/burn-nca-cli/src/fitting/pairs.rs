//! What a metric learnt from pairs is worth beside Euclidean distance and PCA: where the partners of pairs held out stand.

use std::collections::BTreeMap;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Features, Pairs};
use burn_nca::evaluate::{PartnerRanks, perplexities};

use super::baselines::baselines;
use super::embedding::place;
use super::finished_fit::{Evaluation, label};
use super::parts::Parts;
use super::picture::{Picture, Shown};
use super::stages::Stages;
use crate::report::{
    Data, Embedding, Measure, MeasureRow, MeasureTable, Part, Point, Results, Unit, ValueMark,
    ValueResults,
};

/// The most pairs joined in the picture.
const JOINED: usize = 3000;

/// The pairs that were learnt from, and those held out.
pub struct PairParts {
    pub train: Pairs,
    pub test: Option<Pairs>,
}

/// What a model of pairs is worth beside the baselines, and its picture.
///
/// # Errors
/// An embedding that is not finite.
pub fn evaluate(
    model: &Fitted,
    features: &Features,
    pairs: &PairParts,
    stages: &Stages,
) -> Result<Evaluation> {
    stages.announce("evaluating the learnt metric");
    let parts = Parts { train: features, test: None };
    let scaled = parts.scaled(model.scaling())?;
    let precise = parts.precise(model)?.train;
    let [_, dimension] = precise.dims();
    let place = place(&model.references().device());
    let mut compared = baselines(&scaled.train, None, dimension, stages, |method, map| {
        row(method, &scaled.mapped(map, &place)?.train, pairs)
    })?;
    let method = label(model);
    compared.retain(|row| row.method != method);
    let learnt = row(method, model.references(), pairs)?;
    compared.push(learnt.clone());
    let part = if pairs.test.is_some() { "test" } else { "train" };
    let comparison = MeasureTable { neighbors: None, measures: measures(part), rows: compared };
    let (value, embedding) = (model.summary().value, embedding(&precise, &pairs.train)?);
    Ok(Evaluation {
        data: Data {
            name: String::new(),
            rows: features.rows(),
            columns: features.columns(),
            train: pairs.train.len(),
            test: pairs.test.as_ref().map_or(0, Pairs::len),
            target: None,
            classes: Vec::new(),
            without_partner: 0,
        },
        shortfall: comparison.shortfall(&format!("recall_5_{part}"), None),
        comparison,
        results: Results::Pairs(ValueResults { value, scores: learnt, embedding }),
        perplexity: perplexities(&precise)?,
        embedding: precise,
    })
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

fn row(method: &str, embedding: &Tensor<2>, pairs: &PairParts) -> Result<MeasureRow> {
    let values = match &pairs.test {
        Some(test) => values("test", &PartnerRanks::of(embedding, test, Some(&pairs.train))?),
        None => values("train", &PartnerRanks::of(embedding, &pairs.train, None)?),
    };
    let ([_, dimension], method) = (embedding.dims(), method.to_string());
    Ok(MeasureRow { method, rule: String::new(), dimension, interval: None, values })
}

/// All rows, coloured by their order, the pairs that were learnt from joined.
fn embedding(embedding: &Tensor<2>, pairs: &Pairs) -> Result<Embedding<ValueMark>> {
    let picture = Picture::of(embedding, Shown::default())?;
    let point = |(row, coordinates)| {
        let mark = ValueMark { value: (row + 1) as f64, predicted: None };
        Point { row: row + 1, coordinates, part: Part::Train, mark }
    };
    let points = picture.train.into_iter().enumerate().map(point).collect();
    let links = pairs.iter().filter(|pair| pair.2 > 0.0).take(JOINED);
    let [_, dimension] = embedding.dims();
    Ok(Embedding {
        dimension,
        variance_share: picture.variance_share,
        colour: Some("row".to_string()),
        points,
        links: links.map(|(a, b, _)| [a, b]).collect(),
        unlabelled: Vec::new(),
    })
}
