//! What every fit does, whatever its rows are labelled with.

use web_time::Instant;

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};

use super::{FitSummary, ModelCard};
use crate::encoder::{Encoder, cast};
use crate::error::{Error, Result};
use crate::fit::{
    FitConfig, FitSession, HeldOutScore, Identified, Problem, ResolvedStart, Solution,
    minimise_prepared,
};
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
    /// What a checkpoint recognises the fit by.
    pub(super) data: &'a dyn Identified,
}

impl<E: Encoder, O: Objective> Run<'_, E, O> {
    /// Fits the encoder; it comes back without autodiff.
    ///
    /// # Errors
    /// An encoder of other sizes than the card says, and what [`minimise_prepared`] refuses.
    pub(super) fn fit(self, card: &ModelCard, session: FitSession<'_>) -> Result<Solution<E>> {
        let encoder = prepare(self.encoder, self.x.dtype(), &self.x.device());
        check_encoder(&encoder, self.x, card)?;
        let settings = format!("{:?} {:?}", card.objective, card.encoder);
        let identity = || self.data.identity(&settings);
        let problem = Problem {
            model: MetricModel::new(encoder, self.objective).train(),
            x: self.x,
            target: self.target,
            held_out: self.held_out,
            identity: Some(&identity),
        };
        let solution = minimise_prepared(&problem, &card.fit, session)?;
        Ok(solution.map(|model| model.encoder.valid()))
    }
}

/// The encoder on a device and in a number type, without autodiff and without a tie to the one that was given.
///
/// An encoder may come from a device with autodiff, trained or not: its parameters must become leaves again.
pub(super) fn prepare<E: Encoder>(encoder: E, dtype: DType, device: &Device) -> E {
    cast(encoder.valid().to_device(device), dtype)
}

/// Holds the sizes of an encoder against those of the card, by the embedding of two rows.
fn check_encoder<E: Encoder>(encoder: &E, x: &Tensor<2>, card: &ModelCard) -> Result<()> {
    let [d, k] = [card.d_input, card.d_output];
    if let Some(d_input) = encoder.d_input().filter(|&d_input| d_input != d) {
        return Err(Error::setting(format!(
            "the encoder takes {d_input} features, but the data have {d}; give an encoder of {d} features"
        )));
    }
    let few = x.clone().slice([0..x.dims()[0].min(2)]);
    let (rows, embedded) = (few.dims()[0], encoder.forward(few).dims());
    if embedded[0] != rows {
        return Err(Error::setting(format!(
            "the encoder turns {rows} rows into {}; an encoder embeds each row, [n, d] to [n, k]",
            embedded[0]
        )));
    }
    if embedded[1] != k {
        return Err(Error::setting(format!(
            "d_output is {k}, but the encoder embeds in {found} dimensions; give d_output = {found}",
            found = embedded[1]
        )));
    }
    Ok(())
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
        seconds: solution.seconds_before + started.elapsed().as_secs_f64(),
        history: solution.history,
        rows: rows.train,
        held_out_rows: rows.held_out,
        singletons: rows.singletons,
    };
    (solution.module, summary)
}
