//! Closed forms as methods: linear maps without iterations.

mod supervised;
mod unsupervised;

pub use supervised::{Lda, LdaRca, Rca};
pub use unsupervised::{Euclidean, Pca, Whitening};

use web_time::Instant;

use super::{Grid, Learned, Problem};
use crate::baseline::Projection;
use crate::data::TrainingData;
use crate::encoder::AnyEncoder;
use crate::fit::FitSummary;
use crate::neighbors::Rule;

/// The tolerances that a search tries.
const TOLERANCES: Grid = &[("tolerance", &["1e-8", "1e-4", "1e-2"])];

/// A closed form that was begun at `started`.
fn learned<D: TrainingData>(
    problem: &Problem<'_, D>,
    projection: &Projection,
    started: Instant,
) -> Learned {
    let map = projection.to_linear_map(&problem.device, problem.dtype);
    let rows = problem.data.features().rows();
    Learned {
        encoder: AnyEncoder::Linear(map),
        rule: Rule::Neighbors,
        summary: FitSummary::closed_form(rows, started).with_rows(
            rows,
            0,
            problem.data.num_unmatched(),
        ),
    }
}
