//! Every objective by fused sums and by its definition, in value and gradient.

use acceptance::catalog::{Loss, Value, Visit, every_batch_loss, every_objective};
use acceptance::compare::assert_near;
use acceptance::data::uniform;
use acceptance::setup::{at_embedding, matrix, tensor};
use burn::tensor::{DType, Device};
use burn_nca_learn::Sums;
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{Criterion, NcaLossConfig, Objective};

use super::open;

const ROWS: usize = 37;
const WIDTH: usize = 3;

/// What every objective says on a device, in a type, one way: its name, value and gradient.
struct Said {
    device: Device,
    dtype: DType,
    sums: Sums,
    all: Vec<(String, f64, Vec<f64>)>,
}

impl Said {
    fn of(device: &Device, dtype: DType, sums: Sums) -> Vec<(String, f64, Vec<f64>)> {
        let device = device.clone().autodiff();
        let mut said = Self { device: device.clone(), dtype, sums, all: Vec::new() };
        every_objective(ROWS, &device, &mut said);
        let mut say = |name: &str, loss: Loss<'_>, _: &dyn Fn(&[f64]) -> f64| said.say(name, loss);
        every_batch_loss([ROWS, WIDTH], (&device, dtype), sums, &mut say);
        said.all
    }

    /// In the middle of a graph, at points at distances of about 1, of which two are one; far apart they would say little.
    fn say(&mut self, name: &str, loss: Loss<'_>) {
        let mut z = uniform(ROWS * WIDTH, 91);
        z.copy_within(..WIDTH, (ROWS - 1) * WIDTH);
        let z = matrix(&z, WIDTH, (&self.device.clone().inner(), self.dtype));
        let (value, slopes) = at_embedding(&z, |z| loss(z * 1.3).mul_scalar(0.7));
        self.all.push((name.to_string(), value, slopes));
    }
}

impl Visit for Said {
    fn see<O: Objective>(&mut self, name: &str, objective: O, target: &O::Target, _: Value) {
        let objective = objective.with_sums(self.sums);
        self.say(name, &|z| objective.total(z, target));
    }
}

/// Every objective one way against the definition on `flex` in f64; relative to the largest number of each.
pub fn agrees(name: &str, dtype: DType, sums: Sums, tolerance: f64) {
    let Some(device) = open(name) else { return };
    let found = Said::of(&device, dtype, sums);
    let expected = Said::of(&Device::flex(), DType::F64, Sums::Plain);
    assert!(found.len() == expected.len() && found.len() > 40);
    for ((case, value, slopes), (_, expected, expected_slopes)) in found.iter().zip(&expected) {
        let what = format!("{name} {dtype:?} {sums:?} {case}");
        assert_near(&[*value], &[*expected], tolerance, &what);
        assert_near(slopes, expected_slopes, tolerance, &what);
    }
}

#[test]
fn fused_sums_on_flex_are_those_of_the_definition() {
    agrees("flex", DType::F64, Sums::Fused, 1e-10);
    agrees("flex", DType::F32, Sums::Fused, 2e-5);
}

#[test]
fn the_definition_holds_in_single_precision() {
    agrees("flex", DType::F32, Sums::Plain, 2e-5);
}

/// Copies of a point, an offset that all share, and a group far away: products would have no digits left.
pub fn far_points(rows: usize) -> Vec<f64> {
    let mut z = uniform(rows * 2, 61);
    z.copy_within(..8, 20);
    let away = |row: usize| if row.is_multiple_of(2) { 4096.0 } else { -6000.0 };
    // Multiples of 2^-9: the sums are f32 numbers without rounding.
    let at = |(i, x): (usize, &f64)| (x * 512.0).round() / 512.0 + away(i / 2);
    z.iter().enumerate().map(at).collect()
}

#[test]
fn the_definition_keeps_the_digits_of_far_points() {
    let labels = int_tensor(&(0..ROWS).map(|row| row % 4).collect::<Vec<_>>(), &Device::flex());
    let loss = NcaLossConfig::new().with_criterion(Criterion::G).with_sums(Sums::Plain).init();
    let [(value, slopes), (expected, expected_slopes)] = [DType::F32, DType::F64].map(|dtype| {
        let z = tensor(&far_points(ROWS), 2).cast(dtype);
        at_embedding(&z, |z| loss.forward(z, labels.clone()))
    });
    assert_near(&[value], &[expected], 2e-6, "far points");
    assert_near(&slopes, &expected_slopes, 2e-6, "slopes of far points");
}
