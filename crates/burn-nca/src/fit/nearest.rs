//! The neighbors of a mini-batch that weigh most: the sum over j of the NCA paper, truncated.

use burn::tensor::Tensor;

use crate::data::host_values;
use crate::nca::{equal_pairs, softmax};
use crate::objective::Objective;
use crate::objective::transfer::int_tensor;

/// Weights p_ij that are held at a time.
const HELD: usize = 1 << 22;

/// Every row under the map at the start of an epoch.
///
/// ```text
/// mass_j = Σ_{i in the batch} p_ij          the candidates: the batch, and the j outside it with the largest
/// omitted = 1 - (1/b) Σ_{j candidates} mass_j
/// ```
/// No other candidates of the same number omit less.
pub(super) struct Nearest {
    /// `[n, k]`
    embedding: Tensor<2>,
    /// The sum of what the batches so far omit, and their rows.
    omitted: (f64, usize),
}

impl Nearest {
    /// # Shapes
    /// - embedding: `[n, k]`, without autodiff
    pub(super) fn new(embedding: Tensor<2>) -> Self {
        Self { embedding, omitted: (0.0, 0) }
    }

    /// So many rows outside a batch, or all, that weigh most for its rows; in their order.
    pub(super) fn others<O: Objective>(
        &mut self,
        objective: &O,
        batch: &[usize],
        count: usize,
    ) -> Vec<usize> {
        let mut mass = self.mass(objective, batch);
        let mut kept: f64 = batch.iter().map(|row| std::mem::take(&mut mass[*row])).sum();
        let mut is_outside = vec![true; mass.len()];
        batch.iter().for_each(|row| is_outside[*row] = false);
        let mut others: Vec<usize> = (0..mass.len()).filter(|row| is_outside[*row]).collect();
        let count = count.min(others.len());
        if (1..others.len()).contains(&count) {
            let heavier = |a: &usize, b: &usize| mass[*b].total_cmp(&mass[*a]).then(a.cmp(b));
            others.select_nth_unstable_by(count - 1, heavier);
        }
        others.truncate(count);
        others.sort_unstable();
        kept += others.iter().map(|row| mass[*row]).sum::<f64>();
        self.omitted.0 += (batch.len() as f64 - kept).max(0.0);
        self.omitted.1 += batch.len();
        others
    }

    /// The mean share of p that the batches so far omit.
    pub(super) fn omitted(&self) -> f64 {
        self.omitted.0 / self.omitted.1.max(1) as f64
    }

    /// `Σ_{i in the batch} p_ij` of each row j.
    fn mass<O: Objective>(&self, objective: &O, batch: &[usize]) -> Vec<f64> {
        let ([n, _], device) = (self.embedding.dims(), self.embedding.device());
        let all = int_tensor(&(0..n).collect::<Vec<_>>(), &device);
        let of_block = |rows: &[usize]| {
            let rows = int_tensor(rows, &device);
            let queries = self.embedding.clone().select(0, rows.clone());
            let exponents = objective.exponents(queries, self.embedding.clone());
            host_values(softmax(exponents, equal_pairs(rows, all.clone())).sum_dim(0))
        };
        let mut mass = vec![0.0; n];
        for block in batch.chunks((HELD / n.max(1)).max(1)) {
            mass.iter_mut().zip(of_block(block)).for_each(|(sum, part)| *sum += part);
        }
        mass
    }
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use burn::module::Module;
    use burn::tensor::{DType, Device, TensorData};

    use super::*;
    use crate::objective::{ClassIndex, NcaLossConfig};

    const ROWS: usize = 20;

    /// Weighs by the distance, not by its square.
    #[derive(Module, Debug)]
    struct ByDistance {}

    impl Objective for ByDistance {
        type Target = ClassIndex;

        fn block(&self, z: Tensor<2>, _target: &ClassIndex, _terms: Range<usize>) -> Tensor<1> {
            z.sum()
        }

        fn exponents(&self, queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
            (queries - references.transpose()).abs().neg()
        }
    }

    fn places() -> Vec<f64> {
        (0..ROWS).map(|i| ((i * i * 7) % 23) as f64 / 6.0).collect()
    }

    fn nearest() -> Nearest {
        let data = TensorData::new(places(), [ROWS, 1]);
        Nearest::new(Tensor::from_data(data, (&Device::flex(), DType::F64)))
    }

    /// The omitted share of candidates by the definition.
    fn omitted(candidates: &[usize], batch: &[usize], kernel: impl Fn(f64) -> f64) -> f64 {
        let x = places();
        let of_row = |i: &usize| {
            let weight = |j: usize| if j == *i { 0.0 } else { kernel((x[*i] - x[j]).abs()) };
            let all: f64 = (0..ROWS).map(weight).sum();
            1.0 - candidates.iter().map(|j| weight(*j)).sum::<f64>() / all
        };
        batch.iter().map(of_row).sum::<f64>() / batch.len() as f64
    }

    #[test]
    fn the_candidates_are_those_that_omit_least_and_what_they_omit_is_told() {
        let batch = [3, 11];
        let check = |others: [usize; 2], told: f64, kernel: fn(f64) -> f64| {
            let of = |a, b| omitted(&[batch[0], batch[1], a, b], &batch, kernel);
            let outside = || (0..ROWS).filter(|row| !batch.contains(row));
            let least = outside()
                .flat_map(|a| outside().filter(move |b| a < *b).map(move |b| of(a, b)))
                .fold(f64::INFINITY, f64::min);
            assert!((told - least).abs() < 1e-9 && (of(others[0], others[1]) - told).abs() < 1e-9);
        };
        let mut of_nca = nearest();
        let others = of_nca.others(&NcaLossConfig::new().init(), &batch, 2);
        check(others.try_into().unwrap(), of_nca.omitted(), |apart| (-apart * apart).exp());
        let mut by_distance = nearest();
        let others = by_distance.others(&ByDistance {}, &batch, 2);
        check(others.try_into().unwrap(), by_distance.omitted(), |apart| (-apart).exp());
    }
}
