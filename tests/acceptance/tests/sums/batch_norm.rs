//! Batch normalization as one operation against Burn's layer: values, gradients and running statistics.

use acceptance::compare::assert_near;
use acceptance::setup::matrix;
use burn::module::{Param, RunningState};
use burn::nn::{BatchNorm, BatchNormConfig};
use burn::tensor::{DType, Device, Tensor};
use burn_nca::data::host_values;

/// Columns.
const C: usize = 3;

/// Numbers `[rows, 3]`.
fn table(rows: usize, factor: usize, dtype: DType) -> Tensor<2> {
    let values = (0..rows * C).map(|at| (at * at * factor % 47) as f64 / 9.0 - 2.0);
    matrix(&values.collect::<Vec<_>>(), C, (&Device::flex().autodiff(), dtype))
}

/// A layer whose gamma and beta are not those of a new one.
fn layer(dtype: DType) -> BatchNorm {
    let norm = BatchNormConfig::new(C).init(&Device::flex().autodiff());
    let state = |state: &RunningState<Tensor<1>>| RunningState::new(state.value().cast(dtype));
    let row = |row: usize| {
        let values = table(2, 5, dtype).slice([row..row + 1]).squeeze_dim(0);
        Param::from_tensor(values.detach())
    };
    BatchNorm {
        running_mean: state(&norm.running_mean),
        running_var: state(&norm.running_var),
        gamma: row(0),
        beta: row(1),
        ..norm
    }
}

type Forward = fn(&BatchNorm, Tensor<2>) -> Tensor<2>;

/// The output for x, the gradients of x, gamma and beta, and the running statistics.
fn said(forward: Forward, x: &Tensor<2>) -> [Vec<f64>; 6] {
    let (norm, [rows, _]) = (layer(x.dtype()), x.dims());
    let x = x.clone().detach().require_grad();
    let y = forward(&norm, x.clone());
    let gradients = (y.clone() * table(rows, 11, x.dtype())).sin().sum().backward();
    let of = |param: &Param<Tensor<1>>| host_values(param.val().grad(&gradients).unwrap());
    let of_x = host_values(x.grad(&gradients).unwrap());
    let [mean, variance] =
        [&norm.running_mean, &norm.running_var].map(|state| host_values(state.value_sync()));
    [host_values(y), of_x, of(&norm.gamma), of(&norm.beta), mean, variance]
}

#[test]
fn the_operation_has_values_gradients_and_running_statistics_of_the_layer() {
    for (dtype, tolerance) in [(DType::F32, 2e-5), (DType::F64, 1e-12)] {
        // A view whose rows do not follow one another, and more rows than a group of them.
        let view = table(C, 3, dtype).transpose();
        for x in [view, table(40, 7, dtype), table(700, 7, dtype)] {
            let expected = said(|norm, x| norm.forward(x), &x);
            for (found, expected) in said(burn_nca_fused::batch_norm, &x).iter().zip(&expected) {
                assert_near(found, expected, tolerance, "batch normalization");
            }
        }
    }
}
