//! Fits that would end in numbers that are not finite: refused before they begin, or after it with a cure.

use anyhow::{Result, bail};
use burn::tensor::Device;
use burn_nca_learn::data::{Scaling, ScalingKind, Task};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::{Precision, Start};
use burn_nca_learn::method::Uses;
use burn_nca_learn::{Fitted, device};
use burn_nca_report::RowNames;
use burn_nca_report::evaluation::Rows;

use super::optimizer;
use super::rows::FitData;
use crate::cli::fit::{EncoderKind, FitArgs, Init};
use crate::failure::hinted;
use crate::output::short_name;

/// The largest value whose square, and the sum of some, f32 holds.
const MOST_IN_F32: f64 = 1e18;

/// The largest value whose square, and the sum of some, f64 holds.
const MOST_IN_F64: f64 = 1e150;

/// Refuses f64 where drivers claim it and a fit ends in numbers that are not finite.
pub fn refuse_f64_on_graphics(precision: Precision, device: &Device) -> Result<()> {
    if precision == Precision::F64 && device::backend(device) == "wgpu" {
        bail!(hinted("wgpu cannot be trusted with f64", "give --precision f32, or --device cpu"));
    }
    Ok(())
}

/// Refuses values that are scaled to ones whose distances f32 does not hold, before a fit of numbers that are not finite.
pub fn refuse_far_values<D: FitData>(
    rows: &Rows<D>,
    scaling: &Scaling,
    (names, backend): (&RowNames, &str),
) -> Result<()> {
    let features = rows.data.features();
    let scaled = |value: f64, column: usize| {
        ((value - scaling.offset()[column]) / scaling.scale()[column]).abs()
    };
    let mut far = None;
    features.each_row(|row, values| {
        let mut columns = 0..values.len();
        far = far.or_else(|| {
            let column = columns.find(|&column| scaled(values[column], column) > MOST_IN_F32)?;
            Some((row, column, values[column]))
        });
    });
    let Some((row, column, value)) = far else { return Ok(()) };
    let f64_helps = scaled(value, column) < MOST_IN_F64 && backend != "wgpu";
    let is_learned_from = D::TASK == Some(Task::Pairs) || rows.split.train.contains(&row);
    let scaling_helps = is_learned_from && scaling.kind() != ScalingKind::Standardize;
    let cure = match (f64_helps, scaling_helps) {
        (true, true) => "correct the value, give --precision f64, or give --scale standardize",
        (true, false) => "correct the value, or give --precision f64",
        (false, true) => "correct the value, or give --scale standardize",
        (false, false) => "correct the value",
    };
    bail!(hinted(
        format!(
            "{}, column \"{}\" is {value:e}, and f32 does not hold the square of its distance from other rows",
            names.name(row),
            short_name(&features.names()[column]),
        ),
        cure
    ))
}

/// Refuses a model of numbers that are not finite; `cure` is what may keep the next fit from them.
pub fn refuse_diverged(model: &Fitted, cure: &str) -> Result<()> {
    let values = model.references().clone().into_data();
    if values.iter::<f64>().all(f64::is_finite) {
        return Ok(());
    }
    bail!(hinted("the fit diverged: the embedding is no longer finite", cure.to_string()))
}

/// What may keep a fit from diverging: shorter steps of mini-batches, which keep no best map, or another start, and
/// features of one scale.
pub fn cure_of_divergence(args: &FitArgs, config: &Estimator) -> String {
    let (method, model) = (&config.method, &args.model);
    let uses = method.info().uses;
    let starts = uses.contains(&Uses::Start) && model.encoder() != EncoderKind::Mlp;
    let start =
        starts && model.init != Some(Init::Rule(Start::Identity)) && model.warm_start.is_none();
    let by_batches =
        uses.contains(&Uses::Optimizer) && optimizer::optimizer_kind(args, method).takes_batches();
    let is_standard = config.fit.scaling == ScalingKind::Standardize;
    // The default rate is too large only where features of one scale are.
    let rate = is_standard || args.optimizer.learning_rate.is_some();
    let first = match (by_batches, start) {
        (true, _) => rate.then_some("give a smaller --learning-rate"),
        (false, true) => Some("give --init identity"),
        (false, false) => None,
    };
    let scale = (!is_standard).then_some("give --scale standardize");
    let cures: Vec<&str> = first.into_iter().chain(scale).collect();
    match cures.is_empty() {
        true => "correct values that are far from all others".to_string(),
        false => cures.join(", or "),
    }
}
