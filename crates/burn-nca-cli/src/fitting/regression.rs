//! A metric learnt from numbers beside Euclidean distance and PCA: the same rows, the same rules.

use std::collections::BTreeMap;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Measured, Split};
use burn_nca::evaluate::RegressionScores;
use burn_nca::neighbors::{
    Numbers, kernel_means, leave_one_out_kernel_means, nearest, nearest_means, nearest_others,
};

use super::continuous::{Findings, mapped, measure, unsupervised};
use super::embedding::{embed, place};
use super::picture::Picture;
use super::stages::Stages;
use crate::report::Part;
use crate::report::continuous::{
    ColouredEmbedding, ColouredPoint, ContinuousData, Kind, MeasureRow, MeasureTable, Unit,
};

/// All rows, which of them were learnt from, and the k of k-NN.
pub struct MeasuredParts<'a> {
    pub data: &'a Measured,
    pub split: &'a Split,
    pub neighbors: usize,
}

/// The rows to predict from and those to predict (perhaps none), in some space.
struct Space {
    train: Tensor<2>,
    test: Option<Tensor<2>>,
}

/// The target of the rows to predict from and of those to predict.
struct Targets {
    train: Vec<f64>,
    test: Vec<f64>,
}

/// How neighbours predict.
#[derive(Clone, Copy)]
enum Rule {
    Nearest(usize),
    Kernel,
}

/// What neighbours predict: for each training row from all others, for each row held out from all training rows.
struct Predictions {
    train: Vec<f64>,
    test: Vec<f64>,
}

/// What a model of numbers is worth beside the baselines, and its picture.
///
/// # Errors
/// k above the training rows, or an embedding that is not finite.
pub fn findings(model: &Fitted, parts: &MeasuredParts<'_>, stages: &Stages) -> Result<Findings> {
    stages.announce("evaluating the learnt metric");
    let (train, test) =
        (parts.data.select(&parts.split.train), parts.data.select(&parts.split.test));
    let targets = Targets {
        train: train.targets().values().to_vec(),
        test: test.targets().values().to_vec(),
    };
    let scaling = model.scaling();
    let (scaled_train, scaled_test) =
        (scaling.apply(train.features())?, scaling.apply(test.features())?);
    let held_out = test.rows() > 0;
    let own = Space {
        train: model.references().clone(),
        test: held_out.then(|| model.transform(test.features())).transpose()?,
    };
    let [_, dimension] = own.train.dims();
    let place = place(&model.references().device());
    let nearest = Rule::Nearest(parts.neighbors);
    let mut rows = unsupervised(&scaled_train, dimension, stages, |method, map| {
        let space = Space {
            train: mapped(map, &scaled_train, &place)?,
            test: held_out.then(|| mapped(map, &scaled_test, &place)).transpose()?,
        };
        row(method, nearest, &space, &predict(nearest, &space, &targets)?, &targets)
    })?;
    let method = model.card().method.info().label;
    rows.retain(|row| row.method != method);
    rows.push(row(method, nearest, &own, &predict(nearest, &own, &targets)?, &targets)?);
    let by_kernel = predict(Rule::Kernel, &own, &targets)?;
    rows.push(row(method, Rule::Kernel, &own, &by_kernel, &targets)?);
    let precise = Space {
        train: embed(model, train.features())?,
        test: held_out.then(|| embed(model, test.features())).transpose()?,
    };
    Ok(Findings {
        kind: Kind::Numbers,
        method,
        data: ContinuousData {
            name: String::new(),
            rows: parts.data.rows(),
            columns: parts.data.features().columns(),
            train: train.rows(),
            test: test.rows(),
            target: parts.data.targets().names().first().cloned(),
        },
        comparison: MeasureTable { measures: measures(), rows },
        picture: picture(&precise, parts, &by_kernel)?,
        embedding: precise.train,
    })
}

fn measures() -> Vec<crate::report::continuous::Measure> {
    vec![
        measure("r2_train", "R² train", Unit::Number, true),
        measure("r2_test", "R² test", Unit::Number, true),
        measure("rmse_test", "RMSE test", Unit::Number, false),
        measure("mae_test", "MAE test", Unit::Number, false),
    ]
}

fn predict(rule: Rule, space: &Space, targets: &Targets) -> Result<Predictions> {
    let numbers = Numbers { values: &targets.train, columns: 1 };
    let test = |predict: &dyn Fn(&Tensor<2>) -> burn_nca::Result<Vec<f64>>| {
        space.test.as_ref().map(predict).transpose().map(Option::unwrap_or_default)
    };
    Ok(match rule {
        Rule::Kernel => Predictions {
            train: leave_one_out_kernel_means(&space.train, numbers)?,
            test: test(&|queries| kernel_means(queries, &space.train, numbers, None))?,
        },
        Rule::Nearest(k) => {
            // A training row has one neighbour fewer: itself.
            let others = k.min(targets.train.len() - 1);
            Predictions {
                train: nearest_means(&nearest_others(&space.train, others)?, numbers, others)?,
                test: test(&|queries| {
                    nearest_means(&nearest(queries, &space.train, k, None)?, numbers, k)
                })?,
            }
        }
    })
}

fn row(
    method: &str,
    rule: Rule,
    space: &Space,
    predictions: &Predictions,
    targets: &Targets,
) -> Result<MeasureRow> {
    let train = RegressionScores::of(&predictions.train, &targets.train)?;
    let test = RegressionScores::of(&predictions.test, &targets.test)?;
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
        values: values
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_string(), value?)))
            .collect::<BTreeMap<_, _>>(),
    })
}

fn picture(
    space: &Space,
    parts: &MeasuredParts<'_>,
    predictions: &Predictions,
) -> Result<ColouredEmbedding> {
    let picture = Picture::of(&space.train, space.test.as_ref())?;
    let targets = parts.data.targets();
    let point = |part: Part, rows: &[usize], places: Vec<Vec<f64>>, predicted: &[f64]| {
        let of_row = |((&row, coordinates), &predicted)| ColouredPoint {
            row: row + 1,
            coordinates,
            value: targets.row(row)[0],
            predicted: Some(predicted),
            part,
        };
        rows.iter().zip(places).zip(predicted).map(of_row).collect::<Vec<_>>()
    };
    let mut points = point(Part::Train, &parts.split.train, picture.train, &predictions.train);
    points.extend(point(Part::Test, &parts.split.test, picture.test, &predictions.test));
    let [_, dimension] = space.train.dims();
    Ok(ColouredEmbedding {
        dimension,
        variance_share: picture.variance_share,
        colour: targets.names()[0].clone(),
        points,
        links: Vec::new(),
    })
}
