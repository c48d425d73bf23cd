//! A module at its start, minimized: what every fit by gradients does, whatever is learned from.

use burn::module::Module;
use burn::tensor::{DType, Device};

use crate::encoder::{Encoder, cast, output_width};
use crate::error::{Error, Result};
use crate::fit::{
    FitConfig, FitIdentity, FitSession, HeldOutScore, Inputs, Problem, Solution, minimize_prepared,
};
use crate::model::MetricModel;
use crate::objective::Objective;

/// The device of a fit, without autodiff, and its number type.
///
/// # Errors
/// A precision that the device does not have, or fused sums where there are none.
pub(crate) fn place(config: &FitConfig, device: &Device) -> Result<(Device, DType)> {
    let device = device.clone().inner();
    let dtype = config.precision.dtype();
    // wgpu drivers may claim 64-bit floats and compute infinities with them.
    let graphics = matches!(crate::device::backend(&device), "wgpu");
    if !device.supports_dtype(dtype) || (graphics && dtype == DType::F64) {
        return Err(Error::setting(format!(
            "the device {device:?} has no {dtype:?} numbers; fit with f32 there"
        )));
    }
    config.sums().check(&device, dtype)?;
    Ok((device, dtype))
}

/// An encoder at its start, an objective, and the rows to learn from.
pub(crate) struct Run<'a, E: Encoder, O: Objective> {
    pub(crate) encoder: E,
    pub(crate) objective: O,
    /// The scaled features, `[n, d]`, on the device and in the number type of the fit.
    pub(crate) x: Inputs<'a>,
    pub(crate) target: &'a O::Target,
    pub(crate) held_out: Option<&'a HeldOutScore<'a, E>>,
    /// What a checkpoint recognizes the fit by.
    pub(crate) identity: &'a dyn Fn() -> FitIdentity,
}

impl<E: Encoder, O: Objective> Run<'_, E, O> {
    /// Fits the encoder to k dimensions, and what the objective learns beside it; they come back without autodiff.
    ///
    /// # Errors
    /// An encoder of other sizes, and what [`minimize_prepared`] refuses.
    pub(crate) fn fit(
        self,
        k: usize,
        config: &FitConfig,
        session: FitSession<'_>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let encoder = prepare(self.encoder, self.x.dtype(), &self.x.device());
        check_encoder(&encoder, &self.x, k)?;
        let objective = match config.sums {
            Some(sums) => self.objective.with_sums(sums),
            None => self.objective,
        };
        let problem = Problem {
            model: MetricModel::new(encoder, cast(objective, self.x.dtype())).train(),
            x: self.x,
            target: self.target,
            held_out: self.held_out,
            identity: Some(self.identity),
        };
        let solution = minimize_prepared(&problem, config, session)?;
        Ok(solution.map(|model| model.valid()))
    }
}

/// The encoder on a device and in a number type, without autodiff and without a tie to the one that was given.
///
/// An encoder may come from a device with autodiff, trained or not: its parameters must become leaves again.
pub(crate) fn prepare<E: Encoder>(encoder: E, dtype: DType, device: &Device) -> E {
    cast(encoder.valid().to_device(device), dtype)
}

/// Holds the sizes of an encoder against those that were asked for, by the embedding of two rows.
fn check_encoder<E: Encoder>(encoder: &E, x: &Inputs<'_>, k: usize) -> Result<()> {
    let some: Vec<usize> = (0..x.dims()[0].min(2)).collect();
    let found = output_width(encoder, x.rows(&some))?;
    if found != k {
        return Err(Error::setting(format!(
            "d_output is {k}, but the encoder embeds in {found} dimensions; give d_output = {found}"
        )));
    }
    Ok(())
}
