//! A metric learned from numbers compared with Euclidean distance and PCA: the same rows, the same rules.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::Projection;
use burn_nca_learn::data::{Features, RegressionData};
use burn_nca_learn::evaluate::{RegressionScores, perplexities_by};
use burn_nca_learn::neighbors::{NearestConfig, Numbers, fewest_others, nearest_means};

use super::Evaluation;
use super::Stages;
use super::baselines::baselines;
use super::embedding::resolve_device;
use super::parts::{Parts, Space};
use super::picture::Axes;
use super::repeats::Seen;
use super::rows::Rows;
use super::sample::{Sample, rows_of};
use crate::number::significant;
use crate::{
    Data, Embedding, ExplainedNumbers, Measure, MeasureRow, MeasureTable, Part, Point, Results,
    Unit, ValueMark, ValueResults,
};

/// A number for each training row that is measured, from all others, and for each row held out, from all training rows.
struct Numbered {
    train: Vec<f64>,
    test: Vec<f64>,
}

/// A model of numbers compared with the baselines, and its picture.
pub fn evaluate(
    model: &Fitted,
    rows: &Rows<RegressionData>,
    sample: &Sample,
    stages: &dyn Stages,
) -> Result<Evaluation> {
    stages.announce("evaluating");
    let (train, measured) = (&rows.train, &sample.train);
    let test: RegressionData = rows.data.select(&sample.test);
    let known = train.targets().values();
    let truth = Numbered {
        train: measured.iter().map(|&row| known[row]).collect(),
        test: test.targets().values().to_vec(),
    };
    let parts = Parts::of(train.features(), test.features());
    let own = parts.embedded(model)?;
    let [_, dimension] = own.train.dims();
    let (device, _) = resolve_device(&model.references().device());
    let numbers = Numbers::new(known, 1).with_weights(train.weights()).with_groups(train.groups());
    let k = rows.neighbors;
    let nearest = format!("{k}-NN");
    // A training row has fewer neighbors: not itself, and none of its group.
    let others = fewest_others(known.len(), train.groups());
    let fewer = |own: Option<&[usize]>| if own.is_some() { k.min(others) } else { k };
    let compared = |method: &str, map: &Projection| {
        let space = parts.mapped(map)?;
        let mean = |queries: &Features, own: Option<&[usize]>| -> Result<Vec<f64>> {
            let k = fewer(own);
            let (search, exclude) = (NearestConfig::new(k), numbers.exclude(own));
            let found =
                search.search_features_excluding(queries, &space.train, exclude, &device)?;
            Ok(nearest_means(&found, numbers, k)?)
        };
        let predicted = Numbered {
            train: mean(&space.train.select(measured), Some(measured))?,
            test: space.test.as_ref().map_or(Ok(Vec::new()), |test| mean(test, None))?,
        };
        row((method, &nearest, space.train.columns()), &predicted, &truth)
    };
    let mut compared = baselines(train.features(), None, dimension, stages, compared)?;
    let method = model.applied_method().label;
    compared.retain(|row| row.method != method);
    let learned = |mean: &Means<'_>| -> Result<Numbered> {
        Ok(Numbered {
            train: mean(&rows_of(&own.train, measured), Some(measured))?,
            test: own.test.as_ref().map_or(Ok(Vec::new()), |test| mean(test, None))?,
        })
    };
    let by_votes = learned(&|queries, of_self| {
        let k = fewer(of_self);
        let found = model.rule().nearest(queries, &own.train, k, numbers.exclude(of_self))?;
        Ok(nearest_means(&found, numbers, k)?)
    })?;
    compared.push(row((&method, &nearest, dimension), &by_votes, &truth)?);
    let by_kernel = learned(&|queries, of_self| {
        Ok(model.rule().kernel_means(queries, &own.train, numbers, of_self)?)
    })?;
    let learned = row((&method, "kernel", dimension), &by_kernel, &truth)?;
    compared.push(learned.clone());
    let comparison = MeasureTable { neighbors: None, measures: measures(), rows: compared };
    stages.announce("drawing the embedding");
    let precise = parts.precise(model)?;
    let embedding = embedding(&precise, (rows, sample), &by_kernel)?;
    let seen = Seen::of_test(rows.data.features(), &rows.split, train.features());
    let on_others = |others: &[usize]| {
        let (predicted, truth) =
            sample.of_test(&rows.split, others, [&by_kernel.test, &truth.test]);
        r2_and_rmse(&predicted, &truth)
    };
    let warnings = seen.warning(on_others).into_iter().collect();
    let key = if test.rows() > 0 { "r2_test" } else { "r2_train" };
    let value = model.summary().value;
    let explained = match sample.measured() {
        // The features of a large table are not copied for some rows.
        Some(_) => None,
        None => {
            let train = (&rows.split.train[..], train.features());
            ExplainedNumbers::of(model, &rows.data, &sample.test, train)
        }
    };
    Ok(Evaluation {
        data: Data {
            target: rows.data.targets().names().first().cloned(),
            test_in_training: seen.count(),
            ..rows.about(sample)
        },
        shortfall: comparison.shortfall(key, None),
        comparison,
        warnings,
        results: Results::Numbers(ValueResults { value, scores: learned, explained, embedding }),
        perplexity: perplexities_by(model.rule(), &precise.train, measured, train.groups())?,
        embedding: precise.train,
    })
}

