//! Metrics of an embedding for Burn's `Learner`.
//!
//! They are computed from each batch on the metrics' own thread, in f64 and exactly as in
//! [`evaluate`](crate::evaluate), and averaged over an epoch by the rows they are about. Where a batch has no
//! value (too few rows for k neighbors, say) the entry is `N/A` and says why.

mod alone;
mod leave_one_out;
mod measure;
mod perplexity;
mod reference;
mod soft_accuracy;
mod spread;

pub use alone::{RowsWithoutPositive, WithoutPositive};
pub use leave_one_out::{LeaveOneOut, LeaveOneOutAccuracy};
pub use measure::{EmbeddingMetric, Measure, Reading, Scale};
pub use perplexity::{NeighborPerplexity, Perplexity};
pub use reference::{Reference, ReferenceAccuracy};
pub use soft_accuracy::{Soft, SoftAccuracy};
pub use spread::{EmbeddingSpread, TotalVariance};
