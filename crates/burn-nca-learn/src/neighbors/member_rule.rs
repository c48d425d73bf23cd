//! The kernel rule of several embeddings side by side, by the distance and not its square.

use std::ops::Range;

use burn::tensor::{DType, Tensor};
use burn_nca::internal::{cut, product};
use burn_nca_fused::Number;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::ClassReferences;
use super::excluded::Exclude;
use super::in_parts::{parts, rows_at};
use super::points::{Points, check_dimensions, read_both};
use super::probabilities::ClassProbabilities;
use super::regress::Numbers;
use crate::data::host_values;
use crate::device::has_f64;
use crate::error::{Error, Result};

/// Numbers of a block of queries by references.
const BLOCK: usize = 1 << 22;

/// The kernel rule of M members, whose embeddings of k dimensions stand side by side.
///
/// ```text
/// p_ij = (1/M) Σ_m exp(-||z_i^m - z_j^m||) / Σ_l exp(-||z_i^m - z_l^m||),   P(c | x_i) = Σ_{j: y_j = c} p_ij
/// ```
/// # Numerics
/// In f64 where the device has it; squared distances by a product of matrices, with a rounding of some 1e-16 of the squared norms.
///
/// # References
/// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRule {
    /// Number of members, M.
    pub members: usize,
    /// The member that did not learn from each reference, `None` where all did; empty where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_out: Vec<Option<usize>>,
}

impl MemberRule {
    /// So many members, of which it is not known what each learned from.
    pub fn new(members: usize) -> Self {
        Self { members, held_out: Vec::new() }
    }

    /// Checks the members that did not learn from each of so many references.
    pub(crate) fn check_held_out(&self, references: usize) -> std::result::Result<(), String> {
        let Self { members, held_out } = self;
        if !held_out.is_empty() && held_out.len() != references {
            return Err(format!("held_out is of {} rows, not of {references}", held_out.len()));
        }
        match held_out.iter().flatten().find(|member| *member >= members) {
            Some(member) => Err(format!("held_out names member {member} of {members}, from 0")),
            None => Ok(()),
        }
    }

