//! The objective of a batch and its gradient in A, for training loops of one's own.

use burn::nn::loss::Reduction;
use burn::tensor::{Int, Tensor, TensorData};
use burn_nca_learn::objective::{CandidateLoss, Candidates, ClassTarget, NcaLossConfig};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::settings::criterion_named;
use crate::table::{Table, array};

/// What some rows of a batch add to the objective, and its gradient in A `[k, d]`, by automatic differentiation.
///
/// ```text
/// Σ_{i in rows} ( t_i + l2 ||A||² )     t_i = -p_i or -log p_i, p_ij over all rows j ≠ i of the batch
/// ```
/// The parts of a batch add up to the whole: value and gradient of `0..n` are the sums over any cut of it. A row
/// without another of its class in the batch has t_i = 0.
///
/// # Errors
/// ValueError for shapes that do not fit, rows outside the batch, or an unknown criterion.
#[pyfunction]
#[pyo3(signature = (a, x, labels, rows, criterion, l2=0.0, device="cpu"))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn value_and_gradient<'py>(
    py: Python<'py>,
    a: Table<'py>,
    x: Table<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    rows: (usize, usize),
    criterion: &str,
    l2: f64,
    device: &str,
) -> PyResult<(f64, Bound<'py, PyAny>)> {
    let ([k, d], [n, columns]) = (a.shape(), x.shape());
    let (first, last) = rows;
    if d != columns || labels.len() != n {
        return Err(PyValueError::new_err(format!(
            "A is {k} x {d}, X is {n} x {columns} and y has {} labels; give A (n_components, n_features), \
             X (n_samples, n_features) and a label per row",
            labels.len()
        )));
    }
    if first >= last || last > n {
        return Err(PyValueError::new_err(format!(
            "rows is {first}..{last}; give a part of the {n} rows of the batch that is not empty"
        )));
    }
    let loss = NcaLossConfig::new()
        .with_criterion(criterion_named(criterion)?)
        .with_reduction(Reduction::Sum)
        .init();
    let inner = burn_nca_learn::device::open(device).map_err(raised)?;
    let device = inner.autodiff();
    let (a, x) = (a.tensor(&device)?, x.tensor(&device)?);
    let labels = TensorData::new(labels.as_slice()?.to_vec(), [n]);
    let (value, gradient) = py.detach(|| {
        let a = a.require_grad();
        let labels = Tensor::<1, Int>::from_data(labels, &device);
        let z = x.matmul(a.clone().transpose());
        let target = ClassTarget::of_labels(labels.clone());
        let own = target.ids.clone().slice([first..last]);
        let candidates = Candidates::of_samples(z.clone(), target, own);
        let terms = loss.forward_among(
            z.slice([first..last, 0..k]),
            labels.slice([first..last]),
            &candidates,
        );
        let penalty = a.clone().square().sum().mul_scalar(l2 * (last - first) as f64);
        let value = terms + penalty;
        let gradient =
            a.grad(&value.backward()).unwrap_or_else(|| a.without_autodiff().zeros_like());
        (value.into_scalar::<f64>(), gradient)
    });
    Ok((value, array(py, gradient)?))
}
