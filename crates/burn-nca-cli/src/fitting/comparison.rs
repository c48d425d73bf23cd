//! The learnt metric beside Euclidean distance, PCA and LDA: the same rows, the same rules.

use anyhow::Result;
use burn::tensor::{DType, Device, Tensor};
use burn_nca::baseline::{LdaConfig, PcaConfig, Projection, Shrinkage};
use burn_nca::data::{Features, Labelled};
use burn_nca::evaluate::Accuracy;
use burn_nca::neighbors::{ClassReferences, Rule};

use super::stages::Stages;
use super::stochastic_rule::most_probable;
use crate::report::ComparisonRow;

/// The shrinkage of LDA where the within-class scatter is singular; that of the automatic start.
const SHRINKAGE: f64 = 0.01;

/// The training rows and those held out (perhaps none), scaled.
pub struct Parts {
    /// The rows that were learnt from.
    pub train: Labelled,
    /// The rows that were not.
    pub test: Labelled,
}

/// The rows of [`Parts`] in some space.
pub struct Space {
    /// The training rows, `[n, k]`.
    pub train: Tensor<2>,
    /// The rows held out, `[m, k]`; `None` without any.
    pub test: Option<Tensor<2>>,
}

/// How neighbours in a space classify the rows.
pub struct Judgement {
    /// The accuracies.
    pub row: ComparisonRow,
    /// The 1-NN class of each training row, left out of the others.
    pub predicted_train: Vec<usize>,
    /// The 1-NN class of each row held out.
    pub predicted_test: Vec<usize>,
}

/// Classifies the rows of a space by 1-NN, k-NN and the stochastic rule.
///
/// # Errors
/// k above the training rows, or coordinates that are not finite.
pub fn judge(
    (method, rule): (&str, &Rule),
    space: &Space,
    parts: &Parts,
    k: usize,
) -> Result<Judgement> {
    let (labels, classes) = (parts.train.labels(), parts.train.classes());
    let references = ClassReferences { embedding: &space.train, labels, classes };
    let [_, dimension] = space.train.dims();
    let own: Vec<usize> = (0..labels.len()).collect();
    let predicted = rule.of_classes().classes(&space.train, references, &[1], Some(&own))?;
    let predicted_train = predicted.into_iter().next().unwrap_or_default();
    let mut row = ComparisonRow {
        method: method.to_string(),
        dimension,
        nn_train: Accuracy::of(&predicted_train, labels)?.value(),
        nn_test: None,
        nn_test_interval: None,
        knn_test: None,
        soft_test: None,
    };
    let mut predicted_test = Vec::new();
    if let Some(test) = &space.test {
        let truth = parts.test.labels();
        let mut predicted = rule.of_classes().classes(test, references, &[1, k], None)?;
        let by_votes = predicted.pop().unwrap_or_default();
        predicted_test = predicted.pop().unwrap_or_default();
        let nn = Accuracy::of(&predicted_test, truth)?;
        let knn = Accuracy::of(&by_votes, truth)?;
        let soft = most_probable(rule, test, references)?;
        row.nn_test = nn.value();
        row.nn_test_interval = nn.interval().map(|interval| [interval.low, interval.high]);
        row.knn_test = knn.value();
        row.soft_test = Accuracy::of(&soft, truth)?.value();
    }
    Ok(Judgement { row, predicted_train, predicted_test })
}

