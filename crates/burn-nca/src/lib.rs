//! Neighborhood components analysis and its family for Burn: learn the distance that makes nearest
//! neighbors work.
//!
//! The definition is [`nca`]: equations in tensor operations. Data flow left to right; a module is a stage:
//!
//! ```text
//! data ──► encoder ──► objective ──► fit
//! x, y     z = f(x)    sum of terms  min
//! ```
//! The crate `burn-nca-learn` is above: methods, starts, models that predict, evaluation, hyperparameter search.
//!
//! [`Nca`] is an ordinary Burn module, trained like any other:
//!
//! ```
//! # #[cfg(feature = "flex")] {
//! use burn::module::Module;
//! use burn::optim::{AdamConfig, GradientsParams};
//! use burn::tensor::{Device, Distribution, Int, Tensor};
//! use burn_nca::Nca;
//! use burn_nca::encoder::LinearMapConfig;
//! use burn_nca::objective::NcaLossConfig;
//!
//! let device = Device::flex().autodiff();
//! let x = Tensor::<2>::random([32, 64], Distribution::Default, &device); // one row per point
//! let labels = Tensor::<1, Int>::arange(0..32, &device).remainder_scalar(4); // one class per row
//!
//! let map = LinearMapConfig::new(64, 2).init(&device); // A: 64 features to 2 dimensions
//! let mut nca = Nca::new(map, NcaLossConfig::new().init());
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
//! A network instead of A is `MlpConfig::new(64, vec![64], 2)`. [`fit::minimize`] trains by the exact gradient over all rows.
//!
//! In a training loop of Burn, take a loss of [`objective`] alone, or, with the feature `train`, hand a
//! [`MetricModel`] to Burn's `Learner` (module `train`).

pub mod data;
pub mod device;
mod display;
pub mod encoder;
mod error;
pub mod fit;
mod model;
pub mod nca;
pub mod objective;
mod product;
mod sums;
#[cfg(feature = "train")]
pub mod train;

pub use error::{Error, Result};
pub use model::{MetricModel, Nca};
pub use sums::{FOURIER_TOLERANCE, Sums};

/// What the crates above need and users do not.
#[doc(hidden)]
pub mod internal {
    pub use crate::encoder::cast::times;
    pub use crate::encoder::layers::{affine, hidden, normalized, of_linear};
    pub use crate::encoder::mlp::{check_dropout, linear, normalization};
    pub use crate::encoder::record::load_record;
    pub use crate::encoder::unit::unit_rows;
    pub use crate::error::{panic_message, shortened};
    pub use crate::fit::checkpoint::{Checkpoint, FitKey};
    pub use crate::fit::monitor::{Monitor, Record, Watchers};
    pub use crate::fit::solution::is_zero;
    pub use crate::fit::solve::minimize_prepared;
    pub use crate::objective::batch::{assert_rows, at_least_f32};
    pub use crate::objective::candidates::within_batch;
    pub use crate::objective::contrast::{Contrast, Contrasted};
    pub use crate::objective::integers::{equal_pairs, in_one_type, on_host};
    pub use crate::objective::mlkr::kernel_means;
    pub use crate::objective::reduction::{over, reduce_sum};
    pub use crate::objective::similarity::show_affinity;
    pub use crate::objective::similarity::{square_root, squared_distances_by_product};
    pub use crate::objective::term_weights::TermWeights;
    pub use crate::product::product;
    pub use crate::sums::blocks::cut;
}
