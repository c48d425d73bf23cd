//! Variable-kernel similarity metric learning, diagonal (VSM) and generalized to a triangular map (GVSM).

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Grid, Learned, Method, Names, Problem, Uses, learn_encoder};
use crate::baseline::transposed;
use crate::data::Labeled;
use crate::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap, TriangularMap, matrix_of};
use crate::error::{Error, Result};
use crate::fit::FitSession;
use crate::neighbors::{Rule, VariableKernel};
use crate::objective::{KernelTarget, VariableKernelLoss, VariableKernelLossConfig};

/// What both methods say of themselves alike.
macro_rules! of_both {
    () => {
        const GRID: Grid =
            &[("width_penalty", &["0.1", "1", "0.01"]), ("neighbors", &["10", "5", "20"])];
        const OWN_RULE: bool = true;
        type Data = Labeled;

        fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
            check((self.kernel(), self.width_penalty), problem)
        }
    };
}

/// The settings of [`Vsm`] and [`Gvsm`], and what follows from them.
macro_rules! of_the_variable_kernel {
    ($(#[$doc:meta])* $method:ident) => {
        settings! {
            $(#[$doc])*
            $method {
                /// neighbors that the rule weighs, K
                neighbors: usize = 10,
                /// the nearest of them whose mean distance is the width of the kernel, M
                averaged: usize = 5,
                /// where the width starts, as a multiple of that mean, r; it is learned
                width: f64 = 1.0,
                /// what a width other than that costs each row, times (ln r - ln of that)²
                ///
                /// λ of [`VariableKernelLoss`].
                width_penalty: f64 = 0.1,
            }
        }

        impl $method {
            fn kernel(&self) -> VariableKernel {
                VariableKernel { neighbors: self.neighbors, averaged: self.averaged, width: self.width }
            }
        }

        impl GradientMethod for $method {
            type Objective = VariableKernelLoss;

            fn objective(&self, device: &Device, dtype: DType) -> VariableKernelLoss {
                VariableKernelLossConfig::new()
                    .with_rule(self.kernel())
                    .with_width_penalty(self.width_penalty)
                    .init(device, dtype)
            }

            fn target(&self, train: &Labeled, device: &Device) -> Result<KernelTarget> {
                let target = KernelTarget::new(train.labels(), self.neighbors, device)?;
                match train.weights() {
                    Some(weights) => target.with_weights(weights),
                    None => Ok(target),
                }
            }

            fn own_rule(&self) -> Option<Rule> {
                Some(Rule::VariableKernel(self.kernel()))
            }

            fn rule(&self, objective: &VariableKernelLoss) -> Rule {
                Rule::VariableKernel(objective.rule())
            }
        }
    };
}

of_the_variable_kernel! {
    /// Variable-kernel similarity metric learning: one weight per feature, by the leave-one-out error of the variable-kernel
    /// rule ([`VariableKernelLoss`]).
    ///
    /// The error does not depend on the scale of the map; what comes out has `tr LᵀL = d`. There is no penalty, as one on
    /// the scale would mean nothing. A `width_penalty` of 0 is the paper's error, which few rows overfit by a narrow kernel.
    ///
    /// # References
    /// D. G. Lowe, Similarity Metric Learning for a Variable-Kernel Classifier, Neural Computation 7, 1995.
    Vsm
}

of_the_variable_kernel! {
    /// Generalized variable-kernel similarity metric learning: an upper triangular map, by the same error as [`Vsm`].
    ///
    /// Fitted to the end it overfits more than VSM does. [`FitConfig::l2`](crate::fit::FitConfig::l2) weighs what VSM has
    /// not, the squares off the diagonal ([`TriangularMap`]); early stopping is the other cure. A given start is a
    /// transform (Fourier, Hadamard, whitening) whose distances the triangular map takes over.
    ///
    /// # References
    /// J. J. Naudé, M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel Classifier, 2002.
    Gvsm
}

impl Method for Vsm {
    const NAMES: Names = ["vsm", "VSM", "Variable-kernel similarity metric learning"];
    const WHEN_TO_USE: &'static str =
        "classes; few rows, features of unequal relevance that need no mixing";
    const USES: &'static [Uses] = &[Uses::Start, Uses::Optimizer, Uses::EarlyStopping];
    // The error does not depend on the scale that the map starts from.
    const SEARCHED: &'static [Uses] = &[Uses::Optimizer];
    of_both!();

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let encoder = EncoderConfig::Diagonal;
        let problem = Problem { encoder, ..problem.with_data(problem.data) };
        let (AnyEncoder::Diagonal(map), start) = problem.start_encoder()? else {
            return Err(Error::setting(
                "VSM weighs features and cannot start from a map that mixes them; give a diagonal map, or fit GVSM",
            ));
        };
        let Learned { encoder, rule, summary } =
            learn_encoder(self, (map, start), &problem, (None, session))?;
        let encoder = diagonal(encoder.diagonal(), &problem.device, problem.dtype);
        Ok(Learned { encoder, rule, summary })
    }

    fn encoder_at(&self, encoder: &AnyEncoder, parameters: &[f64]) -> Option<AnyEncoder> {
        let AnyEncoder::Diagonal(DiagonalMap { scale }) = encoder else { return None };
        let scale = scale.val();
        let entries = parameters.get(..scale.dims()[0])?.to_vec();
        Some(diagonal(entries, &scale.device(), scale.dtype()))
    }
}

impl Method for Gvsm {
    const NAMES: Names = ["gvsm", "GVSM", "Generalized variable-kernel similarity metric learning"];
    const WHEN_TO_USE: &'static str = "classes; as VSM, where the noise of features is correlated";
    const USES: &'static [Uses] = &[Uses::Start, Uses::L2, Uses::Optimizer, Uses::EarlyStopping];
    const SEARCHED: &'static [Uses] = &[Uses::L2, Uses::Optimizer];
    of_both!();

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let (d, device, dtype) = (problem.d_output, &problem.device, problem.dtype);
        let (start, resolved) = problem.start_encoder()?;
        let transform = matrix_of(&start).ok_or_else(|| {
            Error::setting("GVSM starts from a linear map, and a network is none; give a map")
        })?;
        let map = TriangularMap::of_transform(&transform, d, device, dtype)?;
        let Learned { encoder, rule, summary } =
            learn_encoder(self, (map, resolved), problem, (None, session))?;
        let encoder = linear(transposed(&encoder.matrix(), d), d, device, dtype);
        Ok(Learned { encoder, rule, summary })
    }

    fn encoder_at(&self, encoder: &AnyEncoder, parameters: &[f64]) -> Option<AnyEncoder> {
        let AnyEncoder::Linear(map) = encoder else { return None };
        let weight = map.weight.val();
        let [d, _] = weight.dims();
        // The transpose of L; what is above its diagonal is masked.
        let masked = parameters.get(..d * d)?.iter().enumerate();
        let masked = masked.map(|(at, entry)| if at % d <= at / d { *entry } else { 0.0 });
        Some(linear(masked.collect(), d, &weight.device(), weight.dtype()))
    }
}

