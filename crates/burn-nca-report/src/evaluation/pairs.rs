//! A metric learned from pairs compared with Euclidean distance and PCA: where the partners of pairs held out are.

use std::collections::BTreeMap;
use std::slice;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Coincidences, Pairs, Split, TrainingData};
use burn_nca_learn::evaluate::{PartnerRanks, perplexities_of};

use super::judging::{baselines, compared};
use super::repeats::{Seen, VALUES, seen_pairs};
use super::replay::{self, Step};
use super::rows::Rows;
use super::sample::{Sample, rows_of};
use super::space::{Axes, Parts};
use super::{Evaluation, ReportData, Stages};
use crate::{
    Data, Embedding, Measure, MeasureRow, MeasureTable, Part, Point, Replay, Results, Unit,
    ValueMark, ValueResults,
};

/// The most pairs joined in the picture.
const JOINED: usize = 3000;

impl ReportData for Coincidences {
    const FIGURES: &str = "ranks, perplexity and the picture";
    const NOUN: &str = "pair";

    /// Each end of a pair is compared with all rows.
    fn references(rows: &Rows<Self>) -> usize {
        2 * rows.data.features().rows()
    }

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        let sample = &rows.sample()?;
        let asked = &asked(rows, sample)?;
        stages.announce("evaluating");
        let (data, held_out) = (&rows.data, rows.split.test.len());
        let features = data.features();
        let all = Split { train: (0..features.rows()).collect(), test: Vec::new() };
        let drawn = Sample::of(&all, [features.rows(), features.columns()], rows.seed)?.train;
        let parts = Parts { train: features, test: None };
        let precise = parts.precise(model)?.train;
        let [_, dimension] = precise.dims();
        let part = if held_out > 0 { "test" } else { "train" };
        let baselines = baselines(features, None, dimension, stages, |method, map| {
            let space = parts.mapped(map)?.train;
            let ranks = PartnerRanks::of_features(&space, asked, Some(data.pairs()))?;
            Ok(row((method, space.columns()), values(part, &ranks)))
        })?;
        let method = model.applied_method().label;
        let ranks = PartnerRanks::of(model.references(), asked, Some(data.pairs()))?;
        let learned = row((&method, dimension), values(part, &ranks));
        let seen = seen(rows, asked);
        let on_others =
            |others: &[usize]| recall_of(others, model.references(), (asked, Some(data.pairs())));
        let warnings = seen.warning(on_others).into_iter().collect();
        let compared = compared(baselines, slice::from_ref(&learned));
        let comparison = MeasureTable { neighbors: None, measures: measures(part), rows: compared };
        stages.announce("drawing the embedding");
        let embedding = embedding(&precise, &drawn, rows.train.pairs())?;
        let value = model.summary().value;
        let results = ValueResults { value, scores: learned, explained: None, embedding };
        Ok(Evaluation {
            data: Data {
                train: rows.train.pairs().len(),
                test_in_training: seen.count(),
                ..rows.about(sample)
            },
            shortfall: comparison.shortfall(&format!("recall_5_{part}"), None),
            comparison,
            warnings,
            results: Results::Pairs(results),
            perplexity: perplexities_of(&precise, &drawn, None)?,
            embedding: precise,
        })
    }

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &dyn Stages),
    ) -> Result<Option<Replay>> {
        replay::of_pairs((model, steps, stages), rows, &asked(rows, &rows.sample()?)?)
    }
}

/// The pairs that ask for their partners: those of the sample that are held out, or else those learned from.
fn asked(rows: &Rows<Coincidences>, sample: &Sample) -> Result<Pairs> {
    let of_sample: Vec<usize> = sample.train.iter().map(|&at| rows.split.train[at]).collect();
    let (asked, all) = match sample.test.is_empty() {
        true => (&of_sample, &rows.split.train),
        false => (&sample.test, &rows.split.test),
    };
    // Pairs of weight 0 do not ask; should a sample hold no others, all do.
    let asked = rows.data.part(asked).or_else(|_| rows.data.part(all))?;
    Ok(asked.pairs().clone())
}

/// The pairs held out that ask, and which of them are training pairs, too.
fn seen(rows: &Rows<Coincidences>, asked: &Pairs) -> Seen {
    let features = rows.data.features();
    let learned = rows.train.pairs().iter().map(|(a, b, _)| (a, b));
    let seen = match rows.split.test.is_empty() {
        true => Vec::new(),
        false => seen_pairs((features, learned), (features, asked)),
    };
    Seen { noun: "pair", measured: "test pair", same: VALUES, seen, by_chance: 0.0 }
}

/// The recall of the partner among 5 as text, of some of the pairs that ask; the known pairs are no partners to be found.
pub fn recall_of(
    some: &[usize],
    embedding: &Tensor<2>,
    (asked, known): (&Pairs, Option<&Pairs>),
) -> Option<String> {
    let all: Vec<(usize, usize, f64)> = asked.iter().collect();
    let some = some.iter().map(|&pair| all[pair]).collect();
    let some = Pairs::new(asked.points(), some).ok()?;
    let ranks = PartnerRanks::of(embedding, &some, known).ok()?;
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
    MeasureRow { values, ..MeasureRow::new(method, dimension, []) }
}

/// These rows, colored by their order, the pairs of them that were learned from joined.
fn embedding(embedding: &Tensor<2>, rows: &[usize], pairs: &Pairs) -> Result<Embedding<ValueMark>> {
    let shown = rows_of(embedding, rows);
    let axes = Axes::of(&shown)?;
    let point = |(&row, coordinates)| {
        let mark = ValueMark { value: (row + 1) as f64, predicted: None };
        Point { row: row + 1, id: None, coordinates, part: Part::Train, mark }
    };
    let points = rows.iter().zip(axes.rows(Some(&shown))?).map(point).collect();
    let place = |row: usize| rows.binary_search(&row).ok();
    let links = pairs.iter().filter(|pair| pair.2 > 0.0);
    let links = links.filter_map(|(a, b, _)| Some([place(a)?, place(b)?])).take(JOINED);
    let [_, dimension] = embedding.dims();
    Ok(Embedding {
        color: Some("row".to_string()),
        links: links.collect(),
        ..Embedding::new(dimension, axes.variance_share, points)
    })
}
