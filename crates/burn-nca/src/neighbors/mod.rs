//! Stage 5: nearest neighbours in an embedding, and the classifications they give.
//!
//! Distances are squared Euclidean, in units of the embedding squared. Every result is exact: candidates are
//! screened by matrix products in f32 on the tensor's device, with a bound on their rounding, and settled
//! by differences in f64 on the host. A query that is itself one of the references is excluded by its
//! row number (`own`), never by its value or its distance.

mod classify;
mod kernel;
mod points;
mod ranking;
mod screen;
mod search;
mod selection;
mod soft;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use kernel::{entropy, weighty_sq_distances};
pub(crate) use points::Points;
pub(crate) use screen::Screen;

pub use classify::{majority_vote, vote_shares};
pub use ranking::Neighbors;
pub use search::{NearestConfig, SearchMethod, nearest, nearest_others};
pub use soft::{ClassProbabilities, class_probabilities, leave_one_out_probabilities};
