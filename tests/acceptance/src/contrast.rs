//! The contrastive losses as the papers write them: nested loops in f64.

use burn_nca_learn::objective::Similarity;

use crate::data::select;
use crate::oracle::log_sum_exp;

/// How rows are compared: the similarity, and the temperature that divides it.
pub type Affinity = (Similarity, f64);

/// Rows `[n, k]` with a class and a number each.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Row-major.
    pub z: Vec<f64>,
    /// Number of columns.
    pub k: usize,
    /// The class of each row.
    pub labels: Vec<usize>,
    /// The sample that each row is of.
    pub ids: Vec<usize>,
}

impl Rows {
    fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.k..(i + 1) * self.k]
    }

    /// These rows, followed by others.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            z: [&self.z[..], &other.z].concat(),
            k: self.k,
            labels: [&self.labels[..], &other.labels].concat(),
            ids: [&self.ids[..], &other.ids].concat(),
        }
    }

    /// The rows at these places.
    #[must_use]
    pub fn select(&self, places: &[usize]) -> Self {
        Self {
            z: select(&self.z, self.k, places),
            k: self.k,
            labels: places.iter().map(|&i| self.labels[i]).collect(),
            ids: places.iter().map(|&i| self.ids[i]).collect(),
        }
    }
}

fn similarity(kind: Similarity, a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    match kind {
        Similarity::SqEuclidean => -dot(&difference, &difference),
        Similarity::Euclidean => -dot(&difference, &difference).sqrt(),
        Similarity::Cosine => {
            let norms = (dot(a, a) * dot(b, b)).sqrt();
            if norms == 0.0 { 0.0 } else { dot(a, b) / norms }
        }
    }
}

fn mean(terms: &[f64]) -> f64 {
    terms.iter().sum::<f64>() / terms.len().max(1) as f64
}

/// The mean over queries with a positive of what `term` makes of the logits of their positives, and of all candidates but their
/// own sample.
fn contrast(
    (kind, t): Affinity,
    [queries, candidates]: [&Rows; 2],
    term: impl Fn(&[f64], &[f64]) -> f64,
) -> f64 {
    let mut terms = Vec::new();
    for (i, (id, label)) in queries.ids.iter().zip(&queries.labels).enumerate() {
        let others = (0..candidates.ids.len()).filter(|&j| candidates.ids[j] != *id);
        let logit = |j| similarity(kind, queries.row(i), candidates.row(j)) / t;
        let positives = others.clone().filter(|&j| candidates.labels[j] == *label);
        let positives: Vec<f64> = positives.map(logit).collect();
        if !positives.is_empty() {
            terms.push(term(&positives, &others.map(logit).collect::<Vec<_>>()));
        }
    }
    mean(&terms)
}

/// The soft nearest neighbor loss of queries among candidates.
pub fn soft_nearest_neighbor(affinity: Affinity, among: [&Rows; 2]) -> f64 {
    contrast(affinity, among, |positives, all| log_sum_exp(all) - log_sum_exp(positives))
}

/// The supervised contrastive loss of queries among candidates.
pub fn sup_con(affinity: Affinity, among: [&Rows; 2]) -> f64 {
    contrast(affinity, among, |positives, all| log_sum_exp(all) - mean(positives))
}

/// The loss of proxies `[classes, k]`, over the rows whose class has one.
pub fn proxy_nca((kind, t): Affinity, rows: &Rows, proxies: &[f64]) -> f64 {
    let term = |i: usize| {
        let proxies = proxies.chunks_exact(rows.k);
        let logits: Vec<f64> =
            proxies.map(|proxy| similarity(kind, rows.row(i), proxy) / t).collect();
        logits.get(rows.labels[i]).map(|logit| log_sum_exp(&logits) - logit)
    };
    mean(&(0..rows.ids.len()).filter_map(term).collect::<Vec<_>>())
}
