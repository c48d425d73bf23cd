//! What the training rows say about others: their class, or their numbers.

use super::Fitted;
use crate::data::{Features, Labeled, TrainingTargets};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::evaluate::{Accuracy, perplexities_of};
use crate::neighbors::{
    ClassProbabilities, ClassReferences, LocalVote, Numbers, PerplexityMean, global_k,
    local_k_vote, nearest_means,
};

/// Models of classes.
impl<E: Encoder> Fitted<E> {
    /// The class of each row by the model's rule: that of [`Rule::Neighbors`](crate::neighbors::Rule) is the majority
    /// of the k nearest training rows, ties going to the nearest.
    ///
    /// # Errors
    /// As [`Fitted::transform`], k = 0 or more than the training rows, or a model without classes.
    pub fn predict(&self, features: &Features, k: usize) -> Result<Vec<usize>> {
        let references = self.class_references()?;
        let queries = self.transform(features)?;
        let mut found = self.rule.classes(&queries, references, &[k], None)?;
        Ok(found.pop().unwrap_or_default())
    }

    /// The class probabilities of each row by the model's rule: that of
    /// [`Rule::Neighbors`](crate::neighbors::Rule) is the sum of p_ij over each class.
    ///
    /// # Errors
    /// As [`Fitted::transform`], or a model without classes.
    pub fn class_probabilities(&self, features: &Features) -> Result<ClassProbabilities> {
        let references = self.class_references()?;
        self.rule.probabilities(&self.transform(features)?, references, None)
    }

    /// The share of each class in the votes of the k nearest training rows, row-major `[n, c]`.
    ///
    /// # Errors
    /// As [`Fitted::predict`].
    pub fn vote_shares(&self, features: &Features, k: usize) -> Result<Vec<f64>> {
        let references = self.class_references()?;
        self.rule.shares(&self.transform(features)?, references, k, None)
    }

    /// The k-NN accuracy on labeled rows that were not trained on.
    ///
    /// # Errors
    /// As [`Fitted::predict`], or other class names than the model's.
    pub fn accuracy(&self, data: &Labeled, k: usize) -> Result<Accuracy> {
        if data.class_names() != self.class_names() {
            return Err(Error::data(format!(
                "the data have the classes {:?}, the model {:?}; number the classes as the model does",
                data.class_names(),
                self.class_names()
            )));
        }
        Accuracy::of(&self.predict(data.features(), k)?, data.labels())
    }

    /// The k-NN accuracy of each training row among the others, of other groups where the rows were given groups.
    ///
    /// # Errors
    /// k = 0 or more than a row has others, or a model without classes.
    pub fn leave_one_out(&self, k: usize) -> Result<Accuracy> {
        let references = self.class_references()?;
        let own: Vec<usize> = (0..references.labels.len()).collect();
        let found = self.rule.classes(self.references(), references, &[k], Some(&own))?;
        Accuracy::of(found.first().map_or(&[], Vec::as_slice), references.labels)
    }

    /// The k of k-NN that the metric itself suggests: the mean perplexity of its training rows, among those of other groups
    /// where the rows were given groups, rounded. See [`global_k`].
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn entropy_k(&self, mean: PerplexityMean) -> Result<usize> {
        let rows: Vec<usize> = (0..self.references().dims()[0]).collect();
        global_k(&perplexities_of(self.references(), &rows, self.reference_groups())?, mean)
    }

    /// The class of each row by the majority of as many training rows as its own perplexity counts. See [`local_k_vote`].
    ///
    /// # Errors
    /// As [`Fitted::transform`].
    pub fn predict_local_k(&self, features: &Features) -> Result<LocalVote> {
        let (queries, classes) = (self.transform(features)?, self.class_names().len());
        local_k_vote(&queries, self.references(), self.reference_labels(), classes, None)
    }

    /// The embedded training rows with their classes, and their weights and groups where the model was fitted with some.
    ///
    /// # Errors
    /// A model without classes.
    pub fn class_references(&self) -> Result<ClassReferences<'_>> {
        match self.training_targets() {
            TrainingTargets::Classes { names, labels, weights, groups } => Ok(ClassReferences {
                embedding: self.references(),
                labels,
                classes: names.len(),
                weights: weights.as_deref(),
                groups: groups.as_deref(),
            }),
            other => Err(Error::data(format!(
                "this model was learned from {} and knows no classes; {}",
                other.noun(),
                cure(other)
            ))),
        }
    }
}

/// Models of numbers; predictions are row-major `[n, m]`, in the units of the targets.
impl<E: Encoder> Fitted<E> {
    /// The mean of the numbers of the k nearest training rows, for each row.
    ///
    /// # Errors
    /// As [`Fitted::transform`], k = 0 or more than the training rows, or a model without numbers.
    pub fn predict_numbers(&self, features: &Features, k: usize) -> Result<Vec<f64>> {
        let numbers = self.numbers()?;
        let queries = self.transform(features)?;
        let exclude = numbers.exclude(None);
        nearest_means(&self.rule.nearest(&queries, self.references(), k, exclude)?, numbers, k)
    }

    /// The numbers of all training rows, weighted by `p_ij` (the kernel rule), for each row.
    ///
    /// # Errors
    /// As [`Fitted::transform`], or a model without numbers.
    pub fn predict_kernel(&self, features: &Features) -> Result<Vec<f64>> {
        let numbers = self.numbers()?;
        self.rule.kernel_means(&self.transform(features)?, self.references(), numbers, None)
    }

    /// The kernel rule for each training row among the others, of other groups where the rows were given groups.
    ///
    /// # Errors
    /// A model without numbers.
    pub fn leave_one_out_kernel(&self) -> Result<Vec<f64>> {
        let numbers = self.numbers()?;
        let own: Vec<usize> = (0..self.references().dims()[0]).collect();
        self.rule.kernel_means(self.references(), self.references(), numbers, Some(&own))
    }

    pub(super) fn numbers(&self) -> Result<Numbers<'_>> {
        match self.training_targets() {
            TrainingTargets::Numbers { targets, weights, groups } => {
                let numbers = Numbers::new(targets.values(), targets.columns());
                Ok(numbers.with_weights(weights.as_deref()).with_groups(groups.as_deref()))
            }
            other => Err(Error::data(format!(
                "this model was learned from {} and knows no numbers; {}",
                other.noun(),
                cure(other)
            ))),
        }
    }
}

fn cure(targets: &TrainingTargets) -> &'static str {
    match targets {
        TrainingTargets::Classes { .. } => "predict classes with it, or fit numeric targets",
        TrainingTargets::Numbers { .. } => "predict numbers with it, or fit classes",
        TrainingTargets::Unlabeled => {
            "embed rows with it (transform), or fit classes or numeric targets"
        }
    }
}
