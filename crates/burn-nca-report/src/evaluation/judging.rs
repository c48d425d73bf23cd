//! How neighbors in a space classify rows: of a model by its rule, of a baseline by votes and the stochastic rule.

use anyhow::Result;
use burn::tensor::{Device, Tensor};
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::Projection;
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::evaluate::Accuracy;
use burn_nca_learn::neighbors::{ClassReferences, NearestConfig, Rule, Voters};

use super::baselines::baselines;
use super::embedding::resolve_device;
use super::label;
use super::parts::{Parts, Space};
use super::sample::rows_of;
use super::stages::Stages;
use crate::MeasureRow;

/// Rows with classes on one scale, in which metrics are compared by the same rules of neighbors.
#[derive(Clone, Copy, Debug)]
pub struct ClassComparison<'a> {
    /// The rows that were learned from.
    pub train: &'a Labeled,
    /// The rows held out; perhaps none.
    pub test: &'a Labeled,
    /// Which training rows are measured, each left out of the others.
    pub measured: &'a [usize],
    /// The k of k-NN.
    pub neighbors: usize,
}

impl ClassComparison<'_> {
    /// How a model, whose references are the training rows, classifies the rows by its rule.
    ///
    /// # Errors
    /// k above the training rows, rows of other columns than the model's, or an embedding that is not finite.
    pub fn learned(&self, model: &Fitted) -> Result<MethodScores> {
        let space = &self.parts().embedded(model)?;
        let own = ByRule { space, rule: model.rule() };
        judge(&label(model), &own, &self.labels(), self.neighbors)
    }

    /// The same of Euclidean distance, PCA and LDA in (at most) `dimension` dimensions, those that the stages admit.
    ///
    /// # Errors
    /// As [`learned`](Self::learned).
    pub fn baselines(
        &self,
        dimension: usize,
        device: &Device,
        stages: &dyn Stages,
    ) -> Result<Vec<MeasureRow>> {
        let (device, _) = resolve_device(device);
        let compared = |method: &str, map: &Projection| {
            let space = ByVotes { rows: self.parts().mapped(map)?, device: &device };
            Ok(judge(method, &space, &self.labels(), self.neighbors)?.row)
        };
        baselines(self.train.features(), Some(self.train), dimension, stages, compared)
    }

    /// The features of both parts.
    pub(super) fn parts(&self) -> Parts<&Features> {
        Parts::of(self.train.features(), self.test.features())
    }

    /// The labels of both parts.
    pub(super) fn labels(&self) -> Labels<'_> {
        Labels {
            train: self.train.labels(),
            test: self.test.labels(),
            classes: self.train.classes(),
            measured: self.measured,
            weights: self.train.weights(),
            groups: self.train.groups(),
        }
    }
}

/// The labels of the rows to learn from and of those held out (perhaps none), and which of the former are measured.
pub struct Labels<'a> {
    pub train: &'a [usize],
    pub test: &'a [usize],
    pub classes: usize,
    /// Places among the training rows.
    pub measured: &'a [usize],
    /// How much each training row counts in a vote.
    pub weights: Option<&'a [f64]>,
    /// The group of each training row, where there are groups: none of its rows says anything about another.
    pub groups: Option<&'a [usize]>,
}

impl<'a> Labels<'a> {
    /// The labels of the training rows that are measured.
    pub fn measured(&self) -> Vec<usize> {
        self.measured.iter().map(|&row| self.train[row]).collect()
    }

    /// The training rows where they are in a space.
    pub fn references(&self, embedding: &'a Tensor<2>) -> ClassReferences<'a> {
        let Self { train: labels, classes, weights, groups, .. } = *self;
        ClassReferences { embedding, labels, classes, weights, groups }
    }
}

/// The classes of rows by 1-NN, k-NN and the stochastic rule.
pub struct Classified {
    pub nearest: Vec<usize>,
    pub vote: Vec<usize>,
    pub soft: Vec<usize>,
}

/// Rows in a space, and a rule that classifies them.
pub trait Judge {
    /// Number of dimensions of the space.
    fn dimension(&self) -> usize;

