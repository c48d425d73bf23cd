//! A linear map on the host.

use std::borrow::Cow;

use burn::tensor::{DType, Device};

use super::product::{ROW_BLOCK, product};
use crate::data::Features;
use crate::encoder::LinearMap;
use crate::error::{Error, Result};

/// Values of a block of rows that is mapped at a time, where the features are not stored in f64: 16 MiB.
const BLOCK_VALUES: usize = 1 << 21;

/// A linear map on the host, in f64: what a closed form yields before it goes to a device.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::Projection;
/// use burn_nca_learn::data::Features;
///
/// let first_plus_second = Projection::new(vec![1.0, 1.0], [2, 1]);
/// let z = first_plus_second.apply(&Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2)?)?;
/// assert_eq!(z.values(), [3.0, 7.0]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    weight: Weight,
    d_input: usize,
    d_output: usize,
}

/// The identity of a wide table is never written out: d x d ones and zeros.
#[derive(Clone, Debug, PartialEq)]
enum Weight {
    Identity,
    Dense(Vec<f64>),
}

impl Projection {
    /// A map with the given transpose of A, row-major `[d, k]`.
    ///
    /// # Panics
    /// If d or k is zero, or the number of values is not d * k.
    pub fn new(weight: Vec<f64>, [d_input, d_output]: [usize; 2]) -> Self {
        assert!(
            d_input * d_output > 0 && weight.len() == d_input * d_output,
            "{} values do not fill a [{d_input}, {d_output}] weight",
            weight.len()
        );
        Self { weight: Weight::Dense(weight), d_input, d_output }
    }

    /// A map with the given A, row-major `[k, d]`, as [`matrix`](Self::matrix) gives it.
    ///
    /// # Panics
    /// If d or k is zero, or the number of values is not k * d.
    pub fn from_matrix(matrix: &[f64], [d_output, d_input]: [usize; 2]) -> Self {
        assert!(d_input > 0, "a matrix without columns is no map");
        Self::new(transposed(matrix, d_input), [d_input, d_output])
    }

    /// The identity: distances as the features have them. It takes no memory, whatever d.
    ///
    /// # Panics
    /// If d is zero.
    pub fn euclidean(d: usize) -> Self {
        assert!(d > 0, "a map of no features is no map");
        Self { weight: Weight::Identity, d_input: d, d_output: d }
    }

    /// The map that passes the first min(d, k) features unchanged; embedding dimensions past d are zero.
    pub(crate) fn rectangular_identity(d: usize, k: usize) -> Self {
        Self::new(identity(d, k), [d, k])
    }

    /// Number of input features d and embedding dimensions k.
    pub fn shape(&self) -> [usize; 2] {
        [self.d_input, self.d_output]
    }

