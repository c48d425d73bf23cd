//! What a Fourier series costs, and what it leaves to exact sums.

use burn::tensor::Tensor;
use burn_nca_fourier::{Cost, Points, log_sums, means};

use crate::NeighborSets;

/// See [`fourier_cost`](super::fourier_cost).
pub(super) fn cost(
    (queries, references): (&Tensor<2>, &Tensor<2>),
    columns: &[NeighborSets],
    values: usize,
    tolerance: f64,
) -> Cost {
    let k = queries.dims()[1];
    let [queries, references] = [queries, references].map(numbers);
    let (queries, references) = (queries.as_slice(), references.as_slice());
    let of_sets = columns.iter().map(|columns| {
        let sets = columns.sets();
        let points = Points { queries, references, k, sets: &sets, tolerance };
        burn_nca_fourier::cost(&points, values, true)
    });
    of_sets.fold(Cost::default(), |sum, cost| Cost {
        series: sum.series + cost.series,
        pairs: sum.pairs + cost.pairs,
    })
}

/// See [`fourier_exact_rows`](super::fourier_exact_rows).
pub(super) fn exact_rows(
    (queries, references): (&Tensor<2>, &Tensor<2>),
    columns: &[NeighborSets],
    of_means: bool,
    tolerance: f64,
) -> usize {
    let [b, k] = queries.dims();
    let [queries, references] = [queries, references].map(numbers);
    let (queries, references) = (queries.as_slice(), references.as_slice());
    let mut exact = vec![false; b];
    for columns in columns {
        let sets = columns.sets();
        let points = Points { queries, references, k, sets: &sets, tolerance };
        let found = match of_means {
            true => means(&points, &vec![0.0; columns.references()]).0,
            false => log_sums(&points),
        };
        for (row, (exact, digits)) in exact.iter_mut().zip(found.digits).enumerate() {
            *exact |= digits == 0 && columns.count(row) > 0;
        }
    }
    exact.into_iter().filter(|exact| *exact).count()
}

fn numbers(tensor: &Tensor<2>) -> Vec<f64> {
    let data = tensor.clone().without_autodiff().into_data().convert::<f64>();
    data.try_to_vec::<f64>().expect("numbers of a tensor on the host")
}
