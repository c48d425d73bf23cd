//! Which features make some training rows nearer than others: a distance divided among the features.

use burn::module::Module;
use burn::tensor::Tensor;

use rayon::prelude::*;

use super::{Decision, Explanation, Fitted};
use crate::data::{Features, TrainingTargets, host_values};
use crate::encoder::Encoder;
use crate::error::{Error, Result};
use crate::fit::disable_training_flags;
use crate::neighbors::{Influence, Points, Rule, RuleDistance};
use crate::objective::transfer::float_tensor;

/// Points of a path at which a network is differentiated.
const STEPS: usize = 32;

/// Rows that a network is differentiated at together.
const ROWS: usize = 4096;

/// Training rows that a prediction of numbers is compared with, at most.
const COMPARED: usize = 64;

/// How much nearer each feature makes the deciding training rows than the rows that they are compared with.
///
/// ```text
/// values_c = mean_r φ_c(x, r) - Σ_j s_j φ_c(x, j),   Σ_c values_c = difference + error
/// φ_c(x, j) = (x - x_j)_c ∫_0^1 ∂D(f(x_j + t (x - x_j)), z_j) / ∂x_c dt          (integrated gradients [1])
/// ```
/// D is the distance in the exponent of the rule: the squared one of NCA, the sum of absolute differences, the mean over the
/// members of modern NCA. Of a linear map and the squared distance, `φ_c = (x - x_j)_c [AᵀA (x - x_j)]_c`: exact, with an
/// error of rounding; of a network it is a sum over 32 points of the path. A value is in the units of D, and negative where
/// the feature alone speaks for the other rows; where features are correlated, so may single φ_c be.
///
/// # References
/// \[1\] M. Sundararajan, A. Taly, Q. Yan, Axiomatic Attribution for Deep Networks, ICML 2017.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureContributions {
    /// Of each feature of the model.
    pub values: Vec<f64>,
    /// Of classes, the row that was compared with: the nearest of another class than the predicted one. `None` of numbers,
    /// which are compared with the mean over at most 64 training rows.
    pub rival: Option<usize>,
    /// How much farther what was compared with is: the mean D of these rows less that of the deciding rows.
    pub difference: f64,
    /// What the values sum to more than the difference.
    pub error: f64,
}

impl FeatureContributions {
    /// The features of the largest values, at most `most`, largest first; those that make the rows nearer alone.
    pub fn top(&self, most: usize) -> Vec<usize> {
        let mut order: Vec<usize> =
            (0..self.values.len()).filter(|&at| self.values[at] > 0.0).collect();
        order.sort_by(|a, b| self.values[*b].total_cmp(&self.values[*a]).then(a.cmp(b)));
        order.truncate(most);
        order
    }
}

/// A row and a training row, and how much their distance counts: the difference is the sum of the weighted distances.
pub(super) struct WeightedPair {
    query: usize,
    reference: usize,
    weight: f64,
}

