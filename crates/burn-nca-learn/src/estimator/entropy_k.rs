//! The k of k-NN read off the entropy of a fitted metric.

use super::Fitted;
use crate::data::Features;
use crate::encoder::Encoder;
use crate::error::Result;
use crate::evaluate::perplexities_of;
use crate::neighbors::{LocalVote, PerplexityMean, global_k, local_k_vote};

impl<E: Encoder> Fitted<E> {
    /// The k of k-NN that the metric itself suggests: the mean perplexity of its training rows, among those of other groups
    /// where the rows were given groups, rounded.
    ///
    /// For [`Fitted::predict`] and [`Fitted::accuracy`]. See [`global_k`].
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn entropy_k(&self, mean: PerplexityMean) -> Result<usize> {
        let rows: Vec<usize> = (0..self.references().dims()[0]).collect();
        global_k(&perplexities_of(self.references(), &rows, self.reference_groups())?, mean)
    }

    /// The class of each row by the majority of as many training rows as its own perplexity counts.
    ///
    /// See [`local_k_vote`].
    ///
    /// # Errors
    /// As [`Fitted::transform`].
    pub fn predict_local_k(&self, features: &Features) -> Result<LocalVote> {
        let classes = self.class_names().len();
        let queries = self.transform(features)?;
        local_k_vote(&queries, self.references(), self.reference_labels(), classes, None)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::NcaConfig;
    use crate::data::Labeled;

    #[test]
    fn a_fitted_metric_suggests_its_own_k() {
        let values: Vec<f64> =
            (0..40).map(|i| f64::from(i % 2) * 8.0 + f64::from(i) * 0.01).collect();
        let labels: Vec<usize> = (0..40).map(|i| i % 2).collect();
        let data = Labeled::from_labels(Features::unnamed(values, 1).unwrap(), labels).unwrap();
        let fitted = NcaConfig::new(1, 1).fit(&data, &Device::flex()).unwrap();
        let k = fitted.entropy_k(PerplexityMean::Geometric).unwrap();
        assert!((1..=39).contains(&k));
        assert_eq!(fitted.predict(data.features(), k).unwrap(), data.labels());
        let vote = fitted.predict_local_k(data.features()).unwrap();
        assert_eq!(vote.predicted, data.labels());
        assert!(vote.k.iter().all(|k| (1..=40).contains(k)));
    }
}
