//! Whether a device computes rightly.

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::tensor::{DType, Device, Tensor};
use burn_nca::internal::panic_message;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::host_values;
use crate::device::backend;
use crate::error::{Error, Result};
use crate::objective::NcaLossConfig;
use crate::objective::transfer::{float_tensor, int_tensor};

/// Sizes of the matrix product: some drivers returned zeros from 500 rows on (Burn issue 4966).
const SIZES: [usize; 3] = [600, 64, 500];

/// Points of the loss.
const POINTS: usize = 60;

/// The relative error that is allowed: that of the 11-bit products of tensor cores (TF32), 2⁻¹⁰.
const TOLERANCE: f64 = 1.0 / 1024.0;

/// Compares a matrix product and one NCA loss of `device` with the same in f64 on the host.
///
/// Graphics drivers have returned zeros or wrong products without an error; run this once before a device
/// that is not the CPU is trusted. It costs some milliseconds, and the time to compile the first kernels.
/// An entry of the product may be off by 2⁻¹⁰ of the sum of its products' magnitudes, the loss by 2⁻¹⁰ of
/// itself.
///
/// # Errors
/// A device that cannot be started, or whose results deviate (with the largest deviation).
pub fn self_test(device: &Device) -> Result<()> {
    let device = device.clone().without_autodiff();
    let failed = |reason: String| {
        Error::Device(format!(
            "device {} fails its self-test: {reason}; update its driver, or choose another device such as cpu",
            backend(&device)
        ))
    };
    let product = without_panic_message(|| product_deviation(&device)).map_err(&failed)?;
    if let Some(reason) = product {
        return Err(failed(reason));
    }
    let (found, expected) =
        without_panic_message(|| (loss_on_device(&device), loss_on_host())).map_err(&failed)?;
    // Written so that a NaN fails.
    let right = (found - expected).abs() <= TOLERANCE * expected.abs();
    if right { Ok(()) } else { Err(failed(format!("an NCA loss is {found}, not {expected}"))) }
}

/// Random numbers in -1..1 that are the same everywhere.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

fn tensor(values: &[f64], shape: [usize; 2], device: &Device) -> Tensor<2> {
    float_tensor(values.to_vec(), shape, device, DType::F32)
}

/// The largest deviation of the product, if it is too large.
fn product_deviation(device: &Device) -> Option<String> {
    let [m, k, n] = SIZES;
    let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
    let product = tensor(&a, [m, k], device).matmul(tensor(&b, [k, n], device));
    let found = host_values(product);
    let deviation = |at: usize| {
        let terms = (0..k).map(|l| a[at / n * k + l] * b[l * n + at % n]);
        let (sum, magnitude) =
            terms.fold((0.0, 0.0), |(sum, all), term| (sum + term, all + term.abs()));
        (found[at] - sum).abs() / magnitude
    };
    // A NaN is the worst.
    let all = (0..m * n).map(|at| (deviation(at), at));
    let (worst, at) = all.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (worst.is_nan() || worst > TOLERANCE).then(|| {
        format!(
            "entry ({}, {}) of a {m} x {k} x {n} matrix product is {}, off by {worst:.2e} of its terms",
            at / n,
            at % n,
            found[at]
        )
    })
}

fn loss_on_device(device: &Device) -> f64 {
    let labels = int_tensor(&(0..POINTS).map(|point| point % 3).collect::<Vec<_>>(), device);
    let points = tensor(&numbers(2 * POINTS, 3), [POINTS, 2], device);
    host_values(NcaLossConfig::new().init().forward(points, labels))[0]
}

/// -f/n by its definition (equations 1 to 3), with nested loops.
fn loss_on_host() -> f64 {
    let z: Vec<f64> = numbers(2 * POINTS, 3).iter().map(|&x| f64::from(x as f32)).collect();
    let weight = |i: usize, j: usize| {
        let sq_distance = (z[2 * i] - z[2 * j]).powi(2) + (z[2 * i + 1] - z[2 * j + 1]).powi(2);
        if i == j { 0.0 } else { (-sq_distance).exp() }
    };
    let p = |i: usize| {
        let all: f64 = (0..POINTS).map(|j| weight(i, j)).sum();
        (0..POINTS).filter(|j| j % 3 == i % 3).map(|j| weight(i, j)).sum::<f64>() / all
    };
    -(0..POINTS).map(p).sum::<f64>() / POINTS as f64
}

/// Runs `work`; a panic in it (Burn starts devices lazily, and panics where that fails) becomes its message.
pub(crate) fn without_panic_message<T>(work: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic_message(&*panic).lines().next().unwrap_or_default();
        format!("it cannot be started ({text})")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_first_line() {
        let reason = without_panic_message(|| panic!("no adapter\nbacktrace")).unwrap_err();
        assert_eq!(reason, "it cannot be started (no adapter)");
    }
}