fn diagonal(entries: Vec<f64>, device: &Device, dtype: DType) -> AnyEncoder {
    let d = entries.len();
    AnyEncoder::Diagonal(DiagonalMap::from_scale(&of_unit_scale(entries, d), device, dtype))
}

/// From a weight, the transpose of L.
fn linear(weight: Vec<f64>, d: usize, device: &Device, dtype: DType) -> AnyEncoder {
    let weight = of_unit_scale(weight, d);
    AnyEncoder::Linear(LinearMap::from_weight(&weight, [d, d], device, dtype))
}

/// The entries of a map with `tr LᵀL = d`.
fn of_unit_scale(entries: Vec<f64>, d: usize) -> Vec<f64> {
    let squares: f64 = entries.iter().map(|entry| entry * entry).sum();
    let factor = if squares > 0.0 { (d as f64 / squares).sqrt() } else { 1.0 };
    entries.into_iter().map(|entry| factor * entry).collect()
}

fn check(
    (rule, width_penalty): (VariableKernel, f64),
    problem: &Problem<'_, Labeled>,
) -> Result<()> {
    rule.check()?;
    if !(width_penalty >= 0.0 && width_penalty.is_finite()) {
        return Err(Error::setting(format!(
            "width_penalty is {width_penalty}; give 0 (none) or a positive number such as 0.1"
        )));
    }
    let rows = problem.data.rows();
    if rows > rule.neighbors {
        return Ok(());
    }
    Err(Error::setting(format!(
        "the rule of {} neighbors needs more than {rows} rows; give at most {} neighbors, or more rows",
        rule.neighbors,
        rows.saturating_sub(1)
    )))
}

#[cfg(test)]
mod tests;
