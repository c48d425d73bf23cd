//! A metric learned from classes compared with Euclidean distance, PCA and LDA: the same rows, the same rules.

use std::slice;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures, WithoutClass};
use burn_nca_learn::evaluate::{ClassScores, RowTerms};

use super::judging::{ClassComparison, MethodScores, class_references, compared};
use super::new_rows::accuracy;
use super::replay::{self, Step};
use super::rows::Rows;
use super::sample::Sample;
use super::space::{Axes, Parts, Space, embed};
use super::{Evaluation, ReportData, Stages};
use crate::sections::picture::{DRAWN, thinned};
use crate::{
    Accuracy, ClassCount, ClassMark, ClassResults, ClassTable, Confusion, ContradictedLabels, Data,
    Density, Embedding, ExplainedClasses, Measure, MeasureTable, Part, Point, Replay, Results,
    Unlabeled,
};

impl ReportData for Labeled {
    const FIGURES: &str = "accuracies, f, g, perplexity and the points of the picture";

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &dyn Stages) -> Result<Evaluation> {
        let sample = &rows.sample()?;
        stages.announce("evaluating");
        let k = rows.neighbors;
        let (train, measured) = (&rows.train, &sample.train);
        let test: Labeled = rows.data.select(&sample.test);
        let compare = ClassComparison { train, test: &test, measured, neighbors: k };
        // Where a sample is measured, the others are not in f64 together: see `terms`.
        let shown = train.features().select(measured);
        let precise = Parts { train: &shown, test: compare.parts().test }.precise(model)?;
        let learned = compare.learned(model)?;
        let device = model.references().device();
        let baselines = compare.baselines(learned.row.dimension, &device, stages)?;
        stages.announce("judging and drawing single rows");
        let compared = compared(baselines, slice::from_ref(&learned.row));
        let measures = Measure::of_classes(k);
        let comparison = MeasureTable { neighbors: Some(k), measures, rows: compared };
        let (key, judged) = match test.rows() {
            0 => ("nn_train", measured.len()),
            rows => ("knn_test", rows),
        };
        let terms = terms(model, &compare, sample, &precise.train)?;
        let of_test = [&learned.test[..], test.labels()];
        let (test_in_training, warnings) = rows.seen((sample, of_test), |predicted, truth| {
            accuracy(comparison.rule_of_classes(), predicted, truth)
        });
        let results = results((model, rows, sample), &compare, (&learned, &precise), terms)?;
        Ok(Evaluation {
            data: Data { test_in_training, ..data(rows, sample) },
            shortfall: comparison.shortfall(key, Some(judged)),
            comparison,
            warnings,
            perplexity: results.perplexity.clone(),
            results: Results::Classes(Box::new(results)),
            embedding: precise.train,
        })
    }

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &dyn Stages),
    ) -> Result<Option<Replay>> {
        replay::of_classes((model, steps, stages), rows, &rows.sample()?)
    }
}

fn results(
    (model, rows, sample): (&Fitted, &Rows<Labeled>, &Sample),
    compare: &ClassComparison<'_>,
    (learned, precise): (&MethodScores, &Space),
    RowTerms { log_p, perplexity }: RowTerms,
) -> Result<ClassResults> {
    let ClassComparison { train, test, measured, .. } = *compare;
    let (classes, truth_of_train) = (rows.data.classes(), compare.measured_labels());
    let (part, predicted, truth) = match test.rows() {
        0 => (Part::Train, &learned.train, truth_of_train.as_slice()),
        _ => (Part::Test, &learned.test, test.labels()),
    };
    let p: Vec<f64> = log_p.iter().map(|log_p| log_p.exp()).collect();
    // A row without another of its class (in another group) has no term.
    let with_positive = log_p.iter().filter(|log_p| **log_p > f64::NEG_INFINITY);
    // Of all training rows, where a sample was measured.
    let scale = train.rows() as f64 / measured.len().max(1) as f64;
    let (asked, learned_from) = ((&sample.test[..], &learned.test[..]), &rows.split.train[..]);
    let explained =
        || ExplainedClasses::of(model, &rows.data, asked, (learned_from, train.features()));
    Ok(ClassResults {
        accuracy: Accuracy {
            train: learned.row.value("nn_train").unwrap_or(f64::NAN),
            test: learned.row.value("nn_test"),
        },
        f: scale * p.iter().sum::<f64>(),
        g: scale * with_positive.sum::<f64>(),
        confusion: Confusion::of(part, predicted, truth, classes),
        class_scores: ClassTable::of(part, &ClassScores::of(predicted, truth, classes)?),
        // The features of a large table are not copied for some rows.
        explained: sample.measured().is_none().then(explained).flatten(),
        labels: ContradictedLabels::of(model, measured, &rows.split.train)?,
        embedding: embedding((model, rows, sample), precise, learned, &p)?,
        p,
        perplexity,
    })
}

/// The terms of the rows that are measured. The embedding of a sample does not stand for all rows: the model's references do.
fn terms(
    model: &Fitted,
    rows: &ClassComparison<'_>,
    sample: &Sample,
    embedding: &Tensor<2>,
) -> Result<RowTerms> {
    let is_whole = sample.measured().is_none();
    let embedding = if is_whole { embedding } else { model.references() };
    let references = class_references(rows.train, embedding);
    Ok(RowTerms::of_rule(model.rule(), references, rows.measured)?)
}