    /// The 1-NN class of each training row that is measured, left out of the others.
    fn train(&self, labels: &Labels<'_>) -> Result<Vec<usize>>;

    /// The classes of the rows held out; `None` without any.
    fn test(&self, labels: &Labels<'_>, k: usize) -> Result<Option<Classified>>;
}

/// The embedding of a model, and its rule.
pub struct ByRule<'a> {
    pub space: &'a Space,
    pub rule: &'a Rule,
}

impl Judge for ByRule<'_> {
    fn dimension(&self) -> usize {
        self.space.train.dims()[1]
    }

    fn train(&self, labels: &Labels<'_>) -> Result<Vec<usize>> {
        let references = labels.references(&self.space.train);
        let queries = rows_of(&self.space.train, labels.measured);
        let found = self.rule.classes(&queries, references, &[1], Some(labels.measured))?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    fn test(&self, labels: &Labels<'_>, k: usize) -> Result<Option<Classified>> {
        let Some(queries) = &self.space.test else { return Ok(None) };
        let references = labels.references(&self.space.train);
        let mut found = self.rule.classes(queries, references, &[1, k], None)?;
        let vote = found.pop().unwrap_or_default();
        let nearest = found.pop().unwrap_or_default();
        let soft = self.rule.most_probable_classes(queries, references)?;
        Ok(Some(Classified { nearest, vote, soft }))
    }
}

/// Rows where a closed form puts them, on the host: a wide table is not copied for a search.
pub struct ByVotes<'a> {
    pub rows: Parts<Features>,
    /// Where products are taken.
    pub device: &'a Device,
}

impl Judge for ByVotes<'_> {
    fn dimension(&self) -> usize {
        self.rows.train.columns()
    }

    fn train(&self, labels: &Labels<'_>) -> Result<Vec<usize>> {
        let (rows, own) = (&self.rows.train, labels.measured);
        let queries = rows.select(own);
        let voters = voters(labels)?;
        let (search, exclude) = (NearestConfig::new(1), voters.exclude(Some(own)));
        let nearest = search.search_features_excluding(&queries, rows, exclude, self.device)?;
        Ok(voters.majority(&nearest, 1)?)
    }

    fn test(&self, labels: &Labels<'_>, k: usize) -> Result<Option<Classified>> {
        let Some(queries) = &self.rows.test else { return Ok(None) };
        let (rows, voters) = (&self.rows.train, voters(labels)?);
        let (search, exclude) = (NearestConfig::new(k), voters.exclude(None));
        let nearest = search.search_features_excluding(queries, rows, exclude, self.device)?;
        Ok(Some(Classified {
            nearest: voters.majority(&nearest, 1)?,
            vote: voters.majority(&nearest, k)?,
            soft: voters.most_probable_of_features(queries, rows)?,
        }))
    }
}

fn voters<'a>(labels: &Labels<'a>) -> Result<Voters<'a>> {
    Ok(Voters::new(labels.train, labels.classes, labels.weights)?.with_groups(labels.groups)?)
}

/// How neighbors in a space classify the rows.
pub struct MethodScores {
    /// Its row in a table of comparison.
    pub row: MeasureRow,
    /// The 1-NN class of each training row that is measured, left out of the others.
    pub train: Vec<usize>,
    /// The 1-NN class of each row held out.
    pub test: Vec<usize>,
}

/// Classifies the rows of a space by 1-NN, k-NN and the stochastic rule.
///
/// # Errors
/// k above the training rows, or coordinates that are not finite.
pub fn judge(
    method: &str,
    judge: &dyn Judge,
    labels: &Labels<'_>,
    k: usize,
) -> Result<MethodScores> {
    let train = judge.train(labels)?;
    let mut values = vec![("nn_train", Accuracy::of(&train, &labels.measured())?.value())];
    let (mut test, mut interval) = (Vec::new(), None);
    if let Some(found) = judge.test(labels, k)? {
        let of = |predicted: &[usize]| Accuracy::of(predicted, labels.test);
        let nearest = of(&found.nearest)?;
        interval = nearest.interval().map(|interval| [interval.low, interval.high]);
        values.extend([("nn_test", nearest.value()), ("knn_test", of(&found.vote)?.value())]);
        values.push(("soft_test", of(&found.soft)?.value()));
        test = found.nearest;
    } else {
        values.extend(["nn_test", "knn_test", "soft_test"].map(|key| (key, None)));
    }
    let values = values.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    let (method, rule, dimension) = (method.to_string(), String::new(), judge.dimension());
    Ok(MethodScores { row: MeasureRow { method, rule, dimension, interval, values }, train, test })
}