    /// The sums of what `add` adds to the `columns` numbers of a query, given its p_ij; row-major `[n, columns]`.
    fn sums(
        &self,
        points: (&Tensor<2>, &Tensor<2>),
        (weights, exclude): (Option<&[f64]>, Exclude<'_>),
        columns: usize,
        add: impl Fn(&mut [f64], &[f64]) + Sync,
    ) -> Result<Vec<f64>> {
        let m = points.1.dims()[0];
        let mut found = Vec::with_capacity(points.0.dims()[0] * columns);
        self.each_block(points, weights, exclude, |shares| {
            let first = found.len();
            found.resize(first + shares.len() / m.max(1) * columns, 0.0);
            let rows = found[first..].par_chunks_exact_mut(columns);
            rows.zip(shares.par_chunks_exact(m)).for_each(|(sums, shares)| add(sums, shares));
        })?;
        Ok(found)
    }

    /// p_ij of all references, row-major `[b, m]`, for the queries block by block.
    pub(super) fn each_block(
        &self,
        (queries, references): (&Tensor<2>, &Tensor<2>),
        weights: Option<&[f64]>,
        exclude: Exclude<'_>,
        mut visit: impl FnMut(&[f64]),
    ) -> Result<()> {
        let ([n, of_queries], [m, k]) = (queries.dims(), references.dims());
        check_dimensions(of_queries, k)?;
        if self.members == 0 || !k.is_multiple_of(self.members) {
            return Err(Error::data(format!(
                "{k} dimensions cannot be shared by {} members",
                self.members
            )));
        }
        let eligible = exclude.with_weights(weights).eligible(n, m)?;
        let excluded = eligible.excluded.as_ref();
        let usable = eligible.count(m);
        eligible.check_usable(n, m)?;
        // w exp(-d) = exp(log w - d); a weight of 0 leaves a reference out.
        let logs = weights.unwrap_or_default().iter().map(|weight| weight.max(f64::MIN_POSITIVE));
        let logs: Vec<f64> = logs.map(f64::ln).collect();
        let size = k / self.members;
        let members: Vec<Member> = (0..self.members)
            .map(|member| {
                let part = member * size..(member + 1) * size;
                let of =
                    |points: &Tensor<2>| points.clone().slice([0..points.dims()[0], part.clone()]);
                Member::new([of(queries), of(references)], weights)
            })
            .collect::<Result<_>>()?;
        for rows in cut(0..n, BLOCK / m.max(1)) {
            let mut sum = vec![0.0; rows.len() * m];
            for member in &members {
                let mut products = member.products(rows.clone());
                let queries = products.par_chunks_exact_mut(m).zip(sum.par_chunks_exact_mut(m));
                queries.zip(rows.clone()).for_each(|((row, sum), query)| {
                    for &place in excluded.map_or(&[][..], |excluded| excluded.rows(query)) {
                        if place < usable {
                            row[eligible.row(place)] = f64::NEG_INFINITY;
                        }
                    }
                    f64::euclidean_shares(
                        row,
                        member.of_queries[query],
                        &member.of_references,
                        &logs,
                    );
                    let scale = 1.0 / self.members as f64;
                    sum.iter_mut().zip(row).for_each(|(sum, share)| *sum += scale * *share);
                });
            }
            visit(&sum);
        }
        Ok(())
    }

    /// `log p_i` of its own class and the perplexity of the p_ij, of some of the references, each among those that it may find
    /// and that count alike.
    pub(crate) fn terms(
        &self,
        references: ClassReferences<'_>,
        rows: &[usize],
    ) -> Result<[Vec<f64>; 2]> {
        let ClassReferences { embedding, labels, classes, groups, .. } = references;
        let [mut log_p, mut perplexity] = [Vec::new(), Vec::new()];
        // Of each class p_ij, and behind these the entropy.
        let add = |sums: &mut [f64], shares: &[f64]| {
            for (&label, &share) in labels.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
                sums[label] += share;
                sums[classes] -= share * share.ln();
            }
        };
        for some in parts(rows.len(), classes + 1) {
            let own = &rows[some];
            let exclude = Exclude::own(own).with_groups(groups);
            let points = (&rows_at(embedding, own), embedding);
            let found = self.sums(points, (None, exclude), classes + 1, add)?;
            for (&row, sums) in own.iter().zip(found.chunks_exact(classes + 1)) {
                log_p.push(sums[labels[row]].ln());
                perplexity.push(sums[classes].exp());
            }
        }
        Ok([log_p, perplexity])
    }

    /// The probability of each class by all references.
    pub(super) fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let ClassReferences { embedding, labels, classes, weights, .. } = references;
        let exclude = references.exclude(own)?;
        let add = |sums: &mut [f64], shares: &[f64]| {
            labels.iter().zip(shares).for_each(|(&label, share)| sums[label] += share);
        };
        let shares = self.sums((queries, embedding), (weights, exclude), classes, add)?;
        Ok(ClassProbabilities::from_logs(shares.into_iter().map(f64::ln).collect(), classes))
    }

    /// The numbers of all references, weighted by p_ij, for each query; row-major `[n, columns]`.
    pub(super) fn kernel_means(
        &self,
        points: (&Tensor<2>, &Tensor<2>),
        numbers: Numbers<'_>,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        numbers.check(points.1.dims()[0])?;
        let add = |means: &mut [f64], shares: &[f64]| {
            for (share, values) in shares.iter().zip(numbers.values.chunks_exact(numbers.columns)) {
                means.iter_mut().zip(values).for_each(|(mean, value)| *mean += share * value);
            }
        };
        self.sums(points, (numbers.weights, numbers.exclude(own)), numbers.columns, add)
    }
}