/// R² and the root of the mean squared error, where there are such.
pub(super) fn r2_and_rmse(predicted: &[f64], truth: &[f64]) -> Option<String> {
    let scores = RegressionScores::of(predicted, truth).ok()?;
    Some(format!("R² {}, RMSE {}", significant(scores.r2()?, 3), significant(scores.rmse()?, 3)))
}

/// Means of numbers for queries; each of them may be a reference itself.
type Means<'a> = dyn Fn(&Tensor<2>, Option<&[usize]>) -> Result<Vec<f64>> + 'a;

/// The columns of a comparison of numbers.
pub fn measures() -> Vec<Measure> {
    vec![
        Measure::new("r2_train", "R² train", Unit::Number, true),
        Measure::new("r2_test", "R² test", Unit::Number, true),
        Measure::new("rmse_test", "RMSE test", Unit::Number, false),
        Measure::new("mae_test", "MAE test", Unit::Number, false),
    ]
}

/// The row of a method, by a rule of prediction, in so many dimensions.
fn row(
    (method, rule, dimension): (&str, &str, usize),
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
    Ok(MeasureRow { rule: rule.to_string(), ..MeasureRow::new(method, dimension, values) })
}

fn embedding(
    space: &Space,
    (rows, sample): (&Rows<RegressionData>, &Sample),
    predicted: &Numbered,
) -> Result<Embedding<ValueMark>> {
    let shown = rows_of(&space.train, &sample.train);
    let axes = Axes::of(&shown)?;
    let targets = rows.data.targets();
    let of_part = |part: Part, rows: &[usize], places: Vec<Vec<f64>>, predicted: &[f64]| {
        let point = |((&row, coordinates), &predicted)| {
            let mark = ValueMark { value: targets.row(row)[0], predicted: Some(predicted) };
            Point { row: row + 1, id: None, coordinates, part, mark }
        };
        rows.iter().zip(places).zip(predicted).map(point).collect::<Vec<_>>()
    };
    let train: Vec<usize> = sample.train.iter().map(|&place| rows.split.train[place]).collect();
    let (of_train, of_test) = (axes.rows(Some(&shown))?, axes.rows(space.test.as_ref())?);
    let mut points = of_part(Part::Train, &train, of_train, &predicted.train);
    points.extend(of_part(Part::Test, &sample.test, of_test, &predicted.test));
    let [_, dimension] = space.train.dims();
    Ok(Embedding {
        color: targets.names().first().cloned(),
        ..Embedding::new(dimension, axes.variance_share, points)
    })
}
