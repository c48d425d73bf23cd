//! Metrics of an embedding for Burn's `Learner`.
//!
//! They are computed from each batch on the metrics' own thread, in f64 and exactly as in
//! [`evaluate`](crate::evaluate), and averaged over an epoch by the rows they are about. Where a batch has no
//! value (too few rows for k neighbors, say) the entry is `N/A` and says why.

mod measure;
mod points;

pub use measure::{EmbeddingMetric, Measure, Reading};
pub use points::{EmbeddingSpread, NeighborPerplexity, Perplexity, TotalVariance};

use burn::tensor::{Int, Tensor, TensorReadError};

use crate::error::Result as CrateResult;
use crate::evaluate::{Embedded, expected_accuracy, held_out_accuracy, leave_one_out_accuracy};
use crate::neighbors::leave_one_out_probabilities;
use crate::train::{LabeledEmbedding, ReferencedEmbedding};

/// The leave-one-out k-NN accuracy within each batch: every row is classified by the others.
///
/// In %; exact, by Euclidean distance. A batch of k rows or fewer has none. Batches are small, so this is a
/// sign of progress rather than the accuracy of the embedding: see [`ReferenceAccuracy`].
pub type LeaveOneOutAccuracy = EmbeddingMetric<LeaveOneOut>;

/// The measure behind [`LeaveOneOutAccuracy`], of k neighbors.
#[derive(Clone, Debug)]
pub struct LeaveOneOut(usize);

impl LeaveOneOutAccuracy {
    /// The accuracy of the vote of k neighbors.
    ///
    /// # Panics
    /// If k is 0.
    pub fn new(k: usize) -> Self {
        Self::of(LeaveOneOut(positive(k)))
    }
}

impl Measure for LeaveOneOut {
    type Input = LabeledEmbedding;

    fn name(&self) -> String {
        format!("Leave-one-out {}-NN accuracy", self.0)
    }

    fn description(&self) -> String {
        format!("share of a batch's rows that {} other rows of it classify rightly", self.0)
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        if labels.len() <= self.0 {
            return Ok(Reading::default());
        }
        let found = leave_one_out_accuracy(Embedded::new(&input.points, &labels), self.0);
        Ok(percent(found.map(|found| found.value()), labels.len()))
    }
}

/// The k-NN accuracy of validation points among a reference set, the measure the embedding is made for.
///
/// In %; exact, by Euclidean distance. The model must be a
/// [`ReferencedModel`](crate::train::ReferencedModel); in training, where the references are not embedded,
/// there is no value, so register it for validation: `.metric_valid_numeric(ReferenceAccuracy::new(5))`.
pub type ReferenceAccuracy = EmbeddingMetric<Reference>;

/// The measure behind [`ReferenceAccuracy`], of k neighbors.
#[derive(Clone, Debug)]
pub struct Reference(usize);

impl ReferenceAccuracy {
    /// The accuracy of the vote of k neighbors.
    ///
    /// # Panics
    /// If k is 0.
    pub fn new(k: usize) -> Self {
        Self::of(Reference(positive(k)))
    }
}

impl Measure for Reference {
    type Input = ReferencedEmbedding;

    fn name(&self) -> String {
        format!("{}-NN accuracy", self.0)
    }

    fn description(&self) -> String {
        format!("share of the rows that {} rows of the reference set classify rightly", self.0)
    }

    fn measure(&self, input: &ReferencedEmbedding) -> Result<Reading, TensorReadError> {
        let Some(references) = &input.references else {
            return Ok(Reading::default());
        };
        let known = host_labels(&references.target.labels)?;
        let truth = host_labels(&input.queries.target.labels)?;
        let train = Embedded::new(&references.points, &known);
        let test = Embedded::new(&input.queries.points, &truth);
        let found = held_out_accuracy(train, test, self.0);
        Ok(percent(found.map(|found| found.value()), truth.len()))
    }
}

/// The mean p_i of a batch: the expected accuracy of a neighbor drawn by the paper's kernel, f/n.
///
/// In %; of the squared Euclidean distance at temperature 1, whatever the loss. It sees the scale of the
/// embedding, which a k-NN accuracy does not.
pub type SoftAccuracy = EmbeddingMetric<Soft>;

/// The measure behind [`SoftAccuracy`].
#[derive(Clone, Debug, Default)]
pub struct Soft;

impl Measure for Soft {
    type Input = LabeledEmbedding;

    fn name(&self) -> String {
        "Soft accuracy".to_string()
    }

    fn description(&self) -> String {
        "mean probability of drawing a neighbor of the row's own class (p_i)".to_string()
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        if labels.len() < 2 {
            return Ok(Reading::default());
        }
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        let mean = leave_one_out_probabilities(&input.points, &labels, classes)
            .and_then(|probabilities| expected_accuracy(&probabilities, &labels));
        Ok(percent(mean, labels.len()))
    }
}

/// The share of a batch's rows that are the only ones of their class in it, in %.
///
/// They make no term of the loss: a batch of many of them teaches little. A
/// [`ClassBalancedLoader`](crate::train::ClassBalancedLoader) has none but for classes of one sample.
pub type RowsWithoutPositive = EmbeddingMetric<WithoutPositive>;

/// The measure behind [`RowsWithoutPositive`].
#[derive(Clone, Debug, Default)]
pub struct WithoutPositive;

impl Measure for WithoutPositive {
    type Input = LabeledEmbedding;
    const HIGHER_IS_BETTER: bool = false;

    fn name(&self) -> String {
        "Rows without positive".to_string()
    }

    fn description(&self) -> String {
        "share of a batch's rows that have no other row of their class in it".to_string()
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        let mut counts = vec![0; labels.iter().max().map_or(0, |label| label + 1)];
        labels.iter().for_each(|&label| counts[label] += 1);
        let (rows, without) = (labels.len(), counts.iter().filter(|count| **count == 1).count());
        Ok(percent(Ok((rows > 0).then(|| without as f64 / rows as f64)), rows))
    }
}

fn positive(k: usize) -> usize {
    assert!(k > 0, "an accuracy needs at least one neighbor, got k = 0");
    k
}

fn host_labels(labels: &Tensor<1, Int>) -> Result<Vec<usize>, TensorReadError> {
    let labels = labels.clone().try_into_vec_as::<i64>()?;
    Ok(labels.into_iter().map(|label| label as usize).collect())
}

/// A share of so many rows, 0..1, in %.
fn percent(share: CrateResult<Option<f64>>, rows: usize) -> Reading {
    Reading::of(share.map(|share| share.map(|share| (100.0 * share, rows))))
}
