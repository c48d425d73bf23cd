//! What a metric learnt from numbers is worth beside Euclidean distance and PCA: the same rows, the same rules.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{RegressionData, Split};
use burn_nca::evaluate::{RegressionScores, perplexities};
use burn_nca::neighbors::{Numbers, Rule as ModelRule, nearest_means};

use super::baselines::baselines;
use super::embedding::place;
use super::finished_fit::{Evaluation, label};
use super::parts::{Parts, Space};
use super::picture::{Picture, Shown};
use super::stages::Stages;
use crate::report::{
    Data, Embedding, Measure, MeasureRow, MeasureTable, Part, Point, Results, Unit, ValueMark,
    ValueResults,
};

/// All rows, which of them were learnt from, and the k of k-NN.
pub struct NumberRows<'a> {
    pub data: &'a RegressionData,
    pub split: &'a Split,
    pub neighbors: usize,
}

/// How neighbours predict.
#[derive(Clone, Copy)]
enum Rule {
    Nearest(usize),
    Kernel,
}

/// A number for each training row, from all others, and for each row held out, from all training rows.
struct Numbered {
    train: Vec<f64>,
    test: Vec<f64>,
}

/// What a model of numbers is worth beside the baselines, and its picture.
///
/// # Errors
/// k above the training rows, or an embedding that is not finite.
pub fn evaluate(model: &Fitted, rows: &NumberRows<'_>, stages: &Stages) -> Result<Evaluation> {
    stages.announce("evaluating the learnt metric");
    let (train, test) = (rows.data.select(&rows.split.train), rows.data.select(&rows.split.test));
    let truth = Numbered {
        train: train.targets().values().to_vec(),
        test: test.targets().values().to_vec(),
    };
    let parts = Parts::of(train.features(), test.features());
    let (scaled, own) = (parts.scaled(model.scaling())?, parts.embedded(model)?);
    let [_, dimension] = own.train.dims();
    let place = place(&model.references().device());
    let nearest = Rule::Nearest(rows.neighbors);
    let mut compared = baselines(&scaled.train, None, dimension, stages, |method, map| {
        let space = scaled.mapped(map, &place)?;
        row(
            method,
            nearest,
            &space,
            &predict(nearest, &ModelRule::Neighbors, &space, &truth.train)?,
            &truth,
        )
    })?;
    let method = label(model);
    compared.retain(|row| row.method != method);
    let by_votes = predict(nearest, model.rule(), &own, &truth.train)?;
    compared.push(row(method, nearest, &own, &by_votes, &truth)?);
    let by_kernel = predict(Rule::Kernel, model.rule(), &own, &truth.train)?;
    let learnt = row(method, Rule::Kernel, &own, &by_kernel, &truth)?;
    compared.push(learnt.clone());
    let comparison = MeasureTable { neighbors: None, measures: measures(), rows: compared };
    let precise = parts.precise(model)?;
    let embedding = embedding(&precise, rows, &by_kernel)?;
    let key = if test.rows() > 0 { "r2_test" } else { "r2_train" };
    let value = model.summary().value;
    Ok(Evaluation {
        data: Data {
            name: String::new(),
            rows: rows.data.rows(),
            columns: rows.data.features().columns(),
            train: train.rows(),
            test: test.rows(),
            target: rows.data.targets().names().first().cloned(),
            classes: Vec::new(),
            without_partner: 0,
        },
        shortfall: comparison.shortfall(key, None),
        comparison,
        results: Results::Numbers(ValueResults { value, scores: learnt, embedding }),
        perplexity: perplexities(&precise.train)?,
        embedding: precise.train,
    })
}

fn measures() -> Vec<Measure> {
    vec![
        Measure::new("r2_train", "R² train", Unit::Number, true),
        Measure::new("r2_test", "R² test", Unit::Number, true),
        Measure::new("rmse_test", "RMSE test", Unit::Number, false),
        Measure::new("mae_test", "MAE test", Unit::Number, false),
    ]
}

/// Predictions by means of neighbours, in the distance of the rule `by` of a model.
fn predict(rule: Rule, by: &ModelRule, space: &Space, known: &[f64]) -> Result<Numbered> {
    let numbers = Numbers { values: known, columns: 1 };
    let own: Vec<usize> = (0..known.len()).collect();
    let mean = |queries: &Tensor<2>, own: Option<&[usize]>| match rule {
        Rule::Kernel => by.kernel_means(queries, &space.train, numbers, own),
        Rule::Nearest(k) => {
            // A training row has one neighbour fewer: itself.
            let k = k.min(known.len() - usize::from(own.is_some()));
            nearest_means(&by.nearest(queries, &space.train, k, own)?, numbers, k)
        }
    };
    let test = space.test.as_ref().map(|queries| mean(queries, None)).transpose()?;
    Ok(Numbered { train: mean(&space.train, Some(&own))?, test: test.unwrap_or_default() })
}

fn row(
    method: &str,
    rule: Rule,
    space: &Space,
    predicted: &Numbered,
    truth: &Numbered,
) -> Result<MeasureRow> {
    let train = RegressionScores::of(&predicted.train, &truth.train)?;
    let test = RegressionScores::of(&predicted.test, &truth.test)?;
    let values = [
        ("r2_train", train.r2()),
        ("rmse_train", train.rmse()),
        ("mae_train", train.mae()),
        ("r2_test", test.r2()),
        ("rmse_test", test.rmse()),
        ("mae_test", test.mae()),
    ];
    let [_, dimension] = space.train.dims();
    Ok(MeasureRow {
        method: method.to_string(),
        rule: match rule {
            Rule::Nearest(k) => format!("{k}-NN"),
            Rule::Kernel => "kernel".to_string(),
        },
        dimension,
        interval: None,
        values: values.into_iter().map(|(key, value)| (key.to_string(), value)).collect(),
    })
}

fn embedding(
    space: &Space,
    rows: &NumberRows<'_>,
    predicted: &Numbered,
) -> Result<Embedding<ValueMark>> {
    let picture = Picture::of(&space.train, Shown { test: space.test.as_ref(), others: None })?;
    let targets = rows.data.targets();
    let of_part = |part: Part, rows: &[usize], places: Vec<Vec<f64>>, predicted: &[f64]| {
        let point = |((&row, coordinates), &predicted)| {
            let mark = ValueMark { value: targets.row(row)[0], predicted: Some(predicted) };
            Point { row: row + 1, coordinates, part, mark }
        };
        rows.iter().zip(places).zip(predicted).map(point).collect::<Vec<_>>()
    };
    let mut points = of_part(Part::Train, &rows.split.train, picture.train, &predicted.train);
    points.extend(of_part(Part::Test, &rows.split.test, picture.test, &predicted.test));
    let [_, dimension] = space.train.dims();
    let (variance_share, colour) = (picture.variance_share, targets.names().first().cloned());
    let (links, unlabelled) = (Vec::new(), Vec::new());
    Ok(Embedding { dimension, variance_share, colour, points, links, unlabelled })
}
