//! Any objective of a data set as a loss of its batches.

use core::fmt::Debug;
use std::sync::Arc;

use burn::module::{Module, ModuleDisplay};
use burn::tensor::{Tensor, assert_shape};
use burn_nca::internal::{assert_rows, at_least_f32, on_host, over};
use burn_nca::shown_on_one_line;

use super::batch::constant;
use super::{BatchLoss, ClassTarget, DataTarget, Objective};

/// An objective of a data set as a loss of its batches: the mean of the terms among the rows of a batch.
///
/// ```text
/// l = 1/m Σ_{i in the batch} t_i,   t_i = the terms of the objective of these rows, m = those that count
/// ```
/// A row is known by its number in the data set, [`ClassTarget::ids`], not by its label: by pairs that belong together
/// ([`PairLoss`](super::PairLoss)), agreements, the target neighbors of the input space
/// ([`TargetNeighbors`](super::TargetNeighbors)). It is the [`estimate`](Objective::estimate) of a fit by mini-batches over the
/// number of all terms. A batch without a term that counts, pairs whose ends are in different batches, costs 0.
///
/// # Validation
/// Let the samples for validation follow those for training, from n on, and make one target of both.
///
/// # Examples
/// Labels of a batch, and pairs of rows of the data set that belong together, in one loss:
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::data::Pairs;
/// use burn_nca_learn::objective::{
///     BatchLoss, ClassTarget, NcaLossConfig, PairIndex, PairLoss, PairLossConfig, SubsetLoss, SumLossConfig,
/// };
///
/// let device = Device::flex();
/// let pairs = Pairs::new(100, vec![(3, 70, 1.0), (3, 8, 1.0)])?; // of 100 rows
/// let pairs = SubsetLoss::new(PairLossConfig::new().init(), PairIndex::new(&pairs, &device));
/// let loss = SumLossConfig::new().with_weight(0.1).init(NcaLossConfig::new().init(), pairs);
///
/// let z = Tensor::<2>::from_floats([[0.0], [0.0], [9.0]], &device);
/// let labels = Tensor::from_ints([0, 0, 1], &device);
/// let ids = Tensor::from_ints([3, 70, 12], &device); // one of the two pairs is in this batch
/// let value: f32 = loss.batch_loss(z, &ClassTarget { labels, ids }).into_scalar();
/// assert!((value - (-1.0 + 0.1 * 5f32.ln())).abs() < 1e-6); // f is 1 a row; Z is 5 (equation 8)
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SubsetLoss<O: Module + ModuleDisplay, T: Clone + Debug + Send + Sync> {
    /// The objective.
    pub objective: O,
    #[module(skip)]
    target: Arc<T>,
    points: usize,
}

shown_on_one_line!(
    [O: Module + ModuleDisplay, T: Clone + Debug + Send + Sync] SubsetLoss<O, T>,
    |module, content| content.add("objective", &module.objective).add("points", &module.points)
);

impl<O, T> SubsetLoss<O, T>
where
    O: Objective<Target = T>,
    T: DataTarget + Debug,
{
    /// The loss of batches of the rows that the target is about.
    pub fn new(objective: O, target: T) -> Self {
        let points = target.points();
        Self { objective, target: Arc::new(target), points }
    }
}

