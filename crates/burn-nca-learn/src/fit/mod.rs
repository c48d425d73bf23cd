//! Stage 4: fit. The solvers of `burn-nca`, expectation-maximization, and the start and summary of a fit of a table.

mod coincidence_em;
mod em;
mod identified;
mod resolved_start;
mod summary;

pub use burn_nca::fit::*;
pub(crate) use burn_nca::internal::minimize_prepared;
pub(crate) use coincidence_em::{CoincidenceEm, CoincidenceState, MorePairs};
pub(crate) use em::{EmProblem, HeldOutState};
pub(crate) use identified::identity;
pub use resolved_start::{
    ResolvedStart, START_PERPLEXITY, StartWeights, perplexity_factor, start_perplexity,
};
pub use summary::{FitSummary, SumsSummary};
