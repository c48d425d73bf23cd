//! How neighbors in a space classify rows: of a model by its rule, of a baseline by votes and the stochastic rule.

use anyhow::Result;
use burn::tensor::{Device, Tensor};
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::{Groups, LdaConfig, PcaConfig, Projection};
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::evaluate::Accuracy;
use burn_nca_learn::neighbors::{ClassReferences, NearestConfig, Voters};

use super::Stages;
use super::sample::rows_of;
use super::space::{Parts, resolve_device};
use crate::{MeasureRow, OWN_RULE};

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

/// The classes of the rows held out by 1-NN, k-NN and the stochastic rule, or thrice by the method's own; empty without any.
type Classified = [Vec<usize>; 3];

impl<'a> ClassComparison<'a> {
    /// How a model, whose references are the training rows, classifies the rows by its rule.
    ///
    /// # Errors
    /// k above the training rows, rows of other columns than the model's, or an embedding that is not finite.
    pub fn learned(&self, model: &Fitted) -> Result<MethodScores> {
        let (space, rule) = (self.parts().embedded(model)?, model.rule());
        let references = class_references(self.train, &space.train);
        let queries = rows_of(&space.train, self.measured);
        let train = rule.classes(&queries, references, &[1], Some(self.measured))?.concat();
        let of_test = |queries: &Tensor<2>| -> Result<Classified> {
            if !rule.has_votes() {
                let classes = rule.most_probable_classes(queries, references)?;
                return Ok([classes.clone(), classes.clone(), classes]);
            }
            let mut found = rule.classes(queries, references, &[1, self.neighbors], None)?;
            let (vote, nearest) = (found.pop(), found.pop());
            let soft = rule.most_probable_classes(queries, references)?;
            Ok([nearest.unwrap_or_default(), vote.unwrap_or_default(), soft])
        };
        let test = space.test.as_ref().map(of_test).transpose()?.unwrap_or_default();
        let [_, dimension] = space.train.dims();
        let mut scores = self.scores((&model.applied_method().label, dimension), train, test)?;
        if !rule.has_votes() {
            scores.row.rule = OWN_RULE.to_owned();
        }
        Ok(scores)
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
            // On the host: a wide table is not copied for a search.
            let Parts { train, test } = self.parts().mapped(map)?;
            let voters = self.voters()?;
            let nearest = |queries: &Features, k: usize, own: Option<&'a [usize]>| {
                let exclude = voters.exclude(own);
                NearestConfig::new(k).search_features_excluding(queries, &train, exclude, &device)
            };
            let left_out = nearest(&train.select(self.measured), 1, Some(self.measured))?;
            let of_test = |queries: &Features| -> Result<Classified> {
                let found = nearest(queries, self.neighbors, None)?;
                let vote = voters.majority(&found, self.neighbors)?;
                let soft = voters.most_probable_of_features(queries, &train)?;
                Ok([voters.majority(&found, 1)?, vote, soft])
            };
            let test = test.as_ref().map(of_test).transpose()?.unwrap_or_default();
            let of_train = voters.majority(&left_out, 1)?;
            Ok(self.scores((method, train.columns()), of_train, test)?.row)
        };
        baselines(self.train.features(), Some(self.train), dimension, stages, compared)
    }

    pub(super) fn parts(&self) -> Parts<&'a Features> {
        Parts::of(self.train.features(), self.test.features())
    }

    pub(super) fn measured_labels(&self) -> Vec<usize> {
        self.measured.iter().map(|&row| self.train.labels()[row]).collect()
    }

    fn voters(&self) -> burn_nca_learn::Result<Voters<'a>> {
        let train = self.train;
        Voters::new(train.labels(), train.classes(), train.weights())?.with_groups(train.groups())
    }

    /// The accuracies of a method by what it predicts of the training rows and of those held out.
    fn scores(
        &self,
        (method, dimension): (&str, usize),
        train: Vec<usize>,
        test: Classified,
    ) -> Result<MethodScores> {
        let of_train = Accuracy::of(&train, &self.measured_labels())?;
        let [nearest, vote, soft] = test;
        let of_test = |predicted: &[usize]| Accuracy::of(predicted, self.test.labels());
        let of_nearest = of_test(&nearest)?;
        let values = [
            ("nn_train", of_train.value()),
            ("nn_test", of_nearest.value()),
            ("knn_test", of_test(&vote)?.value()),
            ("soft_test", of_test(&soft)?.value()),
        ];
        let interval = of_nearest.interval().map(|interval| [interval.low, interval.high]);
        let row = MeasureRow { interval, ..MeasureRow::new(method, dimension, values) };
        Ok(MethodScores { row, train, test: nearest })
    }
}

pub(super) fn class_references<'a>(
    rows: &'a Labeled,
    embedding: &'a Tensor<2>,
) -> ClassReferences<'a> {
    ClassReferences {
        weights: rows.weights(),
        groups: rows.groups(),
        ..ClassReferences::new(embedding, rows.labels(), rows.classes())
    }
}

/// How neighbors in a space classify the rows.
pub struct MethodScores {
    /// Its row in a table of comparison.
    pub row: MeasureRow,
    /// The class of each training row that is measured, left out of the others, by 1-NN or the method's own rule.
    pub train: Vec<usize>,
    /// The same of each row held out.
    pub test: Vec<usize>,
}

/// Measures Euclidean distance, PCA in (at most) `dimension` dimensions and, where there are classes, LDA, as far as the
/// stages admit them.
///
/// LDA has at most c - 1 dimensions; where the within-class scatter is singular it is shrunk, and its name says so; where
/// that does not help either, it is left out.
pub(super) fn baselines(
    train: &Features,
    classes: Option<&Labeled>,
    dimension: usize,
    stages: &dyn Stages,
    measure: impl Fn(&str, &Projection) -> Result<MeasureRow>,
) -> Result<Vec<MeasureRow>> {
    let d = train.columns();
    // The covariance within the classes serves both PCA and LDA.
    let groups = classes.map(Groups::of_classes);
    let mut rows = Vec::new();
    if stages.admits("Euclidean distance") {
        rows.push(measure("Euclidean", &Projection::euclidean(d))?);
    }
    if stages.admits("PCA") {
        // n rows span n - 1 directions; more add no distance.
        let pca = PcaConfig::new(dimension.min(d).min(train.rows() - 1).max(1));
        let pca = match &groups {
            Some(groups) => pca.fit_groups(groups)?,
            None => pca.fit(train)?,
        };
        rows.push(measure("PCA", &pca.projection)?);
    }
    if let Some((classes, groups)) = classes.zip(groups.as_ref())
        && stages.admits("LDA")
        && let lda = LdaConfig::new(dimension.min(LdaConfig::max_directions(classes)))
        && let Ok(lda) = lda.fit_or_shrink_groups(groups)
    {
        let name = match lda.shrinkage {
            0.0 => "LDA".to_string(),
            shrinkage => format!("LDA, shrinkage {shrinkage}"),
        };
        rows.push(measure(&name, &lda.projection)?);
    }
    Ok(rows)
}

/// The rows of a comparison: the baselines, but for one that the method itself is, and then what was learned.
pub(super) fn compared(mut baselines: Vec<MeasureRow>, learned: &[MeasureRow]) -> Vec<MeasureRow> {
    baselines.retain(|row| learned.iter().all(|learned| learned.method != row.method));
    baselines.extend_from_slice(learned);
    baselines
}
