//! The kernel rule of several embeddings side by side, by the distance and not its square.

use burn::tensor::{Bool, DType, Tensor, TensorData};
use burn_nca::internal::negated_distances;
use burn_nca::objective::transfer::float_tensor;
use serde::{Deserialize, Serialize};

use super::excluded::{Exclude, check_usable};
use super::points::{Points, check_labels, read_both};
use super::probabilities::ClassProbabilities;
use super::regress::Numbers;
use super::rule::{ClassReferences, ClassRule};
use crate::data::host_values;
use crate::device::backend;
use crate::error::{Error, Result};

/// Numbers of a block of queries by references.
const BLOCK: usize = 1 << 22;

/// The kernel rule of M members, whose embeddings of k dimensions stand side by side.
///
/// ```text
/// p_ij = (1/M) Σ_m exp(-||z_i^m - z_j^m||) / Σ_l exp(-||z_i^m - z_l^m||),   P(c | x_i) = Σ_{j: y_j = c} p_ij
/// ```
/// # Numerics
/// In f64 where the device has it, around the mean of the references; squared distances by a product of matrices.
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
    ///
    /// # Errors
    /// Not one for each reference, or a member that there is not.
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

    /// `Σ_j p_ij v_j` of values `[m, c]` of the references, row-major `[n, c]`: what each query expects of them.
    ///
    /// # Errors
    /// Dimensions that the members do not share, a query without a reference that it may find, a coordinate that is not
    /// finite.
    pub(super) fn means(
        &self,
        points: (&Tensor<2>, &Tensor<2>),
        (values, columns): (&[f64], usize),
        weights: Option<&[f64]>,
        exclude: Exclude<'_>,
    ) -> Result<Vec<f64>> {
        let mut found = Vec::with_capacity(points.0.dims()[0] * columns);
        // On the device of the blocks, in their number type, once.
        let mut on_device = None;
        self.each_block(points, weights, exclude, |shares| {
            let values = on_device.get_or_insert_with(|| {
                let shape = [shares.dims()[1], columns];
                float_tensor(values.to_vec(), shape, &shares.device(), shares.dtype())
            });
            found.extend(host_values(shares.matmul(values.clone())));
        })?;
        Ok(found)
    }

    /// p_ij of all references `[b, m]`, for the queries block by block.
    ///
    /// # Errors
    /// As [`means`](Self::means).
    pub(super) fn each_block(
        &self,
        (queries, references): (&Tensor<2>, &Tensor<2>),
        weights: Option<&[f64]>,
        exclude: Exclude<'_>,
        mut visit: impl FnMut(Tensor<2>),
    ) -> Result<()> {
        let (queries, references) = precise(queries, references)?;
        let ([n, k], [m, _]) = (queries.dims(), references.dims());
        if self.members == 0 || !k.is_multiple_of(self.members) {
            return Err(Error::data(format!(
                "{k} dimensions cannot be shared by {} members",
                self.members
            )));
        }
        let eligible = exclude.with_weights(weights).eligible(n, m)?;
        let usable = eligible.rows.as_ref().map_or(m, Vec::len);
        check_usable(usable, n, eligible.excluded.as_ref(), |_| true)?;
        let place = (&queries.device(), queries.dtype());
        // w exp(-d) = exp(log w - d); a weight of 0 leaves a reference out.
        let log_weights = weights.map(|weights| {
            let logs = weights.iter().map(|weight| weight.max(f64::MIN_POSITIVE).ln());
            float_tensor(logs.collect(), [1, m], place.0, place.1)
        });
        let size = k / self.members;
        let rows = (BLOCK / m.max(1)).max(1);
        for start in (0..n).step_by(rows) {
            let rows = start..(start + rows).min(n);
            let excluded = eligible.excluded.as_ref();
            let left_out = (excluded.is_some() || eligible.rows.is_some()).then(|| {
                // The places of eligible references, and all others.
                let mut mask = vec![eligible.rows.is_some(); rows.len() * m];
                for (query, mask) in rows.clone().zip(mask.chunks_exact_mut(m)) {
                    for place in 0..usable {
                        mask[eligible.row(place)] =
                            excluded.is_some_and(|excluded| excluded.has(query, place));
                    }
                }
                Tensor::<2, Bool>::from_data(TensorData::new(mask, [rows.len(), m]), place.0)
            });
            let of_member = |member: usize| {
                let part = member * size..(member + 1) * size;
                let queries = queries.clone().slice([rows.clone(), part.clone()]);
                let references = references.clone().slice([0..m, part]);
                let logits = negated_distances(queries, references);
                let logits = match &log_weights {
                    Some(logs) => logits + logs.clone(),
                    None => logits,
                };
                let logits = match &left_out {
                    Some(left_out) => logits.mask_fill(left_out.clone(), f64::NEG_INFINITY),
                    None => logits,
                };
                let largest = logits.clone().max_dim(1);
                let terms = (logits - largest).exp();
                let sums = terms.clone().sum_dim(1);
                terms / sums
            };
            let sum = (0..self.members).map(of_member).reduce(|a, b| a + b).expect("a member");
            visit(sum.div_scalar(self.members as f64));
        }
        Ok(())
    }

    /// The numbers of all references, weighted by p_ij, for each query; row-major `[n, columns]`.
    pub(super) fn kernel_means(
        &self,
        points: (&Tensor<2>, &Tensor<2>),
        numbers: Numbers<'_>,
        own: Option<&[usize]>,
    ) -> Result<Vec<f64>> {
        numbers.check(points.1.dims()[0])?;
        let values = (numbers.values, numbers.columns);
        self.means(points, values, numbers.weights, numbers.exclude(own))
    }
}

