//! k-NN by Euclidean distance, and McNemar's test between it and the learned metric.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures};
use burn_nca_learn::evaluate::{Accuracy, McNemar, McNemarForm};
use burn_nca_learn::neighbors::NearestConfig;
use serde::Serialize;

use super::embedding::resolve_device;

/// k-NN by Euclidean distance on the scaled features, compared with the learned metric on the same rows.
#[derive(Debug, Serialize)]
pub struct Euclidean {
    /// Its accuracy, 0..1.
    pub knn: Option<f64>,
    /// Rows that only the learned metric has right.
    #[serde(rename = "learnt_only")]
    pub learned_only: usize,
    /// Rows that only Euclidean distance has right.
    pub euclidean_only: usize,
    /// The two-sided p-value of McNemar's test.
    pub p_value: f64,
    /// How it was computed: `exact` or `chi-square`.
    pub test: &'static str,
}

impl Euclidean {
    /// Classifies `data` among the training rows `train`, in the order of the model's references, compared with what the learned
    /// metric's `k` nearest predict.
    ///
    /// # Errors
    /// k above the training rows.
    pub fn of(
        model: &Fitted,
        train: &Features,
        data: &Labeled,
        (learned, k): (&[usize], usize),
    ) -> Result<Self> {
        let (device, dtype) = resolve_device(&model.references().device());
        let queries = model.scaling().apply(data.features())?.to_tensor(&device, dtype);
        let references = model.scaling().apply(train)?.to_tensor(&device, dtype);
        let voters = model.class_references()?.voters()?;
        let (search, exclude) = (NearestConfig::new(k), voters.exclude(None));
        let neighbors = search.search_excluding(&queries, &references, exclude)?;
        let predicted = voters.majority(&neighbors, k)?;
        let test = McNemar::of(learned, &predicted, data.labels())?;
        Ok(Self {
            knn: Accuracy::of(&predicted, data.labels())?.value(),
            learned_only: test.first_only(),
            euclidean_only: test.second_only(),
            p_value: test.p_value(),
            test: match test.form() {
                McNemarForm::Exact => "exact",
                McNemarForm::ChiSquare => "chi-square",
            },
        })
    }
}