/// A member's part of the queries and of the references, views of the embeddings.
struct Member {
    points: [Tensor<2>; 2],
    /// `||z_i||²` and `||z_j||²`, the latter ∞ where the weight is 0.
    of_queries: Vec<f64>,
    of_references: Vec<f64>,
}

impl Member {
    fn new(points: [Tensor<2>; 2], weights: Option<&[f64]>) -> Result<Self> {
        let squares = |points: &Points| {
            let square = |row| points.row(row).iter().map(|x| x * x).sum();
            (0..points.rows()).map(square).collect::<Vec<f64>>()
        };
        let read = read_both(&points[0], &points[1])?;
        let [of_queries, mut of_references] = read.each_ref().map(squares);
        for (square, weight) in of_references.iter_mut().zip(weights.unwrap_or_default()) {
            if *weight == 0.0 {
                *square = f64::INFINITY;
            }
        }
        Ok(Self { points, of_queries, of_references })
    }

    /// `z_i · z_j` of some queries with all references, row-major. The references of one member are in f64 for this
    /// alone: those of all would be twice the embedding.
    fn products(&self, rows: Range<usize>) -> Vec<f64> {
        let [queries, references] = &self.points;
        let queries = queries.clone().slice([rows, 0..queries.dims()[1]]);
        host_values(product(precise(&queries), precise(references).transpose()))
    }
}

/// Without autodiff, in f64 where the device has it.
fn precise(points: &Tensor<2>) -> Tensor<2> {
    let points = points.clone().without_autodiff();
    if has_f64(&points.device()) { points.cast(DType::F64) } else { points }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    /// Points 0, 1, 3 on a line in the unit in which exp(-d) is 2^(-d), and the same in another member's order.
    fn members() -> Tensor<2> {
        let u = 2f32.ln();
        Tensor::from_floats([[0.0, 0.0], [u, 3.0 * u], [3.0 * u, u]], &Device::flex())
    }

    #[test]
    fn probabilities_and_means_are_those_worked_by_hand() {
        let rule = MemberRule::new(2);
        let (points, own) = (members(), [0, 1, 2]);
        let references = ClassReferences::new(&points, &[0, 0, 1], 2);
        let found = rule.probabilities(&points, references, Some(&own)).unwrap();
        // Of the first: 4/5 by one member, 1/5 by the other.
        assert!((found.probability(0, 0) - 0.5).abs() < 1e-6, "{found:?}");
        // Of the second: 2^-1 / (2^-1 + 2^-2), and 2^-3 / (2^-3 + 2^-2).
        assert!((found.probability(1, 0) - (2.0 / 3.0 + 1.0 / 3.0) / 2.0).abs() < 1e-6);
        let numbers = Numbers::new(&[0.0, 3.0, 9.0], 1);
        let means = rule.kernel_means((&points, &points), numbers, Some(&own)).unwrap();
        assert!((means[0] - 6.0).abs() < 1e-5, "{means:?}");
    }

    #[test]
    fn terms_are_those_worked_by_hand() {
        let points = members();
        let references = ClassReferences::new(&points, &[0, 0, 1], 2);
        let [log_p, perplexity] = MemberRule::new(2).terms(references, &[2, 0]).unwrap();
        // Of the last no other is of its class; both members together give each half.
        assert_eq!(log_p[0], f64::NEG_INFINITY);
        assert!((log_p[1] - 0.5f64.ln()).abs() < 1e-6, "{log_p:?}");
        assert!(perplexity.iter().all(|found| (found - 2.0).abs() < 1e-6), "{perplexity:?}");
        let first = points.slice([0..3, 0..1]);
        let references = ClassReferences::new(&first, &[0, 0, 1], 2);
        let [log_p, perplexity] = MemberRule::new(1).terms(references, &[0]).unwrap();
        let entropy = -0.8 * 0.8f64.ln() - 0.2 * 0.2f64.ln();
        assert!((log_p[0] - 0.8f64.ln()).abs() < 1e-6, "{log_p:?}");
        assert!((perplexity[0].ln() - entropy).abs() < 1e-6, "{perplexity:?}");
    }
}
