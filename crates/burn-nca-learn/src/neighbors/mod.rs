//! Stage 5: nearest neighbors in an embedding, and the classifications they give.
//!
//! Distances are squared Euclidean, in units of the embedding squared. Every result is exact: candidates are filtered in
//! f32 (by matrix products on the tensor's device, or by a tree on the host), and re-ranked by differences in f64 on the
//! host. A query that is one of the references is excluded by its row number (`own`), never by its distance; [`Exclude`]
//! leaves out its group and rows of weight 0, too.
//!
//! # Ties
//! Tables of whole numbers, ranks and yes or no are full of equal distances, and a metric that only scales or permutes the
//! features must not order them by its rounding. Two distances of one query are equal where
//!
//! ```text
//! |d_l - d_j| <= r (2 ||z_i|| + d_j),   d_j <= d_l        r = 2^-22 (coordinates in f32), 2^-47 (f64)
//! ```
//! Sorted by distance, the first distance and all that equal it make a group, the next one begins another. Within a group
//! the lower reference row comes first, by every method. Of classes with equal votes, that of the neighbor that comes first
//! wins; of equal probabilities the lowest class.

mod box_search;
mod box_tree;
mod candidate_filter;
mod coincidence_rule;
mod contraction;
mod entropy_k;
mod excluded;
#[cfg(test)]
pub(crate) mod fixture;
mod held_out;
mod in_parts;
mod influence;
mod kernel;
mod lanes;
mod manhattan;
mod member_rule;
mod points;
mod probabilities;
mod ranking;
mod regress;
mod rule;
mod search;
mod selection;
mod series;
mod soft;
mod stochastic;
#[cfg(test)]
mod tests;
mod variable_kernel;
mod voters;
mod within;

pub(crate) use candidate_filter::CandidateFilter;
pub(crate) use excluded::Excluded;
pub(crate) use held_out::held_out;
pub(crate) use influence::RuleDistance;
pub(crate) use kernel::entropies;
pub(crate) use manhattan::manhattan_perplexities;
pub(crate) use points::{Points, check_dimensions, sq_distance};
pub(crate) use search::{check_k, nearest_rows};
pub(crate) use within::within;

pub use coincidence_rule::CoincidenceRule;
pub use entropy_k::{LocalVote, PerplexityMean, global_k, local_k_vote};
pub use excluded::{Exclude, fewest_others};
pub use influence::Influence;
pub use member_rule::MemberRule;
pub use probabilities::ClassProbabilities;
pub use ranking::Neighbors;
pub use regress::{Numbers, kernel_means, leave_one_out_kernel_means, nearest_means};
pub use rule::{ClassReferences, Rule};
pub use search::{NearestConfig, SearchMethod, nearest, nearest_others};
pub use soft::{class_probabilities, leave_one_out_probabilities};
pub use variable_kernel::VariableKernel;
pub use voters::{Voters, majority_vote};
