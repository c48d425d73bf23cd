//! How sums over pairs are added up: in one fused operation, or as they are defined.

pub(crate) mod blocks;

use core::ops::RangeInclusive;

use burn::config::Config;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_fused::{Distance, NeighborSets, PairSum};

use crate::device::backend;
use crate::error::{Error, Message, Result, Setting};
pub(crate) use blocks::{cut, in_blocks, is_one_block, rows_in_blocks};

/// What f and g are made of: `log Σ_j exp(-||z_i - z_j||²)`.
pub(crate) const LOG_SUM: PairSum = PairSum::LogSumExp(Distance::SqEuclidean);

/// The usual tolerance of a Fourier series.
pub const FOURIER_TOLERANCE: f64 = 1e-8;

/// The tolerances that a Fourier series can have in f64.
const TOLERANCES: RangeInclusive<f64> = 1e-13..=1e-4;

/// Points from which a Fourier series may be chosen.
const FOURIER_FROM: usize = 2000;

/// How sums over pairs of points are added up.
///
/// All ways agree in value and gradient; only plain sums write matrices of pairs. The Fourier series takes linear time; it is for
/// the criteria f and g over classes (or soft matches of labels) and the means of MLKR, over all points in one and two
/// dimensions, on flex.
///
/// ```text
///          value                                       gradient                                         memory
/// plain    crate::nca, in ordinary tensor operations   Burn's automatic differentiation, block by block   a few [b, n]
/// fused    one operation (crate burn-nca-fused)        its registered derivative, as of a matrix product  two numbers a row
/// fourier  a Fourier series (crate burn-nca-fourier)   its registered derivative, by the same series      two numbers a row
/// ```
#[derive(Config, Debug, Copy, PartialEq)]
pub enum Sums {
    /// Fused where the device, the number type and this build have the operation, else plain; by a Fourier series where that is
    /// predicted to be faster.
    Auto,
    /// As they are defined: on every device, in every type.
    Plain,
    /// Fused, or not at all.
    Fused,
    /// By a Fourier series to this tolerance (from 1e-13 to 1e-4, [`FOURIER_TOLERANCE`] as a rule), or not at all: each term of a
    /// sum over n points is off by the tolerance / √n at most, of at most 1; sums that are so small that this counts are exact.
    ///
    /// Batch losses of NCA and MLKR, whose sums are short, are as with `Auto`.
    Fourier(f64),
}

impl Sums {
    /// Refuses what a fit to k dimensions in this type on this device has no operation for.
    ///
    /// # Errors
    /// Fused sums or a Fourier series where there are none, a tolerance out of range, plain sums on CUDA.
    #[doc(hidden)]
    pub fn check(self, device: &Device, dtype: DType, k: usize) -> Result<()> {
        let one = || Tensor::<2>::zeros([1, 1], (device, dtype));
        let is_plain = || match self {
            Self::Plain => true,
            Self::Auto => !is_operation(LOG_SUM, &[&one()]),
            Self::Fused | Self::Fourier(_) => false,
        };
        if backend(device) == "cuda" && is_plain() {
            return Err(Error::setting(format!(
                "plain sums over pairs, as in {dtype:?}, have had wrong gradients on CUDA (docs/burn-notes.md); fit there in f32 \
                 with fused sums (auto), or on wgpu or the CPU"
            )));
        }
        let sum = match self {
            Self::Auto | Self::Plain => return Ok(()),
            Self::Fused => LOG_SUM,
            Self::Fourier(tolerance) if !TOLERANCES.contains(&tolerance) => {
                return Err(Error::setting(format!(
                    "the tolerance of the Fourier series is {tolerance:e}; give a number from {:e} to {:e}, such as \
                     {FOURIER_TOLERANCE:e}",
                    TOLERANCES.start(),
                    TOLERANCES.end()
                )));
            }
            Self::Fourier(tolerance) => PairSum::Fourier(tolerance),
        };
        let by_series = self != Self::Fused;
        if !is_operation(sum, &[&one()]) {
            return Err(Error::setting(format!(
                "sums over pairs have no {} on {} in {dtype:?}, in this build; {}, or leave it to the program (auto)",
                if by_series { "Fourier series" } else { "fused operation" },
                backend(device),
                if by_series { "compute on the CPU (flex)" } else { "give plain sums" }
            )));
        }
        if by_series && !matches!(k, 1 | 2) {
            let text = format!(
                "sums over pairs have a Fourier series in 1 and 2 dimensions, and {k} are asked for"
            );
            let message = Message::from(text).with_hint(Setting::Dimensions(2));
            return Err(Error::setting(message.with_hint(Setting::AutoSums)));
        }
        Ok(())
    }

