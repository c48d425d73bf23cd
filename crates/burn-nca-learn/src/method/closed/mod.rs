//! Closed forms as methods: linear maps without iterations.

mod supervised;
mod unsupervised;

pub use supervised::{Lda, LdaRca, Rca};
pub use unsupervised::{Euclidean, Pca, Whitening};

use web_time::Instant;

use super::{Learned, Problem};
use crate::baseline::Projection;
use crate::data::TrainingData;
use crate::encoder::AnyEncoder;
use crate::fit::FitSummary;
use crate::neighbors::Rule;

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
