//! What a metric learnt from classes is worth beside Euclidean distance, PCA and LDA: the same rows, the same rules.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::{Labelled, Split};
use burn_nca::evaluate::{Accuracy, ClassScores, perplexities_of};
use burn_nca::neighbors::{ClassReferences, Rule};
use burn_nca_datasets::WithoutClass;

use super::baselines::baselines;
use super::embedding::{embed, place};
use super::finished_fit::{Evaluation, label};
use super::parts::{Parts, Space};
use super::picture::{Picture, Shown};
use super::sample::{Sample, rows_of};
use super::stages::Stages;
use crate::report::{
    self, ClassCount, ClassMark, ClassResults, ClassTable, Confusion, Data, Embedding, Measure,
    MeasureRow, MeasureTable, Part, Point, Results, Unlabelled, thinned,
};

/// All rows, which of them were learnt from and which are measured, and the k of k-NN.
pub struct ClassRows<'a> {
    pub data: &'a Labelled,
    pub split: &'a Split,
    pub sample: &'a Sample,
    /// The rows without a class, which are drawn alone.
    pub without_class: Option<&'a WithoutClass>,
    pub neighbors: usize,
}

/// The labels of the rows to learn from and of those held out (perhaps none), and which of the former are measured.
struct Labels<'a> {
    train: &'a [usize],
    test: &'a [usize],
    classes: usize,
    measured: &'a [usize],
    /// How much each training row counts in a vote.
    weights: Option<&'a [f64]>,
}

impl<'a> Labels<'a> {
    /// The labels of the training rows that are measured.
    fn measured(&self) -> Vec<usize> {
        self.measured.iter().map(|&row| self.train[row]).collect()
    }