    /// The transpose of A, row-major `[d, k]`; that of [`euclidean`](Self::euclidean) is written out here.
    pub fn weight(&self) -> Cow<'_, [f64]> {
        match &self.weight {
            Weight::Identity => Cow::Owned(identity(self.d_input, self.d_output)),
            Weight::Dense(weight) => Cow::Borrowed(weight),
        }
    }

    /// The transpose of A, row-major `[d, k]`, without a copy.
    pub fn into_weight(self) -> Vec<f64> {
        match self.weight {
            Weight::Identity => identity(self.d_input, self.d_output),
            Weight::Dense(weight) => weight,
        }
    }

    /// A as the paper writes it, row-major `[k, d]`.
    pub fn matrix(&self) -> Vec<f64> {
        transposed(&self.weight(), self.d_output)
    }

    /// The embedding `z_i = A x_i` of every row, `[n, k]`, with columns named `x1`, `x2`, …
    ///
    /// # Errors
    /// Features with another number of columns than d.
    pub fn apply(&self, features: &Features) -> Result<Features> {
        if features.columns() != self.d_input {
            return Err(Error::data(format!(
                "the data have {} feature columns, the map was made for {}; give the same columns",
                features.columns(),
                self.d_input
            )));
        }
        match &self.weight {
            Weight::Identity => Ok(features.without_names()),
            Weight::Dense(weight) => {
                let mut embedded = Vec::with_capacity(features.rows() * self.d_output);
                // Whole blocks of the product, which then adds up the same.
                let rows = (BLOCK_VALUES / self.d_input).next_multiple_of(ROW_BLOCK);
                let rows = if features.is_narrow() { rows } else { features.rows().max(1) };
                features.each_block(rows, |rows| {
                    embedded.extend(product(rows, weight, self.d_input));
                });
                Features::unnamed(embedded, self.d_output)
            }
        }
    }

    /// The composed map: this one, and then `next`.
    ///
    /// # Panics
    /// If `next` does not take as many features as this map gives.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        assert_eq!(self.d_output, next.d_input, "maps of these sizes cannot be composed");
        match (&self.weight, &next.weight) {
            (Weight::Identity, _) => next.clone(),
            (_, Weight::Identity) => self.clone(),
            (Weight::Dense(weight), Weight::Dense(next_weight)) => {
                let weight = product(weight, next_weight, self.d_output);
                Self::new(weight, [self.d_input, next.d_output])
            }
        }
    }

    /// The map as an encoder of type `dtype` on `device`.
    pub fn to_linear_map(&self, device: &Device, dtype: DType) -> LinearMap {
        LinearMap::from_weight(&self.weight(), self.shape(), device, dtype)
    }
}

/// The rectangular identity, row-major `[d, k]`.
fn identity(d: usize, k: usize) -> Vec<f64> {
    let mut weight = vec![0.0; d * k];
    for i in 0..d.min(k) {
        weight[i * k + i] = 1.0;
    }
    weight
}

/// The transpose of a row-major matrix with `columns` columns.
pub(crate) fn transposed(matrix: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).flat_map(|j| matrix.iter().skip(j).step_by(columns)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TensorFeatures;
    use crate::encoder::Encoder;

    #[test]
    fn the_encoder_embeds_as_the_projection_does() {
        let projection = Projection::new(vec![1.0, -2.0, 0.5, 3.0, 4.0, 0.25], [3, 2]);
        let features = Features::unnamed(vec![1.0, 2.0, 3.0, -1.0, 0.5, 2.0], 3).unwrap();
        let device = Device::flex();
        let encoder = projection.to_linear_map(&device, DType::F64);
        assert_eq!(encoder.matrix(), projection.matrix());
        assert_eq!(Projection::from_matrix(&projection.matrix(), [2, 3]), projection);
        let embedded = encoder.forward(features.to_tensor(&device, DType::F64));
        let embedded = Features::from_tensor(embedded).unwrap();
        assert_eq!(projection.apply(&features).unwrap(), embedded);
        let next = Projection::new(vec![2.0, -1.0], [2, 1]);
        let composed = projection.then(&next).apply(&features).unwrap();
        assert_eq!(composed, next.apply(&embedded).unwrap());
    }

    #[test]
    fn euclidean_distance_in_many_dimensions_needs_no_matrix() {
        // A d x d matrix would be 80 GB.
        let features = Features::unnamed(vec![0.5; 100_000], 100_000).unwrap();
        let euclidean = Projection::euclidean(100_000);
        assert_eq!(euclidean.apply(&features).unwrap().values(), features.values());
    }

    #[test]
    fn the_euclidean_map_changes_nothing() {
        let features = Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap();
        let euclidean = Projection::euclidean(2);
        assert_eq!(euclidean.apply(&features).unwrap(), features);
        assert_eq!(*euclidean.weight(), [1.0, 0.0, 0.0, 1.0]);
        let map = Projection::new(vec![1.0, -2.0], [2, 1]);
        assert_eq!((euclidean.then(&map), map.then(&Projection::euclidean(1))), (map.clone(), map));
    }
}
