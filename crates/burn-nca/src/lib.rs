//! Neighborhood components analysis and its family for Burn: learn the distance that makes nearest
//! neighbors work.
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
//! [`Nca`] is an ordinary Burn module, trained like any other:
//!
//! ```
//! # #[cfg(feature = "flex")] {
//! use burn::module::Module;
//! use burn::optim::{AdamConfig, GradientsParams};
//! use burn::tensor::{Device, Distribution, Int, Tensor};
//! use burn_nca::{Nca, NcaConfig};
//!
//! let device = Device::flex().autodiff();
//! let x = Tensor::<2>::random([32, 64], Distribution::Default, &device); // one row per point
//! let labels = Tensor::<1, Int>::arange(0..32, &device).remainder_scalar(4); // one class per row
//!
//! let mut nca: Nca = NcaConfig::new(64, 2).init(&device); // A: 64 features to 2 dimensions
//! let mut optimizer = AdamConfig::new().init();
//! for _ in 0..10 {
//!     let loss = nca.loss(x.clone(), labels.clone()); // criterion f of the batch
//!     let gradients = GradientsParams::from_grads(loss.backward(), &nca);
//!     nca = optimizer.step(1e-2, nca, gradients);
//! }
//! let z = nca.forward(x); // [32, 2]
//! # assert_eq!(z.dims(), [32, 2]);
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("nca.bpk");
//! nca.save_file(path)?; // a Burn record, read by `load_file`
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! A network instead of A is one setting more:
//! `.with_encoder(EncoderConfig::Mlp { hidden: vec![64], activation: Activation::Relu })`. [`NcaConfig::fit`]
//! does the same for a whole table in one call, by exact gradients.
//!
//! In a training loop of Burn, take a loss of [`objective`] alone, or, with the feature `train`, hand a
//! [`MetricModel`] to Burn's `Learner` (module `train`).

pub mod baseline;
mod compare_sums;
pub mod data;
pub mod device;
mod device_times;
mod display;
pub mod encoder;
mod error;
pub mod estimator;
pub mod evaluate;
pub mod fit;
pub mod method;
mod model;
pub mod nca;
pub mod neighbors;
pub mod objective;
mod self_test;
mod sums;
#[cfg(feature = "train")]
pub mod train;

pub use compare_sums::{SumsCompared, compare_sums};
pub use device_times::{DeviceTime, time_devices};
pub use error::{Error, Result};
pub use estimator::{Estimator, Fitted, NcaConfig, PairsConfig, RegressionConfig};
pub use model::{MetricModel, Nca};
pub use self_test::self_test;
pub use sums::Sums;