    /// The training rows where they stand in a space.
    fn references(&self, embedding: &'a Tensor<2>) -> ClassReferences<'a> {
        let Self { train: labels, classes, weights, .. } = *self;
        ClassReferences { embedding, labels, classes, weights }
    }
}

/// How neighbours in a space classify the rows.
struct MethodScores {
    row: MeasureRow,
    /// The 1-NN class of each training row that is measured, left out of the others.
    train: Vec<usize>,
    /// The 1-NN class of each row held out.
    test: Vec<usize>,
}

/// What a model of classes is worth beside the baselines, and its picture.
///
/// # Errors
/// k above the training rows, or an embedding that is not finite.
pub fn evaluate(model: &Fitted, rows: &ClassRows<'_>, stages: &Stages) -> Result<Evaluation> {
    stages.announce("evaluating the learnt metric");
    let (k, classes) = (rows.neighbors, rows.data.classes());
    let measured = &rows.sample.train;
    let test = rows.data.select(&rows.sample.test);
    // The raw rows go as soon as they are scaled: a large table stands in memory often enough.
    let (precise, own, scaled, train) = {
        let raw = rows.data.select(&rows.split.train);
        let parts = Parts::of(raw.features(), test.features());
        let scaled = parts.scaled(model.scaling())?;
        let train = raw.with_features(scaled.train.clone())?;
        (parts.precise(model)?, parts.embedded(model)?, scaled, train)
    };
    let weights = train.weights();
    let labels = Labels { train: train.labels(), test: test.labels(), classes, measured, weights };
    let truth_of_train = labels.measured();
    let (method, rule) = (label(model), model.rule());
    let learnt = judge((method, rule), &own, &labels, k)?;
    let [_, dimension] = own.train.dims();
    let place = place(&model.references().device());
    let mut compared = baselines(&scaled.train, Some(&train), dimension, stages, |method, map| {
        Ok(judge((method, &Rule::Neighbors), &scaled.mapped(map, &place)?, &labels, k)?.row)
    })?;
    compared.retain(|row| row.method != method);
    compared.push(learnt.row.clone());
    stages.announce("drawing the embedding");
    let comparison =
        MeasureTable { neighbors: Some(k), measures: Measure::of_classes(k), rows: compared };
    let (part, key, predicted, truth) = if test.rows() > 0 {
        (Part::Test, "knn_test", &learnt.test, labels.test)
    } else {
        (Part::Train, "nn_train", &learnt.train, truth_of_train.as_slice())
    };
    // A weight counts a term as often; the draw of its neighbour is that of the paper.
    let references = ClassReferences { weights: None, ..labels.references(&precise.train) };
    let log_p = rule.log_own_probabilities(references, measured)?;
    let p: Vec<f64> = log_p.iter().map(|log_p| log_p.exp()).collect();
    let perplexity = perplexities_of(&precise.train, measured)?;
    let data = data(rows, &train);
    let counts = train.class_counts();
    let with_partner =
        measured.iter().zip(&log_p).filter(|(row, _)| counts[labels.train[**row]] > 1);
    // Of all training rows, where a sample was measured.
    let scale = train.rows() as f64 / measured.len().max(1) as f64;
    let results = ClassResults {
        accuracy: report::Accuracy {
            train: learnt.row.value("nn_train").unwrap_or(f64::NAN),
            test: learnt.row.value("nn_test"),
        },
        f: scale * p.iter().sum::<f64>(),
        g: scale * with_partner.map(|(_, log_p)| log_p).sum::<f64>(),
        confusion: Some(Confusion::of(part, predicted, truth, classes)),
        class_scores: Some(ClassTable::of(part, &ClassScores::of(predicted, truth, classes)?)),
        embedding: Some(embedding(rows, (&precise, unlabelled(model, rows)?), &learnt, &p)?),
        p,
        perplexity: perplexity.clone(),
    };
    Ok(Evaluation {
        data,
        shortfall: comparison.shortfall(key, Some(truth.len())),
        comparison,
        results: Results::Classes(Box::new(results)),
        embedding: precise.train,
        perplexity,
    })
}

fn data(rows: &ClassRows<'_>, train: &Labelled) -> Data {
    let (labels, train_counts) = (rows.data.labels(), train.class_counts());
    let mut test_counts = vec![0; rows.data.classes()];
    rows.split.test.iter().for_each(|&row| test_counts[labels[row]] += 1);
    let counts = train_counts.iter().zip(test_counts);
    let class = |(name, (&train, test)): (&String, (&usize, usize))| ClassCount {
        name: name.clone(),
        train,
        test,
    };
    Data {
        name: String::new(),
        rows: rows.data.rows(),
        columns: rows.data.features().columns(),
        train: train.rows(),
        test: rows.split.test.len(),
        target: None,
        classes: rows.data.class_names().iter().zip(counts).map(class).collect(),
        without_partner: train_counts.iter().filter(|count| **count == 1).count(),
    }
}

/// Classifies the rows of a space by 1-NN, k-NN and the stochastic rule.
///
/// # Errors
/// k above the training rows, or coordinates that are not finite.
fn judge(
    (method, rule): (&str, &Rule),
    space: &Space,
    labels: &Labels<'_>,
    k: usize,
) -> Result<MethodScores> {
    let (references, of_classes) = (labels.references(&space.train), rule.of_classes());
    let [_, dimension] = space.train.dims();
    let queries = rows_of(&space.train, labels.measured);
    let predicted = of_classes.classes(&queries, references, &[1], Some(labels.measured))?;
    let train = predicted.into_iter().next().unwrap_or_default();
    let mut values = vec![("nn_train", Accuracy::of(&train, &labels.measured())?.value())];
    let (mut test, mut interval) = (Vec::new(), None);
    if let Some(queries) = &space.test {
        let of = |predicted: &[usize]| Accuracy::of(predicted, labels.test);
        let mut predicted = of_classes.classes(queries, references, &[1, k], None)?;
        let knn = of(&predicted.pop().unwrap_or_default())?;
        test = predicted.pop().unwrap_or_default();
        let nn = of(&test)?;
        interval = nn.interval().map(|interval| [interval.low, interval.high]);
        values.extend([("nn_test", nn.value()), ("knn_test", knn.value())]);
        values.push(("soft_test", of(&rule.most_probable_classes(queries, references)?)?.value()));
    } else {
        values.extend(["nn_test", "knn_test", "soft_test"].map(|key| (key, None)));
    }
    let values = values.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    let (method, rule) = (method.to_string(), String::new());
    Ok(MethodScores { row: MeasureRow { method, rule, dimension, interval, values }, train, test })
}

/// Where the model puts the rows without a class, as many as a picture shows, with their places in the file.
fn unlabelled(model: &Fitted, rows: &ClassRows<'_>) -> Result<Option<(Vec<usize>, Tensor<2>)>> {
    let Some(WithoutClass { rows, features }) = rows.without_class else { return Ok(None) };
    let drawn: Vec<usize> = thinned(rows.len()).collect();
    let points = embed(model, &features.select(&drawn))?;
    Ok(Some((drawn.iter().map(|&at| rows[at]).collect(), points)))
}

fn embedding(
    rows: &ClassRows<'_>,
    (space, unlabelled): (&Space, Option<(Vec<usize>, Tensor<2>)>),
    learnt: &MethodScores,
    p: &[f64],
) -> Result<Embedding<ClassMark>> {
    let measured = &rows.sample.train;
    let (others, without_class) = unlabelled.unzip();
    let shown = Shown { test: space.test.as_ref(), others: without_class.as_ref() };
    let picture = Picture::of(&rows_of(&space.train, measured), shown)?;
    let [_, dimension] = space.train.dims();
    let labels = rows.data.labels();
    let point = |row: usize, coordinates, predicted, part, p| {
        let mark = ClassMark { class: labels[row], predicted: Some(predicted), p };
        Point { row: row + 1, coordinates, part, mark }
    };
    let train = measured.iter().map(|&place| rows.split.train[place]);
    let train = train.zip(picture.train).zip(&learnt.train).zip(p);
    let test = rows.sample.test.iter().zip(picture.test).zip(&learnt.test);
    let train = train.map(|(((row, at), &class), &p)| point(row, at, class, Part::Train, Some(p)));
    let test = test.map(|((&row, at), &class)| point(row, at, class, Part::Test, None));
    let points = train.chain(test).collect();
    let others = others.unwrap_or_default().into_iter().zip(picture.others);
    let unlabelled = others.map(|(row, coordinates)| Unlabelled { row: row + 1, coordinates });
    Ok(Embedding {
        dimension,
        variance_share: picture.variance_share,
        colour: None,
        points,
        links: Vec::new(),
        unlabelled: unlabelled.collect(),
    })
}

#[cfg(test)]
mod tests {
    use burn_nca::evaluate::{Embedded, held_out_accuracy, leave_one_out_accuracy};
    use burn_nca_datasets::bundled::iris;

