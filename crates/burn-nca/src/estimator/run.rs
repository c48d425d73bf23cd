//! What every fit does, whatever its rows are labelled with.

use std::time::Instant;

use burn::tensor::{DType, Device, Tensor};

use super::FitSummary;
use crate::encoder::{Encoder, cast};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitSession, HeldOutScore, Problem, ResolvedStart, Solution, minimise};
use crate::model::MetricModel;
use crate::objective::Objective;

/// The device of a fit, without autodiff, and its number type.
///
/// # Errors
/// A precision that the device does not have.
pub(super) fn place(config: &FitConfig, device: &Device) -> Result<(Device, DType)> {
    let device = device.clone().inner();
    let dtype = config.precision.dtype();
    // wgpu drivers may claim 64-bit floats and compute infinities with them.
    let graphics = matches!(crate::device::backend(&device), "wgpu");
    if !device.supports_dtype(dtype) || (graphics && dtype == DType::F64) {
        return Err(Error::setting(format!(
            "the device {device:?} has no {dtype:?} numbers; fit with f32 there"
        )));
    }
    Ok((device, dtype))
}

/// An encoder at its start, an objective, and the rows to learn from.
pub(super) struct Run<'a, E: Encoder, O: Objective> {
    pub(super) encoder: E,
    pub(super) objective: O,
    /// The scaled features, `[n, d]`, on the device and in the number type of the fit.
    pub(super) x: &'a Tensor<2>,
    pub(super) target: &'a O::Target,
    pub(super) held_out: Option<&'a HeldOutScore<'a, E>>,
}

impl<E: Encoder, O: Objective> Run<'_, E, O> {
    /// Fits the encoder; it comes back without autodiff.
    pub(super) fn fit(self, config: &FitConfig, session: FitSession<'_>) -> Result<Solution<E>> {
        let encoder = self.encoder.to_device(&self.x.device()).train();
        let problem = Problem {
            model: MetricModel::new(cast(encoder, self.x.dtype()), self.objective),
            x: self.x,
            target: self.target,
            held_out: self.held_out,
        };
        let solution = minimise(&problem, config, session)?;
        Ok(solution.map(|model| model.encoder.valid()))
    }
}

/// How many rows played which part in a fit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowCounts {
    pub(super) train: usize,
    pub(super) held_out: usize,
    pub(super) singletons: usize,
}

/// The account of a fit that began at `started`, and its encoder.
pub(super) fn summarise<E>(
    solution: Solution<E>,
    start: Option<ResolvedStart>,
    rows: RowCounts,
    started: Instant,
) -> (E, FitSummary) {
    let summary = FitSummary {
        start: start.map(|start| start.to_string()),
        value: solution.value,
        gradient_max: solution.gradient_max,
        termination: solution.termination,
        iterations: solution.iterations,
        evaluations: solution.evaluations,
        seconds: started.elapsed().as_secs_f64(),
        history: solution.history,
        rows: rows.train,
        held_out_rows: rows.held_out,
        singletons: rows.singletons,
    };
    (solution.module, summary)
}