impl Fitted {
    /// The pairs that are compared, of all rows: by how much farther the others are on average than those that decide; and of
    /// classes the row that each is compared with. Nothing where there is no other class.
    pub(super) fn compared(
        &self,
        features: &Features,
        decision: Decision,
        found: &[Explanation],
    ) -> Result<(Vec<WeightedPair>, Vec<Option<usize>>)> {
        let [n, _] = self.references.dims();
        let TrainingTargets::Classes { labels, .. } = &self.targets else {
            let sample: Vec<usize> = (0..n).step_by(n.div_ceil(COMPARED).max(1)).collect();
            let of = |(row, found): (usize, &Explanation)| pairs(row, &found.neighbors, &sample);
            return Ok((found.iter().enumerate().flat_map(of).collect(), vec![None; found.len()]));
        };
        let is_own = |one: &Influence, of: &Explanation| Some(labels[one.reference]) == of.class;
        let mut near: Vec<Vec<Influence>> = found
            .iter()
            .map(|of| of.neighbors.iter().filter(|one| is_own(one, of)).copied().collect())
            .collect();
        // Where none of the listed rows is of the predicted class, all of them are looked through.
        for row in 0..near.len() {
            if near[row].is_empty() {
                let all = self.influences(&features.select(&[row]), decision, n)?.remove(0);
                near[row].extend(all.into_iter().find(|one| is_own(one, &found[row])));
            }
        }
        let queries = Points::read(&self.transform(features)?, "queries")?;
        let references = Points::read(&self.references, "references")?;
        let distance = RuleDistance::of(&self.rule);
        let rival = |row: usize| {
            let others = (0..n).filter(|&at| Some(labels[at]) != found[row].class);
            let far = |at: usize| (at, distance.between(queries.row(row), references.row(at)));
            Some(others.map(far).min_by(|a, b| a.1.total_cmp(&b.1))?.0)
        };
        let rivals: Vec<Option<usize>> = (0..near.len()).into_par_iter().map(rival).collect();
        let with_rival = rivals.iter().zip(&near).enumerate();
        let with_rival = with_rival.filter_map(|(row, (rival, near))| Some((row, near, (*rival)?)));
        let all = with_rival.flat_map(|(row, near, rival)| pairs(row, near, &[rival])).collect();
        Ok((all, rivals))
    }

    /// The training rows on the scale of the model.
    pub(super) fn scaled_training(&self, training: &Features) -> Result<Features> {
        self.scaling.check_columns(training.names())?;
        let [references, _] = self.references.dims();
        if training.rows() != references {
            return Err(Error::data(format!(
                "{} training rows are given, and the model was fitted on {references}; give the rows of the fit, in its \
                 order, without those of weight 0",
                training.rows()
            )));
        }
        self.scaling.apply(training)
    }

    /// The contributions of the features to the weighted sum of distances of each row, row-major `[n, d]`, and the distances
    /// summed up, `[n]`; of scaled rows and training rows.
    pub(super) fn contributions(
        &self,
        [rows, training]: [&Features; 2],
        pairs: &[WeightedPair],
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let d = self.card.d_input;
        let mut sums = (vec![0.0; rows.rows() * d], vec![0.0; rows.rows()]);
        let mut add = |pair: &WeightedPair, parts: &[f64], distance: f64| {
            let values = &mut sums.0[pair.query * d..][..d];
            values.iter_mut().zip(parts).for_each(|(value, part)| *value += pair.weight * part);
            sums.1[pair.query] += pair.weight * distance;
        };
        let Some(matrix) = self.matrix() else {
            self.of_network([rows, training], pairs, &mut add)?;
            return Ok(sums);
        };
        for pair in pairs {
            let (parts, distance) = of_map(&matrix, &difference(rows, training, pair), &self.rule);
            add(pair, &parts, distance);
        }
        Ok(sums)
    }

