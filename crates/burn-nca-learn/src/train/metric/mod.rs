//! Metrics of an embedding for Burn's `Learner`.
//!
//! They are computed from each batch on the metrics' own thread, in f64 and exactly as in
//! [`evaluate`](crate::evaluate), and averaged over an epoch by the rows they are about. Where a batch has no
//! value (too few rows for k neighbors, say) the entry is `N/A` and says why.

mod labeled;
mod measure;
mod points;

pub use labeled::{
    LeaveOneOut, LeaveOneOutAccuracy, Reference, ReferenceAccuracy, RowsWithoutPositive, Soft,
    SoftAccuracy, WithoutPositive,
};
pub use measure::{EmbeddingMetric, Measure, Reading};
pub use points::{EmbeddingSpread, NeighborPerplexity, Perplexity, TotalVariance};
