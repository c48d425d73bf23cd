//! How sums over pairs are added up: in one fused operation, or as they are defined.

mod blocks;

use burn::config::Config;
use burn::tensor::{DType, Device, Tensor};
#[cfg(feature = "fused")]
use burn_nca_fused::NeighborSets;
use burn_nca_fused::{Distance, PairSum};

use crate::device::backend;
use crate::error::{Error, Result};
pub(crate) use blocks::{in_blocks, is_one_block, rows_in_blocks};

/// What f and g are made of: `log Σ_j exp(-||z_i - z_j||²)`.
pub(crate) const LOG_SUM: PairSum = PairSum::LogSumExp(Distance::SqEuclidean);

/// The tolerance of a Fourier series: the error of a sum, in units of its largest possible term, where the points are not all near
/// to each other.
pub const FOURIER_TOLERANCE: f64 = 1e-8;

/// Points from which a Fourier series may be chosen.
#[cfg(feature = "fused")]
const FOURIER_FROM: usize = 2000;

/// How sums over pairs of points are added up.
///
/// All ways agree in value and gradient; only plain sums write matrices of pairs. The Fourier series takes linear time; it is for
/// the criteria f and g in one and two dimensions, on flex.
///
/// ```text
///          value                                       gradient                                         memory
/// plain    crate::nca, in ordinary tensor operations   Burn's automatic differentiation, block by block   a few [b, n]
/// fused    one operation (crate burn-nca-fused)        its registered derivative, as of a matrix product  two numbers a row
/// fourier  a Fourier series (crate burn-nca-fourier)   its registered derivative, by the same series      two numbers a row
/// ```
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Sums {
    /// Fused where the device, the number type and this build have the operation, else plain; by a Fourier series where that is
    /// predicted to be faster.
    Auto,
    /// As they are defined: on every device, in every type.
    Plain,
    /// Fused, or not at all.
    Fused,
    /// By a Fourier series where the objective has one in one or two dimensions, to [`FOURIER_TOLERANCE`]; else as `Auto`.
    Fourier,
}

impl Sums {
    /// Refuses what a fit in this type on this device has no operation for.
    ///
    /// # Errors
    /// Fused sums or a Fourier series where there are none.
    #[doc(hidden)]
    pub fn check(self, device: &Device, dtype: DType) -> Result<()> {
        let one = || Tensor::<2>::zeros([1, 1], (device, dtype));
        let sum = match self {
            Self::Auto | Self::Plain => return Ok(()),
            Self::Fused => LOG_SUM,
            Self::Fourier => PairSum::Fourier(FOURIER_TOLERANCE),
        };
        if is_operation(sum, &[&one()]) {
            return Ok(());
        }
        Err(Error::setting(format!(
            "sums over pairs have no {} operation on {} in {dtype:?}, in this build; give plain sums, or leave it \
             to the program (auto)",
            if self == Self::Fused { "fused" } else { "Fourier" },
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
            fused || self != Self::Fused,
            "{sum:?} has no fused operation on {:?} in {:?}, in this build; choose Sums::Auto or Sums::Plain",
            tensors[0].device(),
            tensors[0].dtype()
        );
        fused
    }
}

#[cfg(feature = "fused")]
impl Sums {
    /// Whether sums over these sets of the points themselves are by a Fourier series.
    pub(crate) fn are_fourier(
        self,
        queries: &Tensor<2>,
        z: &Tensor<2>,
        columns: impl FnOnce() -> [NeighborSets; 2],
    ) -> bool {
        let takes = || is_operation(PairSum::Fourier(FOURIER_TOLERANCE), &[z]);
        match self {
            Self::Plain | Self::Fused => false,
            Self::Fourier => takes(),
            Self::Auto => {
                queries.dims()[0].min(z.dims()[0]) >= FOURIER_FROM
                    && takes()
                    && is_faster(queries, z, &columns())
            }
        }
    }
}

/// Whether a Fourier series is predicted to be faster than fused sums.
#[cfg(all(feature = "fused", feature = "flex"))]
fn is_faster(queries: &Tensor<2>, z: &Tensor<2>, columns: &[NeighborSets]) -> bool {
    // Measured (benches/pairs/fourier.rs): of the exact sums of single rows, a fused pass over all pairs takes this part.
    let fused = if z.dtype() == DType::F64 { 0.15 } else { 0.07 };
    let cost = burn_nca_fused::fourier_cost((queries, z), columns, FOURIER_TOLERANCE);
    cost.is_some_and(|cost| 1.5 * cost.series < fused * cost.pairs)
}

#[cfg(all(feature = "fused", not(feature = "flex")))]
fn is_faster(_queries: &Tensor<2>, _z: &Tensor<2>, _columns: &[NeighborSets]) -> bool {
    false
}

#[cfg(feature = "fused")]
fn is_operation(sum: PairSum, tensors: &[&Tensor<2>]) -> bool {
    burn_nca_fused::takes(sum, tensors)
}

#[cfg(not(feature = "fused"))]
fn is_operation(_sum: PairSum, _tensors: &[&Tensor<2>]) -> bool {
    false
}
