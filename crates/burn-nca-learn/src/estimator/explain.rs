//! What a prediction is made of: the training rows that decide it, and the features that make them near.

use super::{Decision, FeatureContributions, Fitted};
use crate::data::{Features, TrainingTargets};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::neighbors::{ClassReferences, Influence};

/// What the prediction of a row is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The predicted class; `None` for a model of numbers.
    pub class: Option<usize>,
    /// The training rows of the largest share in the prediction, largest first.
    pub neighbors: Vec<Influence>,
    /// What each feature has to do with them; `None` where the training rows were not given.
    pub features: Option<FeatureContributions>,
}

impl<E: Encoder> Fitted<E> {
    /// The training rows that decide about each row, at most `most`, of the largest share first.
    ///
    /// The shares sum to 1, those of a class to its [probability](Self::decide_probabilities), and the shares times the numbers of
    /// the rows to the [prediction](Self::decide_numbers). See [`Rule::influences`](crate::neighbors::Rule::influences).
    ///
    /// # Errors
    /// As [`decide_classes`](Self::decide_classes); a model of pairs, or one whose training rows have no share (LCA).
    pub fn influences(
        &self,
        features: &Features,
        decision: Decision,
        most: usize,
    ) -> Result<Vec<Vec<Influence>>> {
        let queries = self.transform(features)?;
        let (weights, classes) = match &self.targets {
            TrainingTargets::Classes { weights, .. } => (weights.as_deref(), true),
            TrainingTargets::Numbers { weights, .. } => (weights.as_deref(), false),
            TrainingTargets::Unlabeled => {
                return Err(Error::data(
                    "this model was learned from pairs and predicts nothing that could be explained; fit classes or numeric \
                     targets",
                ));
            }
        };
        // Such a rule knows no vote, whatever k is.
        let soft = classes && !self.rule.has_votes();
        let k = match decision {
            Decision::Nearest { neighbors } if !soft => Some(neighbors),
            _ => None,
        };
        let references =
            ClassReferences { weights, ..ClassReferences::new(&self.references, &[], 0) };
        self.rule.influences(&queries, references, k, most)
    }
}

