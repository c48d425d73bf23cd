//! How well nearest neighbors classify, and what they cost.

use std::time::Instant;

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::neighbors::{NearestConfig, Neighbors, SearchMethod, majority_vote};
use serde::{Deserialize, Serialize};

use crate::digits::{CLASSES, Centering, Digits};
use crate::embedding::embed;
use crate::encoder::Network;

/// Neighbors searched of each digit.
const NEIGHBORS: usize = 5;

/// References and queries of a nearest-neighbor classification.
pub struct Question<'a> {
    /// Digits whose class is known.
    pub references: &'a Digits,
    /// Digits to classify.
    pub queries: &'a Digits,
    /// How pixels become features.
    pub centering: &'a Centering,
}

/// The share of queries that are classified wrongly, and the seconds it took.
///
/// The majority of the k nearest references decides; a tie goes to the nearest of the tied neighbors.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Scores {
    /// Number of queries.
    pub queries: usize,
    /// Number of references.
    pub references: usize,
    /// By the nearest neighbor, 0..1.
    pub error_1: f64,
    /// By 3 neighbors, 0..1.
    pub error_3: f64,
    /// By 5 neighbors, 0..1.
    pub error_5: f64,
    /// Seconds to encode references and queries.
    pub encode_seconds: f64,
    /// Seconds to find 5 neighbors of all queries, the preparation of the references included.
    pub search_seconds: f64,
}

/// Embeddings of a question's digits, with their scores.
pub struct Answer {
    pub references: Tensor<2>,
    pub queries: Tensor<2>,
    pub scores: Scores,
}

impl Question<'_> {
    /// Encodes and classifies.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn ask(&self, network: &Network) -> Result<Answer> {
        let started = Instant::now();
        let references = embed(network, self.references, self.centering);
        let queries = embed(network, self.queries, self.centering);
        // A GPU would still be at work.
        references.device().sync()?;
        let encode_seconds = started.elapsed().as_secs_f64();
        let mut scores = self.scores(&references, &queries, SearchMethod::Auto)?;
        scores.encode_seconds = encode_seconds;
        Ok(Answer { references, queries, scores })
    }

    /// Classifies embeddings, by this method of search.
    ///
    /// # Errors
    /// As the search.
    pub fn scores(
        &self,
        references: &Tensor<2>,
        queries: &Tensor<2>,
        method: SearchMethod,
    ) -> Result<Scores> {
        let started = Instant::now();
        let search = NearestConfig::new(NEIGHBORS).with_method(method);
        let neighbors = search.search(queries, references, None)?;
        let search_seconds = started.elapsed().as_secs_f64();
        Ok(Scores {
            queries: self.queries.len(),
            references: self.references.len(),
            error_1: self.error(&neighbors, 1)?,
            error_3: self.error(&neighbors, 3)?,
            error_5: self.error(&neighbors, 5)?,
            encode_seconds: 0.0,
            search_seconds,
        })
    }

    fn error(&self, neighbors: &Neighbors, k: usize) -> Result<f64> {
        let votes = majority_vote(neighbors, self.references.labels(), CLASSES, k)?;
        let wrong = votes.iter().zip(self.queries.labels()).filter(|(vote, truth)| vote != truth);
        Ok(wrong.count() as f64 / votes.len().max(1) as f64)
    }
}