fn data(rows: &Rows<Labeled>, sample: &Sample) -> Data {
    let (labels, train_counts) = (rows.data.labels(), rows.train.class_counts());
    let mut test_counts = vec![0; rows.data.classes()];
    rows.split.test.iter().for_each(|&row| test_counts[labels[row]] += 1);
    let counts = train_counts.iter().zip(test_counts);
    let class = |(name, (&train, test)): (&String, (&usize, usize))| ClassCount {
        name: name.clone(),
        train,
        test,
    };
    Data {
        classes: rows.data.class_names().iter().zip(counts).map(class).collect(),
        without_partner: train_counts.iter().filter(|count| **count == 1).count(),
        ..rows.about(sample)
    }
}

/// Where the model puts the rows without a class, as many as a picture shows, with their places in the file.
fn unlabeled(model: &Fitted, rows: &Rows<Labeled>) -> Result<Option<(Vec<usize>, Tensor<2>)>> {
    let Some(WithoutClass { rows, features }) = &rows.without_class else { return Ok(None) };
    let drawn: Vec<usize> = thinned(rows.len(), DRAWN).collect();
    let scaled = model.scaling().apply(&features.select(&drawn))?;
    let points = embed(model, &scaled)?;
    Ok(Some((drawn.iter().map(|&at| rows[at]).collect(), points)))
}

fn embedding(
    (model, rows, sample): (&Fitted, &Rows<Labeled>, &Sample),
    space: &Space,
    learned: &MethodScores,
    p: &[f64],
) -> Result<Embedding<ClassMark>> {
    let density = density(model, rows, sample)?;
    let (others, without_class) = unlabeled(model, rows)?.unzip();
    let axes = Axes::of(&space.train)?;
    let labels = rows.data.labels();
    let point = |row: usize, coordinates, predicted, part, p| {
        let mark = ClassMark { class: labels[row], predicted: Some(predicted), p };
        Point { row: row + 1, id: None, coordinates, part, mark }
    };
    let train = sample.train.iter().map(|&place| rows.split.train[place]);
    let train = train.zip(axes.rows(Some(&space.train))?).zip(&learned.train).zip(p);
    let test = sample.test.iter().zip(axes.rows(space.test.as_ref())?).zip(&learned.test);
    let train = train.map(|(((row, at), &class), &p)| point(row, at, class, Part::Train, Some(p)));
    let test = test.map(|((&row, at), &class)| point(row, at, class, Part::Test, None));
    let points = train.chain(test).collect();
    let others = others.unwrap_or_default().into_iter().zip(axes.rows(without_class.as_ref())?);
    let unlabeled =
        others.map(|(row, coordinates)| Unlabeled { row: row + 1, id: None, coordinates });
    let [_, dimension] = space.train.dims();
    Ok(Embedding {
        unlabeled: unlabeled.collect(),
        density,
        ..Embedding::new(dimension, axes.variance_share, points)
    })
}

/// All training rows in two dimensions, where a sample of them is drawn as points.
fn density(model: &Fitted, rows: &Rows<Labeled>, sample: &Sample) -> Result<Option<Density>> {
    let points = model.references();
    if sample.measured().is_none() || points.dims() != [rows.train.rows(), 2] {
        return Ok(None);
    }
    let points = Features::from_tensor(points.clone())?;
    let places: Vec<[f64; 2]> =
        (0..points.rows()).map(|row| [points.value(row, 0), points.value(row, 1)]).collect();
    Ok(Density::of(&places, rows.train.labels()))
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::evaluate::{Embedded, held_out_accuracy, leave_one_out_accuracy};

    use super::*;
    use crate::evaluation::AllStages;
    use crate::evaluation::space::resolve_device;

    #[test]
    fn a_row_of_the_table_is_what_the_library_says() {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..150).partition(|row| row % 3 == 0);
        let [train, test] = [train, test].map(|rows| iris().select(&rows));
        let measured: Vec<usize> = (0..train.rows()).collect();
        let compare =
            ClassComparison { train: &train, test: &test, measured: &measured, neighbors: 5 };
        let host = burn_nca_learn::device::host().unwrap();
        let rows = compare.baselines(3, &host, &AllStages).unwrap();
        let (device, dtype) = resolve_device(&host);
        let [known, asked] = [&train, &test].map(|data| data.features().to_tensor(&device, dtype));
        let known = Embedded::new(&known, train.labels());
        let asked = Embedded::new(&asked, test.labels());
        let of = |key: &str| rows[0].value(key);
        assert_eq!(of("nn_train"), leave_one_out_accuracy(known, 1).unwrap().value());
        assert_eq!(of("nn_test"), held_out_accuracy(known, asked, 1).unwrap().value());
        assert_eq!(of("knn_test"), held_out_accuracy(known, asked, 5).unwrap().value());
        let dimensions: Vec<usize> = rows.iter().map(|row| row.dimension).collect();
        assert_eq!(dimensions, [4, 3, 2], "LDA of three classes has two dimensions");
    }
}