/// The accuracies of Euclidean distance, and of PCA and LDA in (at most) `dimension` dimensions.
///
/// LDA has at most c - 1 dimensions; where the within-class scatter is singular it is shrunk, and the row says
/// so; where that does not help either, the row is left out, as is what the stages do not admit.
///
/// # Errors
/// k above the training rows.
pub fn baselines(
    parts: &Parts,
    dimension: usize,
    k: usize,
    place: &(Device, DType),
    stages: &Stages,
) -> Result<Vec<ComparisonRow>> {
    let train = &parts.train;
    let d = train.features().columns();
    let row = |method: &str, map: &Projection| -> Result<ComparisonRow> {
        Ok(judge((method, &Rule::Neighbors), &spaces(map, parts, place)?, parts, k)?.row)
    };
    let mut rows = Vec::new();
    if stages.admits("Euclidean distance") {
        rows.push(row("Euclidean", &Projection::euclidean(d))?);
    }
    if stages.admits("PCA") {
        // n rows span n - 1 directions; more add no distance.
        let k = dimension.min(d).min(train.rows() - 1).max(1);
        rows.push(row("PCA", &PcaConfig::new(k).fit(train.features())?.projection)?);
    }
    if stages.admits("LDA")
        && let Some((method, map)) = discriminants(train, dimension)
    {
        rows.push(row(&method, &map)?);
    }
    Ok(rows)
}

fn discriminants(train: &Labelled, dimension: usize) -> Option<(String, Projection)> {
    let present = train.class_counts().iter().filter(|count| **count > 0).count();
    let most = train.features().columns().min(present.saturating_sub(1));
    let plain = LdaConfig::new(dimension.min(most));
    if let Ok(lda) = plain.fit(train) {
        return Some(("LDA".to_string(), lda.projection));
    }
    let lda = plain.with_shrinkage(Shrinkage::Fixed { amount: SHRINKAGE }).fit(train).ok()?;
    Some((format!("LDA, shrinkage {SHRINKAGE}"), lda.projection))
}

/// The rows in the space of a map.
///
/// # Errors
/// A map of other columns.
fn spaces(map: &Projection, parts: &Parts, place: &(Device, DType)) -> Result<Space> {
    let held_out = (parts.test.rows() > 0).then(|| apply(map, parts.test.features(), place));
    Ok(Space { train: apply(map, parts.train.features(), place)?, test: held_out.transpose()? })
}

fn apply(
    map: &Projection,
    features: &Features,
    (device, dtype): &(Device, DType),
) -> Result<Tensor<2>> {
    Ok(map.apply(features)?.to_tensor(device, *dtype))
}

#[cfg(test)]
mod tests {
    use burn_nca::evaluate::{Embedded, held_out_accuracy, leave_one_out_accuracy};
    use burn_nca_datasets::bundled::iris;

    use super::*;
    use crate::fitting::embedding::place;

    fn parts() -> Parts {
        let data = iris();
        let rows: Vec<usize> = (0..150).collect();
        let (test, train): (Vec<usize>, Vec<usize>) =
            rows.into_iter().partition(|row| row % 3 == 0);
        Parts { train: data.select(&train), test: data.select(&test) }
    }

    #[test]
    fn a_row_of_the_table_is_what_the_library_says() {
        let parts = parts();
        let place = place(&burn_nca::device::host().unwrap());
        let rows = baselines(&parts, 3, 5, &place, &Stages::unlimited()).unwrap();
        let euclidean = &rows[0];
        let (train, test) = (
            parts.train.features().to_tensor(&place.0, place.1),
            parts.test.features().to_tensor(&place.0, place.1),
        );
        let train = Embedded { points: &train, labels: parts.train.labels() };
        let test = Embedded { points: &test, labels: parts.test.labels() };
        assert_eq!(euclidean.nn_train, leave_one_out_accuracy(train, 1).unwrap().value());
        assert_eq!(euclidean.nn_test, held_out_accuracy(train, test, 1).unwrap().value());
        assert_eq!(euclidean.knn_test, held_out_accuracy(train, test, 5).unwrap().value());
        let dimensions: Vec<usize> = rows.iter().map(|row| row.dimension).collect();
        assert_eq!(dimensions, [4, 3, 2], "LDA of three classes has two dimensions");
    }

    #[test]
    fn without_test_rows_only_the_training_rows_count() {
        let mut parts = parts();
        parts.test = parts.test.select(&[]);
        let place = place(&burn_nca::device::host().unwrap());
        let rows = baselines(&parts, 2, 5, &place, &Stages::unlimited()).unwrap();
        assert!(rows.iter().all(|row| row.nn_train.is_some() && row.nn_test.is_none()));
    }
}
