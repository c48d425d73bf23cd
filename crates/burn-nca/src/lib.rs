//! Neighbourhood components analysis and its family for Burn: learn the distance that makes nearest
//! neighbours work.
//!
//! Data flow left to right through six stages; a module is a stage:
//!
//! ```text
//! data ──► encoder ──► objective ──► fit ──► neighbors ──► evaluate
//! x, y     z = f(x)    sum of terms  min      k-NN, soft    accuracy, perplexity
//!              ▲                                  ▲
//!           baseline (PCA, LDA, RCA, whitening: closed form, yields the same LinearMap)
//! ```
//!
//! In a training loop of Burn, take a loss of [`objective`] alone, or, with the feature `train`, hand a [`MetricModel`] to
//! Burn's `Learner` (module `train`).

pub mod baseline;
pub mod data;
pub mod device;
mod display;
pub mod encoder;
mod error;
pub mod estimator;
pub mod evaluate;
pub mod fit;
mod model;
pub mod neighbors;
pub mod objective;
#[cfg(feature = "train")]
pub mod train;

pub use error::{Error, Result};
pub use estimator::{Fitted, NcaConfig, PairsConfig, RegressionConfig};
pub use model::{MetricModel, Nca};