    /// The same for the loss of a batch, which has no Fourier series.
    pub(crate) fn of_batch(self) -> Self {
        if matches!(self, Self::Fourier(_)) { Self::Auto } else { self }
    }

    /// Whether sums of this kind over the pairs of such tensors are fused.
    ///
    /// # Panics
    /// If they are to be, and cannot.
    pub(crate) fn are_fused(self, sum: PairSum, tensors: &[&Tensor<2>]) -> bool {
        if self == Self::Plain {
            return false;
        }
        assert!(
            !matches!(self, Self::Fourier(_)),
            "{sum:?} has no Fourier series here: the criteria f and g and the means of MLKR over all points have one; choose \
             Sums::Auto"
        );
        let fused = is_operation(sum, tensors);
        assert!(
            fused || self != Self::Fused,
            "{sum:?} has no fused operation on {:?} in {:?}, in this build; choose Sums::Auto or Sums::Plain",
            tensors[0].device(),
            tensors[0].dtype()
        );
        fused
    }

    /// Whether such sums over all points are operations: fused, or a Fourier series.
    ///
    /// # Panics
    /// If they are to be, and cannot.
    pub(crate) fn are_operations(self, sum: PairSum, z: &Tensor<2>) -> bool {
        let Self::Fourier(tolerance) = self else { return self.are_fused(sum, &[z]) };
        assert!(
            is_operation(PairSum::Fourier(tolerance), &[z]),
            "there is no Fourier series in {} dimensions on {:?} in {:?}, in this build; embed in 1 or 2 dimensions on \
             flex, or choose Sums::Auto",
            z.dims()[1],
            z.device(),
            z.dtype()
        );
        true
    }

    /// How sums that [are operations](Self::are_operations) are computed, and how many points have one that a Fourier series
    /// leaves to an exact sum; as [`fourier`](Self::fourier).
    pub(crate) fn operation<const N: usize>(
        self,
        (queries, z): (&Tensor<2>, &Tensor<2>),
        sets: impl Fn() -> [NeighborSets; N],
        values: usize,
    ) -> (Self, usize) {
        match self.fourier((queries, z), &sets, values) {
            Some(tolerance) => {
                #[cfg(feature = "fourier")]
                let exact = {
                    use burn_nca_fused::fourier_exact_rows as exact_rows;
                    exact_rows((queries, z), &sets(), values > 0, tolerance).unwrap_or(0)
                };
                #[cfg(not(feature = "fourier"))]
                let exact = 0;
                (Self::Fourier(tolerance), exact)
            }
            None => (Self::Fused, 0),
        }
    }

    /// The tolerance of sums over these sets of the points themselves, or of means of columns of values, if they are by a
    /// Fourier series.
    pub(crate) fn fourier<const N: usize>(
        self,
        (queries, z): (&Tensor<2>, &Tensor<2>),
        sets: impl Fn() -> [NeighborSets; N],
        values: usize,
    ) -> Option<f64> {
        if let Self::Fourier(tolerance) = self {
            return Some(tolerance);
        }
        let is_chosen = queries.dims()[0].min(z.dims()[0]) >= FOURIER_FROM
            && self == Self::Auto
            && is_operation(PairSum::Fourier(FOURIER_TOLERANCE), &[z])
            && is_faster(queries, z, &sets(), values);
        is_chosen.then_some(FOURIER_TOLERANCE)
    }
}

/// Whether a Fourier series is predicted to be faster than fused sums.
#[cfg(feature = "fourier")]
fn is_faster(queries: &Tensor<2>, z: &Tensor<2>, columns: &[NeighborSets], values: usize) -> bool {
    // Measured (benches/pairs/fourier.rs): of the exact sums of single rows, a fused pass over all pairs takes this part.
    let fused = if z.dtype() == DType::F64 { 0.15 } else { 0.07 };
    let cost = burn_nca_fused::fourier_cost((queries, z), columns, values, FOURIER_TOLERANCE);
    cost.is_some_and(|cost| 1.5 * cost.series < fused * cost.pairs)
}

#[cfg(not(feature = "fourier"))]
fn is_faster(_: &Tensor<2>, _: &Tensor<2>, _: &[NeighborSets], _: usize) -> bool {
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
