//! Sums over pairs, fused and as they are defined: the operation against its formula, and every objective both ways; batch
//! normalization, which is an operation too, against the layer.
//!
//! The files are part of the suite of the other backends too, which gives them more devices.

mod batch_norm;
mod operation;
mod ways;

use burn::tensor::Device;
use burn_nca_learn::device;

/// The device, unless it is a GPU that is not there.
fn open(name: &str) -> Option<Device> {
    Some(device::open(name).unwrap_or_else(|error| panic!("{name}: {error}")))
}
