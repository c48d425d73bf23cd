//! A metric learned from classes compared with Euclidean distance, PCA and LDA: the same rows, the same rules.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures, WithoutClass};
use burn_nca_learn::evaluate::{Accuracy as Counted, ClassScores, RowTerms};
use burn_nca_learn::neighbors::Rule;

use super::Evaluation;
use super::Stages;
use super::embedding::embed;
use super::judging::{ClassComparison, MethodScores};
use super::parts::{Parts, Space};
use super::picture::Axes;
use super::repeats::Seen;
use super::rows::Rows;
use super::sample::Sample;
use crate::sections::picture::{DRAWN, thinned};
use crate::{
    Accuracy, ClassCount, ClassMark, ClassResults, ClassTable, Confusion, ContradictedLabels, Data,
    Density, Embedding, ExplainedClasses, Measure, MeasureTable, Part, Point, Results, Unlabeled,
};

/// A model of classes compared with the baselines, and its picture.
pub fn evaluate(
    model: &Fitted,
    rows: &Rows<Labeled>,
    sample: &Sample,
    stages: &dyn Stages,
) -> Result<Evaluation> {
    stages.announce("evaluating");
    let (k, classes) = (rows.neighbors, rows.data.classes());
    let (train, measured) = (&rows.train, &sample.train);
    let test: Labeled = rows.data.select(&sample.test);
    let compare = ClassComparison { train, test: &test, measured, neighbors: k };
    let parts = compare.parts();
    // Where a sample is measured, the others are embedded in f64 a part at a time, for the terms alone.
    let shown = train.features().select(measured);
    let precise = Parts { train: &shown, test: parts.test }.precise(model)?;
    let truth_of_train = compare.measured_labels();
    let learned = compare.learned(model)?;
    let (method, device) = (&learned.row.method, model.references().device());
    let mut compared = compare.baselines(learned.row.dimension, &device, stages)?;
    compared.retain(|row| row.method != *method);
    compared.push(learned.row.clone());
    stages.announce("drawing the embedding");
    let comparison =
        MeasureTable { neighbors: Some(k), measures: Measure::of_classes(k), rows: compared };
    let (part, key, predicted, truth) = if test.rows() > 0 {
        (Part::Test, "knn_test", &learned.test, test.labels())
    } else {
        (Part::Train, "nn_train", &learned.train, truth_of_train.as_slice())
    };
    let RowTerms { log_p, perplexity } = match sample.measured() {
        None => RowTerms::of_rule(model.rule(), compare.references(&precise.train), measured)?,
        Some(_) => terms_of_sample(model, &compare)?,
    };
    let p: Vec<f64> = log_p.iter().map(|log_p| log_p.exp()).collect();
    let seen = Seen::of_test(rows.data.features(), &rows.split, train.features());
    let on_others = |others: &[usize]| {
        let (predicted, truth) =
            sample.of_test(&rows.split, others, [&learned.test, test.labels()]);
        let share = Counted::of(&predicted, &truth).ok()?.value()?;
        Some(format!("1-NN accuracy {:.1} %", 100.0 * share))
    };
    let warnings = seen.warning(on_others).into_iter().collect();
    let data = Data { test_in_training: seen.count(), ..data(rows, sample) };
    // A row without another of its class (in another group) has no term.
    let with_positive = log_p.iter().filter(|log_p| **log_p > f64::NEG_INFINITY);
    // Of all training rows, where a sample was measured.
    let scale = train.rows() as f64 / measured.len().max(1) as f64;
    let results = ClassResults {
        accuracy: Accuracy {
            train: learned.row.value("nn_train").unwrap_or(f64::NAN),
            test: learned.row.value("nn_test"),
        },
        f: scale * p.iter().sum::<f64>(),
        g: scale * with_positive.sum::<f64>(),
        confusion: Some(Confusion::of(part, predicted, truth, classes)),
        class_scores: Some(ClassTable::of(part, &ClassScores::of(predicted, truth, classes)?)),
        explained: match sample.measured() {
            // The features of a large table are not copied for some rows.
            Some(_) => None,
            None => ExplainedClasses::of(
                model,
                &rows.data,
                (&sample.test, &learned.test),
                (&rows.split.train, train.features()),
            ),
        },
        labels: Some(ContradictedLabels::of(model, measured, &rows.split.train)?),
        embedding: Some(Embedding {
            density: density(model, rows, sample)?,
            ..embedding((rows, sample), (&precise, unlabeled(model, rows)?), &learned, &p)?
        }),
        p,
        perplexity: perplexity.clone(),
    };
    Ok(Evaluation {
        data,
        shortfall: comparison.shortfall(key, Some(truth.len())),
        comparison,
        warnings,
        results: Results::Classes(Box::new(results)),
        embedding: precise.train,
        perplexity,
    })
}