impl Fitted {
    /// What the prediction of each row is made of: the training rows of the largest share, at most `most`, and, where the
    /// (unscaled) training rows are given in the order of the fit, how much each feature makes them near.
    ///
    /// Of classes, the rows compared are those among the `most` that are of the predicted class (if none is, the one of it
    /// with the largest share), weighted by their shares, with the nearest row of another class; of numbers, all of the `most`
    /// with the mean over up to 64 training rows. [`FeatureContributions`] has the equation.
    ///
    /// # Errors
    /// As [`influences`](Self::influences); training rows that are not those of the fit, by their number or columns.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::Device;
    /// use burn_nca_learn::{NcaConfig, data::{Features, Labeled}};
    ///
    /// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 9.0, 4.0, 9.2, 0.0], 2)?;
    /// let data = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
    /// let fitted = NcaConfig::new(2, 1).fit(&data, &Device::flex())?;
    /// let query = Features::unnamed(vec![0.1, 3.0], 2)?;
    /// let found = fitted.explain(&query, Some(data.features()), fitted.decision(), 2)?;
    /// assert_eq!(found[0].class, Some(0));
    /// assert!(found[0].neighbors.iter().all(|neighbor| neighbor.reference < 2));
    /// let features = found[0].features.as_ref().expect("the training rows are given");
    /// assert_eq!(features.top(1), [0], "the first feature parts the classes");
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn explain(
        &self,
        features: &Features,
        training: Option<&Features>,
        decision: Decision,
        most: usize,
    ) -> Result<Vec<Explanation>> {
        let neighbors = self.influences(features, decision, most)?;
        let classes = match &self.targets {
            TrainingTargets::Classes { .. } => Some(self.decide_classes(features, decision)?),
            _ => None,
        };
        let of_row = |(row, neighbors)| {
            let class = classes.as_ref().map(|classes| classes[row]);
            Explanation { class, neighbors, features: None }
        };
        let mut found: Vec<Explanation> = neighbors.into_iter().enumerate().map(of_row).collect();
        if let Some(training) = training {
            let training = self.scaled_training(training)?;
            let rows = self.scaling.apply(features)?;
            let (pairs, rivals) = self.compared(features, decision, &found)?;
            let (values, differences) = self.contributions([&rows, &training], &pairs)?;
            let values = values.chunks_exact(self.card.d_input).map(<[f64]>::to_vec);
            for (at, (found, values)) in found.iter_mut().zip(values).enumerate() {
                let (rival, difference) = (rivals[at], differences[at]);
                let error = values.iter().sum::<f64>() - difference;
                found.features = Some(FeatureContributions { values, rival, difference, error });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use burn_nca_data::bundled::iris;

    use super::*;
    use crate::Estimator;
    use crate::data::host_values;
    use crate::encoder::EncoderConfig;
    use crate::fit::{FitConfig, Precision};
    use crate::method::{AnyMethod, Modern, Nca};

    const SOFT: Decision = Decision::Soft;

    /// NCA in f64, after a few steps.
    fn nca(encoder: EncoderConfig) -> Fitted {
        let fit = FitConfig::new().with_precision(Precision::F64).with_stop_at(Some(4));
        let estimator = Estimator::new(4, 2, AnyMethod::from(Nca::new())).with_fit(fit);
        estimator.with_encoder(encoder).fit(&iris(), &Device::flex()).unwrap()
    }

    #[test]
    fn the_features_of_a_map_sum_to_the_difference_of_the_distances() {
        let data = iris();
        let rows = data.features().select(&[3, 70, 77, 133]);
        let model = nca(EncoderConfig::Linear);
        let metric = model.metric().unwrap();
        let scaled = |features: &Features| model.scaling().apply(features).unwrap();
        let (x, training) = (scaled(&rows), scaled(data.features()));
        // u_c [Q u]_c by nested loops.
        let part = |row: usize, other: usize, c: usize| -> f64 {
            let u = |c: usize| x.row(row)[c] - training.row(other)[c];
            (0..4).map(|e| u(c) * metric[4 * c + e] * u(e)).sum()
        };
        let embedded = host_values(model.transform(&rows).unwrap());
        let references = host_values(model.references().clone());
        for decision in [SOFT, Decision::Nearest { neighbors: 5 }] {
            let found = model.explain(&rows, Some(data.features()), decision, 4).unwrap();
            for (row, found) in found.iter().enumerate() {
                let features = found.features.as_ref().unwrap();
                let rival = features.rival.unwrap();
                assert_ne!(Some(data.labels()[rival]), found.class);
                let own = |one: &&Influence| Some(data.labels()[one.reference]) == found.class;
                let near: Vec<_> = found.neighbors.iter().filter(own).collect();
                let total: f64 = near.iter().map(|one| one.share).sum();
                let shares = near.iter().map(|one| (one.reference, one.share / total));
                for c in 0..4 {
                    let mean: f64 = shares.clone().map(|(j, share)| share * part(row, j, c)).sum();
                    let expected = part(row, rival, c) - mean;
                    assert!((features.values[c] - expected).abs() < 1e-10, "{features:?}");
                }
                assert!(features.error.abs() < 1e-12 * (1.0 + features.difference.abs()));
                let d2 = |at: usize| -> f64 {
                    (0..2).map(|a| (embedded[2 * row + a] - references[2 * at + a]).powi(2)).sum()
                };
                let apart = d2(rival) - shares.map(|(j, share)| share * d2(j)).sum::<f64>();
                assert!((features.difference - apart).abs() < 1e-9, "{features:?} {apart}");
                assert!(features.top(9).iter().all(|at| features.values[*at] > 0.0));
            }
        }
    }

    #[test]
    fn the_features_of_a_network_sum_to_nearly_the_difference() {
        let data = iris();
        let rows = data.features().select(&[3, 70, 77]);
        let modern = Modern::new().with_members(3).with_epochs(3).with_width(8).with_embedding(2);
        let modern = Estimator::new(4, 24, modern).fit(&data, &Device::flex()).unwrap();
        for model in [nca(EncoderConfig::mlp(&[6])), modern] {
            for found in model.explain(&rows, Some(data.features()), SOFT, 3).unwrap() {
                let features = found.features.unwrap();
                let size = features.values.iter().map(|value| value.abs()).sum::<f64>();
                assert!(features.error.abs() < 0.02 * size, "{features:?}");
            }
        }
    }
}