    /// Along the paths of a network, as it is in validation.
    fn of_network(
        &self,
        [rows, training]: [&Features; 2],
        pairs: &[WeightedPair],
        add: &mut impl FnMut(&WeightedPair, &[f64], f64),
    ) -> Result<()> {
        let (d, k) = (self.card.d_input, self.card.d_output);
        let (device, dtype) = (self.references.device(), self.references.dtype());
        let encoder = disable_training_flags(self.encoder.clone().train()).no_grad();
        let embedded = host_values(self.transform_scaled(rows)?);
        let references = host_values(self.references.clone());
        let measure = RuleDistance::of(&self.rule);
        for pairs in pairs.chunks((ROWS / STEPS).max(1)) {
            let (mut path, mut ends) = (Vec::new(), Vec::new());
            for pair in pairs {
                let apart = difference(rows, training, pair);
                let from = training.row(pair.reference).to_vec();
                for step in 0..STEPS {
                    let t = (step as f64 + 0.5) / STEPS as f64;
                    path.extend(from.iter().zip(&apart).map(|(from, apart)| from + t * apart));
                    ends.extend(&references[pair.reference * k..][..k]);
                }
            }
            let n = pairs.len() * STEPS;
            let x = float_tensor(path, [n, d], &device, dtype).autodiff().require_grad();
            let ends = float_tensor(ends, [n, k], &device, dtype).autodiff();
            let total = distances(encoder.forward(x.clone()), ends, &self.rule).sum();
            // Distances that no feature changes have no gradient.
            let gradient = x.grad(&total.backward()).map_or_else(|| vec![0.0; n * d], host_values);
            for (pair, gradient) in pairs.iter().zip(gradient.chunks_exact(STEPS * d)) {
                let mut parts = difference(rows, training, pair);
                for (at, part) in parts.iter_mut().enumerate() {
                    *part *= gradient[at..].iter().step_by(d).sum::<f64>() / STEPS as f64;
                }
                let query = &embedded[pair.query * k..][..k];
                let distance = measure.between(query, &references[pair.reference * k..][..k]);
                add(pair, &parts, if squared(&self.rule) { distance.powi(2) } else { distance });
            }
        }
        Ok(())
    }
}

/// A row with those that it is compared with, and with those that decide, by shares that sum to 1 and to -1.
fn pairs(query: usize, near: &[Influence], far: &[usize]) -> Vec<WeightedPair> {
    let total: f64 = near.iter().map(|row| row.share).sum();
    let alike = 1.0 / near.len().max(1) as f64;
    let share = |row: &Influence| if total > 0.0 { row.share / total } else { alike };
    let near = near.iter().map(|row| (row.reference, -share(row)));
    let far = far.iter().map(|&reference| (reference, 1.0 / far.len() as f64));
    let pair = |(reference, weight)| WeightedPair { query, reference, weight };
    far.chain(near).map(pair).collect()
}

/// Whether the rule has the squared distance in its exponent.
fn squared(rule: &Rule) -> bool {
    !matches!(rule, Rule::Manhattan | Rule::Members(_))
}

/// x - x_j.
fn difference(rows: &Features, training: &Features, pair: &WeightedPair) -> Vec<f64> {
    let (x, reference) = (rows.row(pair.query), training.row(pair.reference));
    x.iter().zip(reference).map(|(x, reference)| x - reference).collect()
}

/// φ_c of a linear map, `[k, d]`, and the distance that they sum to.
fn of_map(matrix: &[f64], apart: &[f64], rule: &Rule) -> (Vec<f64>, f64) {
    let d = apart.len();
    let mut parts = vec![0.0; d];
    for row in matrix.chunks_exact(d) {
        let z: f64 = row.iter().zip(apart).map(|(a, apart)| a * apart).sum();
        // The derivative of the distance along the path, whose mean this is.
        let slope = if squared(rule) { z } else { z.signum() * f64::from(z != 0.0) };
        let products = row.iter().zip(apart).map(|(a, apart)| slope * a * apart);
        parts.iter_mut().zip(products).for_each(|(part, product)| *part += product);
    }
    let distance = parts.iter().sum();
    (parts, distance)
}

/// The distance in the exponent of the rule, between the rows of two embeddings.
fn distances(a: Tensor<2>, b: Tensor<2>, rule: &Rule) -> Tensor<2> {
    let apart = a - b;
    match rule {
        Rule::Manhattan => apart.abs().sum_dim(1),
        Rule::Members(rule) => {
            let [n, k] = apart.dims();
            let members = rule.members.max(1);
            let squares = apart.reshape([n * members, k / members]).square().sum_dim(1);
            // The root has no derivative at 0.
            let far = squares.clamp_min(f64::from(f32::MIN_POSITIVE)).sqrt();
            far.reshape([n, members]).mean_dim(1)
        }
        _ => apart.square().sum_dim(1),
    }
}
