//! A metric learned from numbers compared with Euclidean distance and PCA: the same rows, the same rules.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, RegressionData};
use burn_nca_learn::evaluate::{RegressionScores, perplexities_by};
use burn_nca_learn::neighbors::{NearestConfig, Numbers, fewest_others, nearest_means};

use super::judging::{baselines, compared};
use super::replay::{self, Step};
use super::rows::Rows;
use super::sample::{Sample, rows_of};
use super::space::{Axes, Parts, Space, resolve_device};
use super::{Evaluation, ReportData, Stages};
use crate::number::significant;
use crate::{
    Data, Embedding, ExplainedNumbers, Measure, MeasureRow, MeasureTable, Part, Point, Replay,
    Results, Unit, ValueMark, ValueResults,
};

impl ReportData for RegressionData {
    const FIGURES: &str = "R², errors, perplexity and the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        let sample = &rows.sample()?;
        stages.announce("evaluating");
        let (train, measured) = (&rows.train, &sample.train);
        let test: RegressionData = rows.data.select(&sample.test);
        let neighbors = rows.neighbors;
        let fewer = neighbors.min(fewest_others(train.rows(), train.groups()));
        let compare = NumberComparison { train, test: &test, measured, ks: [fewer, neighbors] };
        let parts = Parts::of(train.features(), test.features());
        let space = parts.embedded(model)?;
        let baselines = compare.baselines((model, &parts), stages)?;
        let (learned, by_kernel) = compare.learned(model, &space)?;
        let compared = compared(baselines, &learned);
        let comparison = MeasureTable { neighbors: None, measures: measures(), rows: compared };
        stages.announce("judging and drawing single rows");
        let precise = parts.precise(model)?;
        let embedding = embedding(&precise, (rows, sample), &by_kernel)?;
        let of_test = [&by_kernel.test[..], test.targets().values()];
        let (test_in_training, warnings) = rows.seen((sample, of_test), r2_and_rmse);
        let key = if test.rows() > 0 { "r2_test" } else { "r2_train" };
        let value = model.summary().value;
        let learned_from = (&rows.split.train[..], train.features());
        let explained = || ExplainedNumbers::of(model, &rows.data, &sample.test, learned_from);
        // The features of a large table are not copied for some rows.
        let explained = sample.measured().is_none().then(explained).flatten();
        let [_, scores] = learned;
        Ok(Evaluation {
            data: Data {
                target: rows.data.targets().names().first().cloned(),
                test_in_training,
                ..rows.about(sample)
            },
            shortfall: comparison.shortfall(key, None),
            comparison,
            warnings,
            results: Results::Numbers(ValueResults { value, scores, explained, embedding }),
            perplexity: perplexities_by(model.rule(), &precise.train, measured, train.groups())?,
            embedding: precise.train,
        })
    }

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &dyn Stages),
    ) -> Result<Option<Replay>> {
        replay::of_numbers((model, steps, stages), rows, &rows.sample()?)
    }
}

/// Rows with numbers on one scale, in which metrics are compared by the same rules of neighbors.
struct NumberComparison<'a> {
    train: &'a RegressionData,
    test: &'a RegressionData,
    /// Which training rows are measured, each left out of the others.
    measured: &'a [usize],
    /// The k of a training row, which has fewer neighbors (not itself, and none of its group), and of k-NN.
    ks: [usize; 2],
}

/// A number for each training row that is measured, from all others, and for each row held out, from all training rows.
struct Numbered {
    train: Vec<f64>,
    test: Vec<f64>,
}

impl<'a> NumberComparison<'a> {
    /// The nearest of Euclidean distance and PCA in (at most) the dimensions of the model, as far as the stages admit them.
    fn baselines(
        &self,
        (model, parts): (&Fitted, &Parts<&Features>),
        stages: &dyn Stages,
    ) -> Result<Vec<MeasureRow>> {
        let [_, dimension] = model.references().dims();
        let (device, _) = resolve_device(&model.references().device());
        let nearest = format!("{}-NN", self.ks[1]);
        baselines(parts.train, None, dimension, stages, |method, map| {
            let Parts { train, test } = parts.mapped(map)?;
            let shown = train.select(self.measured);
            let predicted = self.predicted((&shown, test.as_ref()), |queries, k, own| {
                let (search, exclude) = (NearestConfig::new(k), self.numbers().exclude(own));
                let found = search.search_features_excluding(queries, &train, exclude, &device)?;
                Ok(nearest_means(&found, self.numbers(), k)?)
            })?;
            self.row((method, &nearest, train.columns()), &predicted)
        })
    }

    /// The nearest of a model and its kernel rule, and what that predicts.
    fn learned(&self, model: &Fitted, space: &Space) -> Result<([MeasureRow; 2], Numbered)> {
        let (method, [_, dimension]) = (model.applied_method().label, space.train.dims());
        let shown = rows_of(&space.train, self.measured);
        let parts = (&shown, space.test.as_ref());
        let row = |rule: &str, found: &Numbered| self.row((&method, rule, dimension), found);
        let by_votes = self.predicted(parts, |queries, k, own| {
            let exclude = self.numbers().exclude(own);
            let found = model.rule().nearest(queries, &space.train, k, exclude)?;
            Ok(nearest_means(&found, self.numbers(), k)?)
        })?;
        let by_votes = row(&format!("{}-NN", self.ks[1]), &by_votes)?;
        let by_kernel = self.predicted(parts, |queries, _, own| {
            Ok(model.rule().kernel_means(queries, &space.train, self.numbers(), own)?)
        })?;
        Ok(([by_votes, row("kernel", &by_kernel)?], by_kernel))
    }

    /// What a rule predicts of the training rows measured and of those held out; some queries are references themselves.
    fn predicted<Q>(
        &self,
        (train, test): (&Q, Option<&Q>),
        mean: impl Fn(&Q, usize, Option<&'a [usize]>) -> Result<Vec<f64>>,
    ) -> Result<Numbered> {
        let [fewer, k] = self.ks;
        Ok(Numbered {
            train: mean(train, fewer, Some(self.measured))?,
            test: test.map_or(Ok(Vec::new()), |test| mean(test, k, None))?,
        })
    }

    fn row(
        &self,
        (method, rule, dimension): (&str, &str, usize),
        predicted: &Numbered,
    ) -> Result<MeasureRow> {
        let known = self.train.targets().values();
        let truth: Vec<f64> = self.measured.iter().map(|&row| known[row]).collect();
        let train = RegressionScores::of(&predicted.train, &truth)?;
        let test = RegressionScores::of(&predicted.test, self.test.targets().values())?;
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

    fn numbers(&self) -> Numbers<'a> {
        let numbers = Numbers::new(self.train.targets().values(), 1);
        numbers.with_weights(self.train.weights()).with_groups(self.train.groups())
    }
}

pub(super) fn r2_and_rmse(predicted: &[f64], truth: &[f64]) -> Option<String> {
    let scores = RegressionScores::of(predicted, truth).ok()?;
    Some(format!("R² {}, RMSE {}", significant(scores.r2()?, 3), significant(scores.rmse()?, 3)))
}

/// The columns of a comparison of numbers.
pub fn measures() -> Vec<Measure> {
    vec![
        Measure::new("r2_train", "R² train", Unit::Number, true),
        Measure::new("r2_test", "R² test", Unit::Number, true),
        Measure::new("rmse_test", "RMSE test", Unit::Number, false),
        Measure::new("mae_test", "MAE test", Unit::Number, false),
    ]
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
