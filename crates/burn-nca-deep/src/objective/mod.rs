//! Losses of a batch beyond NCA's own.
//!
//! ```text
//!                              over all data, exact     of a batch
//! ModernNcaLoss                Objective                BatchLoss                    by the distance, not its square
//! SoftNearestNeighborLoss                               BatchLoss, CandidateLoss     g at a temperature
//! SupConLoss                                            BatchLoss, CandidateLoss     every positive on its own
//! ProxyNcaLoss                                          BatchLoss                    one learned proxy per class
//! MemoryLoss                                            BatchLoss                    a memory in addition to the batch
//! ```
//! [`SoftNearestNeighborLoss`], [`SupConLoss`] and [`ProxyNcaLoss`] choose the
//! [`Similarity`](burn_nca::objective::Similarity) and the [`Temperature`](burn_nca::objective::Temperature), fixed or
//! learned.

mod contrastive;
mod memory;
mod modern;
mod proxy_nca;
#[cfg(test)]
mod tests;

pub use contrastive::{
    SoftNearestNeighborLoss, SoftNearestNeighborLossConfig, SupConLoss, SupConLossConfig,
};
pub use memory::{CrossBatchMemory, CrossBatchMemoryConfig, MemoryLoss, MemoryLossConfig};
pub use modern::{ModernNcaLoss, ModernNcaLossConfig, ModernTarget};
pub use proxy_nca::{ProxyNcaLoss, ProxyNcaLossConfig};
