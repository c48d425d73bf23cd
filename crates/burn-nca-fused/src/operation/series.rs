//! What a Fourier series costs, and what it leaves to exact sums.

use burn::tensor::Tensor;
use burn_nca_fourier::{Cost, Points, Sets, log_sums, means};

use super::takes;
use crate::{NeighborSets, PairSum};

/// The predicted times of [`PairSum::Fourier`], or with columns of values of [`PairSum::FourierMean`], and of the pairs for all
/// of these sets, with the gradient, in nanoseconds of one core; `None` where the series is no operation on these points.
///
/// # Panics
/// If the shapes contradict the sets.
pub fn fourier_cost(
    points: (&Tensor<2>, &Tensor<2>),
    columns: &[NeighborSets],
    values: usize,
    tolerance: f64,
) -> Option<Cost> {
    let series = Series::new(points, tolerance)?;
    let of_sets =
        columns.iter().map(|set| burn_nca_fourier::cost(&series.points(&set.sets()), values, true));
    Some(of_sets.fold(Cost::default(), |sum, cost| Cost {
        series: sum.series + cost.series,
        pairs: sum.pairs + cost.pairs,
    }))
}

/// The number of queries that [`PairSum::Fourier`], or [`PairSum::FourierMean`], sums exactly over one of these sets, pair by
/// pair; `None` where the series is no operation on these points.
///
/// # Panics
/// If the shapes contradict the sets.
pub fn fourier_exact_rows(
    points: (&Tensor<2>, &Tensor<2>),
    columns: &[NeighborSets],
    of_means: bool,
    tolerance: f64,
) -> Option<usize> {
    let series = Series::new(points, tolerance)?;
    let mut exact = vec![false; points.0.dims()[0]];
    for columns in columns {
        let sets = columns.sets();
        let points = series.points(&sets);
        let found = match of_means {
            true => means(&points, &vec![0.0; columns.references()]).0,
            false => log_sums(&points),
        };
        for (row, (exact, digits)) in exact.iter_mut().zip(found.digits).enumerate() {
            *exact |= digits == 0 && columns.count(row) > 0;
        }
    }
    Some(exact.into_iter().filter(|exact| *exact).count())
}

/// Queries and references on the host.
struct Series {
    queries: Vec<f64>,
    references: Vec<f64>,
    k: usize,
    tolerance: f64,
}

impl Series {
    /// `None` where the series is no operation on these points.
    fn new((queries, references): (&Tensor<2>, &Tensor<2>), tolerance: f64) -> Option<Self> {
        let numbers = |tensor: &Tensor<2>| {
            let data = tensor.clone().without_autodiff().into_data().convert::<f64>();
            data.try_to_vec::<f64>().expect("numbers of a tensor on the host")
        };
        takes(PairSum::Fourier(tolerance), &[queries, references]).then(|| Self {
            queries: numbers(queries),
            references: numbers(references),
            k: queries.dims()[1],
            tolerance,
        })
    }

    fn points<'a>(&'a self, sets: &'a Sets) -> Points<'a> {
        let Self { queries, references, k, tolerance } = self;
        Points { queries, references, k: *k, sets, tolerance: *tolerance }
    }
}
