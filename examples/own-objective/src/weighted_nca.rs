//! Weighted neighborhood components analysis, written against burn-nca's public parts.

use std::ops::Range;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use burn_nca_learn::nca::{equal_pairs, exponents, log_p};
use burn_nca_learn::objective::{ClassIndex, DataTarget, Objective};

/// The criterion g of NCA, of rows that count by weight, as points and as neighbors of others.
///
/// ```text
/// L = -Σ_i w_i log p_i,   p_i = Σ_{j: y_j = y_i, j ≠ i} w_j exp(-d²_ij) / Σ_{l ≠ i} w_l exp(-d²_il)
/// ```
/// With equal weights it is that of the paper (2 and 6 of \[1\]). The weights of the library
/// ([`ClassIndex::with_weights`]) are those of the terms alone: as neighbors all rows count the same there.
///
/// \[1\] J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004.
#[derive(Module, Debug)]
pub struct WeightedNca {}

/// Classes and weights of n rows, in class order (see [`ClassIndex`]).
#[derive(Clone, Debug)]
pub struct WeightedRows {
    classes: ClassIndex,
    /// In the order of the data.
    weights: Vec<f64>,
    /// Of the terms: 0 where a row is alone in its class, `[n, 1]`.
    of_terms: Tensor<2>,
    /// Logarithms, `[1, n]`.
    of_votes: Tensor<2>,
}

/// Weights by which every class weighs n / c in sum: `class_weight="balanced"` of scikit-learn.
pub fn balanced(labels: &[usize], classes: usize) -> Vec<f64> {
    let mut rows = vec![0; classes];
    labels.iter().for_each(|&label| rows[label] += 1);
    let weight = |&label: &usize| labels.len() as f64 / (classes * rows[label]) as f64;
    labels.iter().map(weight).collect()
}

impl WeightedRows {
    /// Rows of these classes and weights.
    ///
    /// # Errors
    /// No row.
    ///
    /// # Panics
    /// If there is not one weight per row, or one is not positive and finite.
    pub fn new(labels: &[usize], weights: &[f64], device: &Device) -> burn_nca_learn::Result<Self> {
        assert_eq!(labels.len(), weights.len(), "one weight per row");
        Ok(Self::of(ClassIndex::new(labels, device)?, weights.to_vec(), device))
    }

    fn of(classes: ClassIndex, weights: Vec<f64>, device: &Device) -> Self {
        let device = &device.clone().inner();
        let n = weights.len();
        let ordered = || classes.order().iter().map(|&row| weights[row]);
        assert!(ordered().all(|weight| weight > 0.0 && weight < f64::INFINITY), "weights above 0");
        let votes: Vec<f32> = ordered().map(|weight| weight.ln() as f32).collect();
        let mut terms: Vec<f32> = ordered().map(|weight| weight as f32).collect();
        classes.spans().filter(|span| span.len() == 1).for_each(|span| terms[span.start] = 0.0);
        let of_terms = Tensor::from_data(TensorData::new(terms, [n, 1]), device);
        let of_votes = Tensor::from_data(TensorData::new(votes, [1, n]), device);
        Self { classes, weights, of_terms, of_votes }
    }
}

impl DataTarget for WeightedRows {
    fn points(&self) -> usize {
        self.weights.len()
    }

    fn subset(&self, rows: &[usize]) -> Self {
        let weights = rows.iter().map(|&row| self.weights[row]).collect();
        Self::of(self.classes.subset(rows), weights, &self.of_terms.device())
    }

    fn counted(&self) -> usize {
        self.classes.num_with_positive()
    }
}

impl Objective for WeightedNca {
    type Target = WeightedRows;

    fn block(&self, embedding: Tensor<2>, target: &WeightedRows, terms: Range<usize>) -> Tensor<1> {
        let z = target.classes.arrange(embedding);
        let (n, dtype) = (target.weights.len(), z.dtype());
        let (exponents, own) = exponents(z, terms.clone()); // [b, n]
        let votes = exponents + target.of_votes.clone().cast(dtype);
        let same = equal_pairs(target.classes.labels(&terms), target.classes.labels(&(0..n)));
        let log_p = log_p(votes, same, own);
        (log_p * target.of_terms.clone().slice([terms]).cast(dtype)).sum().neg()
    }

    /// Every p_i is 1 at best. A fit that starts where nothing can move is distinguished from an optimum by it.
    fn lower_bound(&self, _target: &WeightedRows) -> Option<f64> {
        Some(0.0)
    }
}