impl<O, T> BatchLoss for SubsetLoss<O, T>
where
    O: Objective<Target = T>,
    T: DataTarget + Debug,
{
    type Target = ClassTarget;

    /// The numbers of the rows are read from their device, once.
    ///
    /// # Panics
    /// If there is not one number per embedding row, no row, or a number beyond the rows that the target is about.
    fn batch_loss(&self, embeddings: Tensor<2>, target: &ClassTarget) -> Tensor<1> {
        let ([n, _], points) = (embeddings.dims(), self.points);
        assert_rows("batch", n);
        assert_shape!(target.ids, [n]);
        let known = |id: i64| usize::try_from(id).ok().filter(|row| *row < points);
        let row = |id: i64| {
            known(id).unwrap_or_else(|| {
                panic!("sample {id} of a target of {points} rows; number all samples from 0, as the target has them")
            })
        };
        let rows: Vec<usize> = on_host(target.ids.clone()).into_iter().map(row).collect();
        let z = at_least_f32(embeddings);
        let graph = constant(&z, 0.0);
        let whole = &*self.target;
        let batch = whole.subset(&rows);
        match self.objective.estimate(z, &batch, whole) {
            Some(sum) => graph + over(sum, whole.counted() as f64),
            None => graph,
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device};

    use super::*;
    use crate::data::{LabeledPair, LabeledPairs, Pairs};
    use crate::objective::batch::testing::{
        assert_both, leaf, scattered, target, tensor, value_and_slope,
    };
    use crate::objective::*;

    const ROWS: usize = 30;

    fn labels() -> Vec<usize> {
        (0..ROWS).map(|row| row * row % 3).collect()
    }

    /// Rows of the data set by their numbers.
    fn samples(rows: &[usize]) -> ClassTarget {
        ClassTarget { ids: target(rows).labels, ..target(&vec![0; rows.len()]) }
    }

    /// A batch of all rows has the objective and its gradient over the terms that count, and one of some rows those of
    /// what the objective is about these rows.
    fn check<O: Objective<Target: Debug>>(objective: O, whole: O::Target) {
        let counted = whole.counted() as f64;
        let loss = SubsetLoss::new(objective.clone(), whole.clone());
        let z = scattered(2 * ROWS);
        let all: Vec<usize> = (0..ROWS).collect();
        let found = value_and_slope(&|z| loss.batch_loss(z, &samples(&all)), &z, 2);
        let (value, slope) = value_and_slope(&|z| objective.total(z, &whole), &z, 2);
        let exact = (value / counted, slope.iter().map(|slope| slope / counted).collect());
        assert_both(&found, &exact, 1e-13);
        let some: Vec<usize> = (0..12).map(|i| 7 * i % ROWS).collect();
        let part = whole.subset(&some);
        let value = |z| loss.batch_loss(z, &samples(&some));
        let (value, slope) = value_and_slope(&value, &z[..24], 2);
        let exact = objective.total(leaf(&z[..24], 2), &part).into_scalar::<f64>();
        let exact = exact / part.counted() as f64;
        assert!((value - exact).abs() < 1e-12, "{value} {exact}");
        assert!(slope.iter().any(|slope| *slope != 0.0));
    }

    #[test]
    fn every_objective_is_a_loss_of_the_batches_of_its_rows() {
        let (device, labels) = (Device::flex().autodiff(), labels());
        let classes = ClassIndex::new(&labels, &device).unwrap();
        check(NcaLossConfig::new().with_repulsion(0.0).init(), classes.clone());
        check(NcfsLossConfig::new().init(), classes);
        // Target neighbors of a space that the embedding knows nothing of.
        let input = tensor(&scattered(7 * ROWS)[4 * ROWS..], 3);
        let targets = TargetNeighbors::new(&input, &labels, 2).unwrap();
        check(LargeMarginLossConfig::new().init(), targets);
        let kernel = VariableKernelLossConfig::new().init(&device, DType::F64);
        check(kernel, KernelTarget::new(&labels, 10, &device).unwrap());
        let pairs = (0..ROWS - 1).map(|row| (row, (row + 7) % ROWS, 1.0 + row as f64)).collect();
        let index = PairIndex::new(&Pairs::new(ROWS, pairs).unwrap(), &device);
        check(PairLossConfig::new().init(), index);
        let pair = |row: usize| LabeledPair {
            coincide: row.is_multiple_of(2),
            ..LabeledPair::alike(row, (row + 7) % ROWS)
        };
        let pairs = LabeledPairs::new(ROWS, (0..ROWS - 1).map(pair).collect()).unwrap();
        let index = CoincidenceIndex::new(&pairs, &device);
        let config = CoincidenceLossConfig::new().with_local_scales(true);
        check(config.init(&index, &device, DType::F64), index);
    }

    fn pairs() -> SubsetLoss<PairLoss, PairIndex> {
        let pairs = Pairs::new(9, vec![(0, 4, 1.0), (4, 8, 2.0)]).unwrap();
        SubsetLoss::new(PairLossConfig::new().init(), PairIndex::new(&pairs, &Device::flex()))
    }

    #[test]
    fn a_batch_without_a_term_costs_nothing() {
        for rows in [&[0, 8, 3][..], &[4]] {
            let z = scattered(2 * rows.len());
            let value = |z| pairs().batch_loss(z, &samples(rows));
            assert_eq!(value_and_slope(&value, &z, 2), (0.0, vec![0.0; z.len()]));
        }
    }

    #[test]
    fn a_sample_may_be_in_a_batch_more_than_once() {
        let z = leaf(&scattered(8), 2);
        let found = pairs().batch_loss(z, &samples(&[4, 0, 4, 8])).into_scalar::<f64>();
        assert!(found.is_finite(), "{found}");
    }
}
