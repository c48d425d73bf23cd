//! Log sums and means by a Fourier series on `flex`, computed in f64 whatever the type of the tensors.

use burn::backend::flex::FlexTensor;
use burn::tensor::DType;
use burn_nca_fourier::{LogSums, Points, log_sums, log_sums_gradient, means, means_gradient};

use super::flex_tensor::{tensor, values, width};
use crate::NeighborSets;

/// The sums `[b, 1]`, or the means of values `[m, c]`, and in f64 the sums and the digits of their series, `[2, b]`.
pub(super) fn forward(
    queries: &FlexTensor,
    references: &FlexTensor,
    values: Option<&FlexTensor>,
    columns: &NeighborSets,
    tolerance: f64,
) -> (FlexTensor, FlexTensor) {
    let (k, b, sets) = (width(queries), columns.queries(), columns.sets());
    let dtype = queries.dtype();
    let [queries, references] = [queries, references].map(in_f64);
    let (queries, references) = (queries.as_slice(), references.as_slice());
    let points = Points { queries, references, k, sets: &sets, tolerance };
    let (found, sums) = match values {
        None => {
            let found = log_sums(&points);
            let sums = of_type(found.values.clone(), [b, 1], dtype);
            (found, sums)
        }
        Some(values) => {
            let (found, means) = means(&points, &in_f64(values));
            (found, of_type(means, [b, width(values)], dtype))
        }
    };
    let digits = found.digits.into_iter().map(f64::from);
    let rows = found.values.into_iter().chain(digits).collect();
    (sums, tensor::<f64>(rows, [2, b]))
}

/// The gradients of queries and references, from values and their means where there are, the sums and digits in f64 and the
/// gradient of the sums or means.
pub(super) fn backward(
    [queries, references]: [&FlexTensor; 2],
    means: Option<[&FlexTensor; 2]>,
    [rows, gradient]: [&FlexTensor; 2],
    columns: &NeighborSets,
    tolerance: f64,
    among_themselves: bool,
) -> (FlexTensor, FlexTensor) {
    let (k, b, m, sets) = (width(queries), columns.queries(), columns.references(), columns.sets());
    let dtype = queries.dtype();
    let [queries, references, rows, gradient] = [queries, references, rows, gradient].map(in_f64);
    let (sums, digits) = rows.split_at(b);
    let digits = digits.iter().map(|digits| *digits as u8).collect();
    let sums = LogSums { values: sums.to_vec(), digits };
    let (queries, references) = (queries.as_slice(), references.as_slice());
    let points = Points { queries, references, k, sets: &sets, tolerance };
    let [mut dq, dr] = match means.map(|means| means.map(in_f64)) {
        None => log_sums_gradient(&points, &sums, &gradient),
        Some([values, means]) => means_gradient(&points, &values, (&sums, &means), &gradient),
    };
    if among_themselves {
        dq.iter_mut().zip(&dr).for_each(|(sum, part)| *sum += part);
    }
    (of_type(dq, [b, k], dtype), of_type(dr, [m, k], dtype))
}

fn in_f64(tensor: &FlexTensor) -> Vec<f64> {
    let tensor = tensor.to_contiguous();
    match tensor.dtype() {
        DType::F64 => values::<f64>(&tensor).to_vec(),
        _ => values::<f32>(&tensor).iter().copied().map(f64::from).collect(),
    }
}

fn of_type(values: Vec<f64>, shape: [usize; 2], dtype: DType) -> FlexTensor {
    match dtype {
        DType::F64 => tensor(values, shape),
        _ => tensor(values.into_iter().map(|x| x as f32).collect(), shape),
    }
}
