//! The operation on Burn's CPU backend `flex`: the kernels of this crate, in f32 and f64.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;

use super::flex_tensor::{KernelElement, tensor, values, width, with_numbers_of};
use super::ops::PairSums;
use crate::{Distance, Means, NeighborSets, PairSum, Weighted, Weights};

impl PairSums for Flex {
    fn pair_sum(
        queries: FlexTensor,
        references: FlexTensor,
        operand: FlexTensor,
        sum: PairSum,
        columns: NeighborSets,
    ) -> (FlexTensor, FlexTensor) {
        #[cfg(feature = "fourier")]
        if let PairSum::Fourier(tolerance) | PairSum::FourierMean(tolerance) = sum {
            let values = matches!(sum, PairSum::FourierMean(_)).then_some(&operand);
            return super::fourier::forward(&queries, &references, values, &columns, tolerance);
        }
        let all = [queries, references, operand];
        with_numbers_of!(all[0], forward(all, sum, &columns))
    }

    fn pair_sum_backward(
        queries: FlexTensor,
        references: FlexTensor,
        operand: FlexTensor,
        sums: FlexTensor,
        rows: FlexTensor,
        gradient: FlexTensor,
        sum: PairSum,
        columns: NeighborSets,
        among_themselves: bool,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        #[cfg(feature = "fourier")]
        if let PairSum::Fourier(tolerance) | PairSum::FourierMean(tolerance) = sum {
            let points = [&queries, &references];
            let means = matches!(sum, PairSum::FourierMean(_)).then_some([&operand, &sums]);
            let (dq, dr) = super::fourier::backward(
                points,
                means,
                [&rows, &gradient],
                &columns,
                tolerance,
                among_themselves,
            );
            return (dq, dr, operand);
        }
        let all = [queries, references, operand, sums, rows, gradient];
        with_numbers_of!(all[0], backward(all, sum, &columns, among_themselves))
    }
}

fn forward<T: KernelElement>(
    all: [FlexTensor; 3],
    sum: PairSum,
    columns: &NeighborSets,
) -> (FlexTensor, FlexTensor) {
    let [k, c] = [width(&all[0]), width(&all[2])];
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, operand] = all.each_ref().map(values::<T>);
    let (points, b) = ((queries, references, k), columns.queries());
    let statistics = match sum {
        PairSum::LogSumExp(distance) => T::statistics_of(distance, points, &[], columns),
        PairSum::Fourier(_) | PairSum::FourierMean(_) => {
            unreachable!("a Fourier series has sums of its own")
        }
        PairSum::CostedLogSumExp => {
            T::statistics_of(Distance::SqEuclidean, points, operand, columns)
        }
        PairSum::Mean => T::statistics(queries, references, k, columns),
        PairSum::Sum(summand) => {
            let sums = tensor(T::sums(summand, points, columns), [b, 1]);
            return (sums.clone(), sums);
        }
    };
    let sums = if sum == PairSum::Mean {
        let statistics = statistics.as_slice();
        let of = Means { queries, references, values: operand, k, c, columns, statistics };
        tensor(T::means(of), [b, c])
    } else {
        let (least, logs) = statistics.split_at(b);
        let sums = logs.iter().zip(least).map(|(&log, &least)| log - least).collect();
        tensor::<T>(sums, [b, 1])
    };
    (sums, tensor(statistics, [2, b]))
}

fn backward<T: KernelElement>(
    all: [FlexTensor; 6],
    sum: PairSum,
    columns: &NeighborSets,
    among_themselves: bool,
) -> (FlexTensor, FlexTensor, FlexTensor) {
    let [k, c] = [width(&all[0]), width(&all[2])];
    let all = all.map(|tensor| tensor.to_contiguous());
    let [queries, references, operand, sums, statistics, gradient] =
        all.each_ref().map(values::<T>);
    let (b, m) = (columns.queries(), columns.references());
    let weights = match sum {
        PairSum::LogSumExp(Distance::SqEuclidean) => Weights::Softmax(statistics),
        PairSum::LogSumExp(Distance::Euclidean) => Weights::EuclideanSoftmax(statistics),
        PairSum::Fourier(_) | PairSum::FourierMean(_) => {
            unreachable!("a Fourier series has weights of its own")
        }
        PairSum::CostedLogSumExp => Weights::CostedSoftmax(statistics, operand),
        PairSum::Sum(summand) => Weights::Sum(summand),
        PairSum::Mean => {
            let of = Means { queries, references, values: operand, k, c, columns, statistics };
            let [mut dq, dr, dv] = T::mean_gradients(of, sums, gradient);
            if among_themselves {
                dq.iter_mut().zip(&dr).for_each(|(sum, part)| *sum = *sum + *part);
            }
            return (tensor(dq, [b, k]), tensor(dr, [m, k]), tensor(dv, [m, c]));
        }
    };
    let of = Weighted { queries, references, k, columns, weights, gradient };
    let operand = all[2].clone();
    if among_themselves {
        return (tensor(T::gradient(&of), [b, k]), all[1].clone(), operand);
    }
    let (dq, dr) = T::gradients(&of);
    (tensor(dq, [b, k]), tensor(dr, [m, k]), operand)
}
