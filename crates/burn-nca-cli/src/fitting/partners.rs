//! A metric learnt from pairs beside Euclidean distance and PCA: where the partners of pairs held out stand.

use std::collections::BTreeMap;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Features, Pairs};
use burn_nca::evaluate::PartnerRanks;

use super::continuous::{Findings, mapped, measure, unsupervised};
use super::embedding::{embed, place};
use super::picture::Picture;
use super::stages::Stages;
use crate::report::Part;
use crate::report::continuous::{
    ColouredEmbedding, ColouredPoint, ContinuousData, Kind, Measure, MeasureRow, MeasureTable, Unit,
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
pub fn findings(
    model: &Fitted,
    features: &Features,
    parts: &PairParts,
    stages: &Stages,
) -> Result<Findings> {
    stages.announce("evaluating the learnt metric");
    let scaled = model.scaling().apply(features)?;
    let precise = embed(model, features)?;
    let [_, dimension] = precise.dims();
    let place = place(&model.references().device());
    let mut rows = unsupervised(&scaled, dimension, stages, |method, map| {
        row(method, &mapped(map, &scaled, &place)?, parts)
    })?;
    let method = model.card().method.info().label;
    rows.retain(|row| row.method != method);
    rows.push(row(method, model.references(), parts)?);
    let part = if parts.test.is_some() { "test" } else { "train" };
    Ok(Findings {
        kind: Kind::Pairs,
        method,
        data: ContinuousData {
            name: String::new(),
            rows: features.rows(),
            columns: features.columns(),
            train: parts.train.len(),
            test: parts.test.as_ref().map_or(0, Pairs::len),
            target: None,
        },
        comparison: MeasureTable { measures: measures(part), rows },
        picture: picture(&precise, &parts.train)?,
        embedding: precise,
    })
}

/// Recall of the partner, its median rank and the mean of 1 / rank, of the part `train` or `test`.
pub fn measures(part: &str) -> Vec<Measure> {
    let of_part = |key: &str, label: &str, unit, more_is_better| {
        measure(&format!("{key}_{part}"), label, unit, more_is_better)
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
pub fn values(part: &str, ranks: &PartnerRanks) -> BTreeMap<String, f64> {
    let values = [
        ("recall_1", ranks.recall(1)),
        ("recall_5", ranks.recall(5)),
        ("recall_10", ranks.recall(10)),
        ("median_rank", ranks.median()),
        ("mean_reciprocal_rank", ranks.mean_reciprocal()),
    ];
    let named = |(key, value): (&str, Option<f64>)| Some((format!("{key}_{part}"), value?));
    values.into_iter().filter_map(named).collect()
}

fn row(method: &str, embedding: &Tensor<2>, parts: &PairParts) -> Result<MeasureRow> {
    let values = match &parts.test {
        Some(test) => values("test", &PartnerRanks::of(embedding, test, Some(&parts.train))?),
        None => values("train", &PartnerRanks::of(embedding, &parts.train, None)?),
    };
    let [_, dimension] = embedding.dims();
    Ok(MeasureRow { method: method.to_string(), rule: String::new(), dimension, values })
}

/// All rows, coloured by their order, the pairs that were learnt from joined.
fn picture(embedding: &Tensor<2>, pairs: &Pairs) -> Result<ColouredEmbedding> {
    let picture = Picture::of(embedding, None)?;
    let points = picture.train.into_iter().enumerate().map(|(row, coordinates)| ColouredPoint {
        row: row + 1,
        coordinates,
        value: (row + 1) as f64,
        predicted: None,
        part: Part::Train,
    });
    let [_, dimension] = embedding.dims();
    let links = pairs.iter().filter(|pair| pair.2 > 0.0).take(JOINED);
    Ok(ColouredEmbedding {
        dimension,
        variance_share: picture.variance_share,
        colour: "row".to_string(),
        points: points.collect(),
        links: links.map(|(a, b, _)| [a, b]).collect(),
    })
}
