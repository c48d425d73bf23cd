//! Closed forms as methods: linear maps without iterations.

mod supervised;
mod unsupervised;

pub use supervised::{Lda, LdaRca, Rca};
pub use unsupervised::{Euclidean, Pca, Whitening};

use web_time::Instant;

use super::{Grid, Learned, Problem, Uses};
use crate::baseline::Projection;
use crate::data::TrainingData;
use crate::encoder::AnyEncoder;
use crate::error::Result;
use crate::fit::FitSummary;
use crate::neighbors::Rule;

/// The tolerances that a search tries.
const TOLERANCES: Grid = &[("tolerance", &["1e-8", "1e-4", "1e-2"])];

/// What a search tries of those that have dimensions to choose.
const SEARCHED: &[Uses] = &[Uses::Dimensions];

/// The map that `fit` gives.
fn learn<D: TrainingData>(
    problem: &Problem<'_, D>,
    fit: impl FnOnce() -> Result<Projection>,
) -> Result<Learned> {
    let started = Instant::now();
    let map = fit()?.to_linear_map(&problem.device, problem.dtype);
    Ok(learned(problem, AnyEncoder::Linear(map), started))
}

fn learned<D: TrainingData>(
    problem: &Problem<'_, D>,
    encoder: AnyEncoder,
    started: Instant,
) -> Learned {
    let summary = FitSummary::closed_form(started).with_rows(problem.data, problem.data);
    Learned { encoder, rule: Rule::Neighbors, summary }
}
