//! Some terms of an objective with more neighbors than their own points: the stochastic gradient of the NCA paper.

use core::ops::Range;

use burn::tensor::Tensor;

use super::{DataTarget, Objective};

/// A random sample of points whose terms are taken, and the candidates that they see as neighbors.
///
/// ```text
/// S = Σ_i t_i  ≈  (n / b) Σ_{i in the sample} t_i          t_i over all candidates
/// ```
/// Where the candidates are all n points, value and gradient are unbiased over samples of b points: this is the
/// truncated sum over i of the paper's section 2. With m of n candidates the normalizer of a row is that of m points
/// instead of n, and its neighbors are thinned by m / n: a bias, of a batch and its own points the largest.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::objective::{ClassIndex, NcaLossConfig, Objective, SampledTerms};
///
/// let device = Device::flex();
/// let z = Tensor::<2>::from_floats([[0.0], [0.4], [1.0], [1.5]], &device);
/// let classes = ClassIndex::new(&[0, 1, 0, 1], &device)?;
/// let loss = NcaLossConfig::new().init();
/// let estimate = |rows: &[usize], others: &[usize]| -> f64 {
///     let sample = SampledTerms::of(&classes, rows, others).unwrap();
///     let order = Tensor::from_ints(sample.points().iter().map(|p| *p as i32).collect::<Vec<_>>().as_slice(), &device);
///     sample.estimate(&loss, z.clone().select(0, order)).unwrap().into_scalar()
/// };
/// // The two halves of the rows, each among all rows, say on average what the sum is.
/// let mean = 0.5 * (estimate(&[0, 3], &[1, 2]) + estimate(&[1, 2], &[0, 3]));
/// assert!((mean - loss.total(z.clone(), &classes).into_scalar::<f64>()).abs() < 1e-6);
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SampledTerms<T> {
    /// The rows that the embedding must have, in this order.
    points: Vec<usize>,
    /// The target of these points.
    target: T,
    /// The terms of the sample among theirs.
    terms: Vec<Range<usize>>,
    /// n / b.
    factor: f64,
}

impl<T: DataTarget> SampledTerms<T> {
    /// The terms of the points `rows` among them and `others`; all distinct. `None` for a target whose terms do
    /// not belong to points, or where none of them counts.
    pub fn of(whole: &T, rows: &[usize], others: &[usize]) -> Option<Self> {
        let (points, terms) = whole.sample(rows, others)?;
        let target = whole.subset(&points);
        let factor = whole.points() as f64 / rows.len().max(1) as f64;
        (target.counted() > 0).then_some(Self { points, target, terms, factor })
    }

    /// The points whose embedding is needed, in this order.
    pub fn points(&self) -> &[usize] {
        &self.points
    }

    /// What the sample says of the whole sum, shape `[1]`; `None` where there is no term.
    ///
    /// # Shapes
    /// - embedding: `[m, k]`, of [`points`](Self::points)
    pub fn estimate<O: Objective<Target = T>>(
        &self,
        objective: &O,
        embedding: Tensor<2>,
    ) -> Option<Tensor<1>> {
        let prepared = objective.prepared(embedding.clone().without_autodiff(), &self.target);
        let target = prepared.as_ref().unwrap_or(&self.target);
        let block =
            |terms: &Range<usize>| objective.block(embedding.clone(), target, terms.clone());
        let sum = self.terms.iter().map(block).reduce(|sum, part| sum + part)?;
        Some(sum.mul_scalar(self.factor))
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};

    use super::*;
    use crate::data::host_values;
    use crate::objective::transfer::int_tensor;
    use crate::objective::{ClassIndex, Criterion, MlkrLossConfig, NcaLossConfig, TargetIndex};

    const ROWS: usize = 12;

    fn embedding(device: &Device) -> Tensor<2> {
        let values: Vec<f64> = (0..2 * ROWS).map(|i| ((i * i * 7) % 23) as f64 / 12.0).collect();
        Tensor::from_data(TensorData::new(values, [ROWS, 2]), (device, DType::F64))
    }

    /// The mean over all batches of a partition, each among all rows, is the whole sum in value and gradient.
    fn assert_unbiased<O: Objective>(objective: &O, target: &O::Target) {
        let z = embedding(&Device::flex().autodiff()).require_grad();
        let estimate = |batch: usize| {
            let (rows, others): (Vec<usize>, Vec<usize>) =
                (0..ROWS).partition(|row| (row * 5 + 1) % 3 == batch);
            let sample = SampledTerms::of(target, &rows, &others).unwrap();
            let order = int_tensor(sample.points(), &Device::flex());
            sample.estimate(objective, z.clone().select(0, order)).unwrap().mul_scalar(1.0 / 3.0)
        };
        let mean = estimate(0) + estimate(1) + estimate(2);
        let [found, expected] = [mean, objective.total(z.clone(), target)].map(|sum| {
            let gradient = z.grad(&sum.clone().backward()).unwrap();
            [host_values(sum), host_values(gradient)].concat()
        });
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn samples_among_all_rows_are_unbiased_in_value_and_gradient() {
        let labels: Vec<usize> =
            (0..ROWS).map(|row| row * row % 3 + usize::from(row == 7)).collect();
        let classes = ClassIndex::new(&labels, &Device::flex()).unwrap();
        for criterion in [Criterion::F, Criterion::G] {
            let loss = NcaLossConfig::new().with_criterion(criterion).with_repulsion(0.3).init();
            assert_unbiased(&loss, &classes);
        }
        // A batch in which no point has a partner says nothing.
        assert!(SampledTerms::of(&classes, &[0, 1], &[]).is_none());
        let numbers: Vec<f64> = (0..ROWS).map(|row| (row * row % 7) as f64).collect();
        let targets = TargetIndex::new(&numbers, 1, &Device::flex()).unwrap();
        assert_unbiased(&MlkrLossConfig::new().init(), &targets);
    }
}
