//! Stage 3: objectives. Those of `burn-nca` and `burn-nca-deep`, and those of further methods.
//!
//! ```text
//!                              over all data, exact     of a batch
//! LargeMarginLoss              Objective                BatchLoss      a margin between classes
//! VariableKernelLoss           Objective                BatchLoss      leave-one-out error of a rule
//! NcfsLoss                     Objective                BatchLoss      feature weights, L1 distances
//! NcfsRegressionLoss           Objective                BatchLoss      the same for numeric targets
//! CoincidenceLoss              Objective                BatchLoss      labeled pairs (LCA)
//! SumLoss                      Objective                BatchLoss      two of them, weighted
//! SubsetLoss                                            BatchLoss      of any objective over all data
//! ```
//! A loss of a batch is the objective of its rows, by the same code: the batch is the data set, and the neighbors of a row are
//! found among its rows. A [`SubsetLoss`] takes what is known of the rows of a batch from the target of the data set.

mod batch;
mod coincidence;
mod coincidence_index;
mod feature_weighting;
mod large_margin;
mod subset_loss;
mod sum_loss;
#[cfg(test)]
mod tests;
mod variable_kernel;

pub(crate) use burn_nca::internal::kernel_means;
pub use burn_nca::objective::*;
pub use burn_nca_deep::objective::*;
pub use coincidence::{CoincidenceLoss, CoincidenceLossConfig};
pub use coincidence_index::CoincidenceIndex;
pub use feature_weighting::{
    NcfsLoss, NcfsLossConfig, NcfsRegressionLoss, NcfsRegressionLossConfig,
};
pub use large_margin::{LargeMarginLoss, LargeMarginLossConfig, TargetNeighbors};
pub use subset_loss::SubsetLoss;
pub use sum_loss::{SumLoss, SumLossConfig};
pub use variable_kernel::{KernelTarget, VariableKernelLoss, VariableKernelLossConfig};
