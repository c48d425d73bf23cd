//! The losses as the papers write them: nested loops in f64.

use acceptance::data::select;
use acceptance::oracle::log_sum_exp;
use burn_nca_learn::objective::Similarity;

/// Rows with a class and a number each.
#[derive(Clone, Debug)]
pub struct Rows {
    pub z: Vec<f64>,
    pub k: usize,
    pub labels: Vec<usize>,
    pub ids: Vec<usize>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.z[i * self.k..(i + 1) * self.k]
    }

    /// These rows, followed by others.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            z: [&self.z[..], &other.z].concat(),
            k: self.k,
            labels: [&self.labels[..], &other.labels].concat(),
            ids: [&self.ids[..], &other.ids].concat(),
        }
    }

    /// The rows at these places.
    pub fn select(&self, places: &[usize]) -> Self {
        Self {
            z: select(&self.z, self.k, places),
            k: self.k,
            labels: places.iter().map(|&i| self.labels[i]).collect(),
            ids: places.iter().map(|&i| self.ids[i]).collect(),
        }
    }
}

pub fn similarity(kind: Similarity, a: &[f64], b: &[f64]) -> f64 {
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

/// For each query with a positive: the logits of its positives, and of all candidates but its own sample.
fn contrasts(
    (kind, t): (Similarity, f64),
    queries: &Rows,
    candidates: &Rows,
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let mut contrasts = Vec::new();
    for i in 0..queries.len() {
        let (mut positives, mut all) = (Vec::new(), Vec::new());
        for j in 0..candidates.len() {
            if candidates.ids[j] == queries.ids[i] {
                continue;
            }
            let logit = similarity(kind, queries.row(i), candidates.row(j)) / t;
            all.push(logit);
            if candidates.labels[j] == queries.labels[i] {
                positives.push(logit);
            }
        }
        if !positives.is_empty() {
            contrasts.push((positives, all));
        }
    }
    contrasts
}

fn mean(terms: &[f64]) -> f64 {
    terms.iter().sum::<f64>() / terms.len().max(1) as f64
}

pub fn soft_nearest_neighbor(
    affinity: (Similarity, f64),
    queries: &Rows,
    candidates: &Rows,
) -> f64 {
    let terms: Vec<f64> = contrasts(affinity, queries, candidates)
        .iter()
        .map(|(positives, all)| log_sum_exp(all) - log_sum_exp(positives))
        .collect();
    mean(&terms)
}

pub fn sup_con(affinity: (Similarity, f64), queries: &Rows, candidates: &Rows) -> f64 {
    let terms: Vec<f64> = contrasts(affinity, queries, candidates)
        .iter()
        .map(|(positives, all)| {
            let each: Vec<f64> = positives.iter().map(|l| log_sum_exp(all) - l).collect();
            mean(&each)
        })
        .collect();
    mean(&terms)
}

pub fn proxy_nca((kind, t): (Similarity, f64), rows: &Rows, proxies: &[f64]) -> f64 {
    let terms: Vec<f64> = (0..rows.len())
        .map(|i| {
            let logits: Vec<f64> = proxies
                .chunks_exact(rows.k)
                .map(|proxy| similarity(kind, rows.row(i), proxy) / t)
                .collect();
            log_sum_exp(&logits) - logits[rows.labels[i]]
        })
        .collect();
    mean(&terms)
}