/// Both sides around the mean of the references, without autodiff, in f64 where the device has it.
///
/// # Errors
/// Different dimensions, or a coordinate that is not finite.
fn precise(queries: &Tensor<2>, references: &Tensor<2>) -> Result<(Tensor<2>, Tensor<2>)> {
    let device = references.device();
    let _: [Points; 2] = read_both(queries, references, None)?;
    // wgpu drivers may claim 64-bit floats and compute infinities with them.
    let double = device.supports_dtype(DType::F64) && !matches!(backend(&device), "wgpu");
    let read = |points: &Tensor<2>| {
        let points = points.clone().without_autodiff();
        if double { points.cast(DType::F64) } else { points }
    };
    let (queries, references) = (read(queries), read(references));
    let mean = references.clone().mean_dim(0);
    Ok((queries - mean.clone(), references - mean))
}

/// The number of neighbors has no meaning here: all references decide.
impl ClassRule for MemberRule {
    fn probabilities(
        &self,
        queries: &Tensor<2>,
        references: ClassReferences<'_>,
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let ClassReferences { embedding, labels, classes, weights, .. } = references;
        check_labels(labels, embedding.dims()[0], classes)?;
        let exclude = references.voters()?.exclude(own);
        let mut one_hot = vec![0.0; labels.len() * classes];
        labels.iter().enumerate().for_each(|(row, label)| one_hot[row * classes + label] = 1.0);
        let shares = self.means((queries, embedding), (&one_hot, classes), weights, exclude)?;
        Ok(ClassProbabilities::from_logs(shares.into_iter().map(f64::ln).collect(), classes))
    }
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
    fn a_weight_counts_a_reference_as_often_and_none_leaves_it_out() {
        let rule = MemberRule::new(2);
        let (points, query) = (members(), members().slice([2..3]));
        let of = |points: &Tensor<2>, labels: &[usize], weights: Option<&[f64]>| {
            let references = ClassReferences { weights, ..ClassReferences::new(points, labels, 2) };
            rule.probabilities(&query, references, None).unwrap().probability(0, 1)
        };
        let twice = Tensor::cat(vec![members(), members().slice([1..2])], 0);
        let counted = of(&twice, &[0, 1, 0, 1], None);
        assert!((of(&points, &[0, 1, 0], Some(&[1.0, 2.0, 1.0])) - counted).abs() < 1e-9);
        assert_eq!(of(&points, &[0, 1, 0], Some(&[1.0, 0.0, 1.0])), 0.0);
    }
}
