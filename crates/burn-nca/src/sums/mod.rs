//! How sums over pairs are added up: in one fused operation, or as they are defined.

mod blocks;

use burn::config::Config;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_fused::{Distance, PairSum};

use crate::device::backend;
use crate::error::{Error, Result};
pub(crate) use blocks::{in_blocks, is_one_block, rows_in_blocks};

/// What f and g are made of: `log Σ_j exp(-||z_i - z_j||²)`.
pub(crate) const LOG_SUM: PairSum = PairSum::LogSumExp(Distance::SqEuclidean);

/// How sums over pairs of points are added up.
///
/// Both ways agree in value and gradient; fused, no matrix of pairs is ever written.
///
/// ```text
///          value                                       gradient                                         memory
/// plain    crate::nca, in ordinary tensor operations   Burn's automatic differentiation, block by block   a few [b, n]
/// fused    one operation (crate burn-nca-fused)        its registered derivative, as of a matrix product  two numbers a row
/// ```
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Sums {
    /// Fused where the device, the number type and this build have the operation, else plain.
    Auto,
    /// As they are defined: on every device, in every type.
    Plain,
    /// Fused, or not at all.
    Fused,
}

impl Sums {
    /// Refuses what a fit in this type on this device has no operation for.
    ///
    /// # Errors
    /// Fused sums where there are none.
    #[doc(hidden)]
    pub fn check(self, device: &Device, dtype: DType) -> Result<()> {
        let one = || Tensor::<2>::zeros([1, 1], (device, dtype));
        if self != Self::Fused || is_operation(LOG_SUM, &[&one()]) {
            return Ok(());
        }
        Err(Error::setting(format!(
            "sums over pairs have no fused operation on {} in {dtype:?}, in this build; give plain sums, or leave it \
             to the program (auto)",
            backend(device)
        )))
    }

    /// Whether sums of this kind over the pairs of such tensors are fused.
    ///
    /// # Panics
    /// If they are to be, and cannot.
    pub(crate) fn are_fused(self, sum: PairSum, tensors: &[&Tensor<2>]) -> bool {
        if self == Self::Plain {
            return false;
        }
        let fused = is_operation(sum, tensors);
        assert!(
            fused || self == Self::Auto,
            "{sum:?} has no fused operation on {:?} in {:?}, in this build; choose Sums::Auto or Sums::Plain",
            tensors[0].device(),
            tensors[0].dtype()
        );
        fused
    }
}

#[cfg(feature = "fused")]
fn is_operation(sum: PairSum, tensors: &[&Tensor<2>]) -> bool {
    burn_nca_fused::takes(sum, tensors)
}

#[cfg(not(feature = "fused"))]
fn is_operation(_sum: PairSum, _tensors: &[&Tensor<2>]) -> bool {
    false
}
