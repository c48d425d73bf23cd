//! The rows that a fit learns from: a tensor of all, or a table whose rows become a tensor batch by batch.

use burn::tensor::{DType, Device, Tensor};

use crate::data::{Features, TensorFeatures};
use crate::objective::transfer::int_tensor;

/// The (scaled) features of a fit, `[n, d]`.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{DType, Device};
/// use burn_nca::data::{Features, TensorFeatures};
/// use burn_nca::fit::Inputs;
///
/// let (table, device) = (Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2)?, Device::flex());
/// let x = table.to_tensor(&device, DType::F32);
/// let by_rows = Inputs::Table { features: &table, device: &device, dtype: DType::F32 };
/// assert_eq!(Inputs::from(&x).dims(), by_rows.dims());
/// assert_eq!(by_rows.rows(&[1]).into_data(), x.slice([1..2]).into_data());
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'a> {
    /// All rows on the device.
    Tensor(&'a Tensor<2>),
    /// Rows on the host, for a fit by mini-batches: without a tensor of a large table.
    Table {
        /// The rows.
        features: &'a Features,
        /// Where a batch is brought to, without autodiff.
        device: &'a Device,
        /// The number type of a batch.
        dtype: DType,
    },
}

impl<'a> From<&'a Tensor<2>> for Inputs<'a> {
    fn from(x: &'a Tensor<2>) -> Self {
        Self::Tensor(x)
    }
}

impl Inputs<'_> {
    /// Number of rows n and of features d.
    pub fn dims(&self) -> [usize; 2] {
        match self {
            Self::Tensor(x) => x.dims(),
            Self::Table { features, .. } => [features.rows(), features.columns()],
        }
    }

    /// The number type.
    pub fn dtype(&self) -> DType {
        match self {
            Self::Tensor(x) => x.dtype(),
            Self::Table { dtype, .. } => *dtype,
        }
    }

    /// The device, without autodiff where the rows are a table.
    pub fn device(&self) -> Device {
        match self {
            Self::Tensor(x) => x.device(),
            Self::Table { device, .. } => (*device).clone(),
        }
    }

    /// All rows; a table becomes a tensor, each time.
    pub fn all(&self) -> Tensor<2> {
        match self {
            Self::Tensor(x) => Tensor::clone(x),
            Self::Table { features, device, dtype } => features.to_tensor(device, *dtype),
        }
    }

    /// Some rows, in that order, without autodiff.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn rows(&self, rows: &[usize]) -> Tensor<2> {
        match self {
            Self::Tensor(x) => {
                let index = int_tensor(rows, &x.device().inner());
                Tensor::clone(x).without_autodiff().select(0, index)
            }
            Self::Table { features, device, dtype } => {
                features.rows_to_tensor(rows, device, *dtype)
            }
        }
    }
}
