//! Deep metric learning on [`burn_nca`]: losses and networks for training loops, each a Burn module.
//!
//! [`objective`] has contrastive losses, proxies, a cross-batch memory and the loss of modern NCA; [`encoder`] the network
//! of modern NCA. NCA itself and what these build on are in [`burn_nca`]; `burn-nca-learn` gives all of it out again.

pub mod encoder;
pub mod objective;

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
