//! Metric learning of tables on Burn: methods, models that predict, evaluation and hyperparameter search.
//!
//! [`burn_nca`] has the definition of NCA, its losses, encoders and solvers; this crate gives all of it out again, under
//! the same names, so that a program needs one of the two.
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
//! [`NcaConfig::fit`] learns the metric of a whole table in one call, by exact gradients:
//!
//! ```
//! # #[cfg(feature = "flex")] {
//! use burn::tensor::Device;
//! use burn_nca_learn::{NcaConfig, data::{Features, Labeled}};
//!
//! let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
//! let data = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
//! let fitted = NcaConfig::new(2, 1).fit(&data, &Device::flex())?;
//! assert_eq!(fitted.predict(data.features(), 1)?, [0, 0, 1, 1]);
//! # }
//! # Ok::<(), burn_nca_learn::Error>(())
//! ```
//! [`method`] lists what can be learned; [`Estimator`] learns by any of them.

pub mod baseline;
mod compare_sums;
pub mod device;
mod device_times;
pub mod encoder;
mod error;
pub mod estimator;
pub mod evaluate;
pub mod fit;
pub mod method;
pub mod neighbors;
pub mod objective;
mod self_test;
mod side_by_side;
#[cfg(feature = "train")]
pub mod train;

pub use burn_nca::*;
pub use compare_sums::{SumsCompared, compare_sums};
pub use device_times::{DeviceTime, time_devices};
pub use estimator::{Estimator, Fitted, NcaConfig};
pub use self_test::self_test;