/// The terms of a sample of so many rows that their embedding in f64 is not to stand for all of them.
fn terms_of_sample(model: &Fitted, rows: &ClassComparison<'_>) -> Result<RowTerms> {
    let train = rows.train;
    match model.rule() {
        Rule::Neighbors => {
            RowTerms::in_parts((train.labels(), train.groups()), rows.measured, |some| {
                embed(model, &train.features().select(some))
            })
        }
        rule => {
            let embedding = embed(model, train.features())?;
            Ok(RowTerms::of_rule(rule, rows.references(&embedding), rows.measured)?)
        }
    }
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
    (rows, sample): (&Rows<Labeled>, &Sample),
    (space, unlabeled): (&Space, Option<(Vec<usize>, Tensor<2>)>),
    learned: &MethodScores,
    p: &[f64],
) -> Result<Embedding<ClassMark>> {
    let (others, without_class) = unlabeled.unzip();
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
    use crate::MeasureRow;
    use crate::evaluation::AllStages;
    use crate::evaluation::embedding::resolve_device;

    /// The rows of the comparison of iris, a third of it (or nothing) held out.
    fn compared(held_out: bool) -> (Labeled, Labeled, Vec<MeasureRow>) {
        let data = iris();
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..150).partition(|row| held_out && row % 3 == 0);
        let (train, test) = (data.select(&train), data.select(&test));
        let measured: Vec<usize> = (0..train.rows()).collect();
        let compare =
            ClassComparison { train: &train, test: &test, measured: &measured, neighbors: 5 };
        let device = burn_nca_learn::device::host().unwrap();
        let rows = compare.baselines(3, &device, &AllStages);
        let rows = rows.unwrap();
        (train, test, rows)
    }

    #[test]
    fn a_row_of_the_table_is_what_the_library_says() {
        let (train, test, rows) = compared(true);
        let (device, dtype) = resolve_device(&burn_nca_learn::device::host().unwrap());
        let tensor = |data: &Labeled| data.features().to_tensor(&device, dtype);
        let (train_points, test_points) = (tensor(&train), tensor(&test));
        let train = Embedded::new(&train_points, train.labels());
        let test = Embedded::new(&test_points, test.labels());
        let of = |key: &str| rows[0].value(key);
        assert_eq!(of("nn_train"), leave_one_out_accuracy(train, 1).unwrap().value());
        assert_eq!(of("nn_test"), held_out_accuracy(train, test, 1).unwrap().value());
        assert_eq!(of("knn_test"), held_out_accuracy(train, test, 5).unwrap().value());
        let dimensions: Vec<usize> = rows.iter().map(|row| row.dimension).collect();
        assert_eq!(dimensions, [4, 3, 2], "LDA of three classes has two dimensions");
    }

    #[test]
    fn without_test_rows_only_the_training_rows_count() {
        let (_, _, rows) = compared(false);
        assert!(
            rows.iter()
                .all(|row| row.value("nn_train").is_some() && row.value("nn_test").is_none())
        );
        assert!(
            rows.iter().all(|row| row.values.contains_key("nn_test") && row.interval.is_none())
        );
    }
}
