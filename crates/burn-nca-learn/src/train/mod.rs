//! Training as a Burn model (feature `train`): that of `burn-nca`, and metrics of the embedding.

pub mod metric;

pub use burn_nca::train::*;