    use super::*;

    /// The rows of the comparison of iris, a third of it (or nothing) held out.
    fn compared(held_out: bool) -> (Labelled, Labelled, Vec<MeasureRow>) {
        let data = iris();
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..150).partition(|row| held_out && row % 3 == 0);
        let (train, test) = (data.select(&train), data.select(&test));
        let measured: Vec<usize> = (0..train.rows()).collect();
        let (train_labels, test_labels) = (train.labels(), test.labels());
        let labels = Labels {
            train: train_labels,
            test: test_labels,
            classes: 3,
            measured: &measured,
            weights: None,
        };
        let space = Parts {
            train: train.features().clone(),
            test: held_out.then(|| test.features().clone()),
        };
        let place = place(&burn_nca::device::host().unwrap());
        let rows = baselines(&space.train, Some(&train), 3, &Stages::unlimited(), |method, map| {
            Ok(judge((method, &Rule::Neighbors), &space.mapped(map, &place)?, &labels, 5)?.row)
        });
        let rows = rows.unwrap();
        (train, test, rows)
    }

    #[test]
    fn a_row_of_the_table_is_what_the_library_says() {
        let (train, test, rows) = compared(true);
        let (device, dtype) = place(&burn_nca::device::host().unwrap());
        let tensor = |data: &Labelled| data.features().to_tensor(&device, dtype);
        let (train_points, test_points) = (tensor(&train), tensor(&test));
        let train = Embedded { points: &train_points, labels: train.labels() };
        let test = Embedded { points: &test_points, labels: test.labels() };
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
