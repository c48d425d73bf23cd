//! The quality of the embedding: error, seconds of search and storage, compared with raw pixels and principal components.

use anyhow::Result;
use burn::tensor::{Device, Tensor, TensorData};
use burn_nca_learn::neighbors::SearchMethod;
use serde::Serialize;

use crate::digits::{Digits, PIXELS};
use crate::encoder::principal_components;
use crate::evaluation::{Answer, Question, Scores};

/// Searches that are timed of each embedding; the fastest counts.
const REPEATS: usize = 3;

/// One embedding of all digits under one method of search.
#[derive(Serialize, Clone, Debug)]
pub struct Row {
    /// What the references are.
    pub what: String,
    /// Numbers that are stored for each reference.
    pub dimensions: usize,
    /// `brute-force`: the distance to every reference; `auto`: what the library chooses. Both are exact.
    pub method: &'static str,
    /// The references as 32-bit floats, in MB (10^6 bytes).
    pub megabytes: f64,
    pub scores: Scores,
}

/// Rows of raw pixels, of principal components (as many as the embedding has), and of the embedding.
///
/// # Errors
/// As the searches.
pub fn rows(question: &Question, answer: &Answer, name: &str, device: &Device) -> Result<Vec<Row>> {
    let [_, k] = answer.references.dims();
    let tensor = |digits: &Digits| {
        let features = question.centering.features(digits, 0..digits.len());
        Tensor::<2>::from_data(TensorData::new(features, [digits.len(), PIXELS]), device)
    };
    let (references, queries) = (tensor(question.references), tensor(question.queries));
    let pca = principal_components(question.references, question.centering, k)?;
    let pca: Vec<f32> = pca.into_iter().map(|value| value as f32).collect();
    let pca = Tensor::<2>::from_data(TensorData::new(pca, [PIXELS, k]), device);
    let reduced = [&references, &queries].map(|digits| digits.clone().matmul(pca.clone()));
    let embeddings = [
        ("raw".to_string(), [references, queries]),
        (format!("pca-{k}"), reduced),
        (format!("{name}-{k}"), [answer.references.clone(), answer.queries.clone()]),
    ];
    let mut rows = Vec::new();
    for (what, [references, queries]) in embeddings {
        for (name, method) in
            [("brute-force", SearchMethod::BruteForce), ("auto", SearchMethod::Auto)]
        {
            let mut scores = question.scores(&references, &queries, method)?;
            for _ in 1..REPEATS {
                let again = question.scores(&references, &queries, method)?;
                scores.search_seconds = scores.search_seconds.min(again.search_seconds);
            }
            let [n, dimensions] = references.dims();
            let megabytes = (n * dimensions * size_of::<f32>()) as f64 / 1e6;
            rows.push(Row { what: what.clone(), dimensions, method: name, megabytes, scores });
        }
    }
    Ok(rows)
}
