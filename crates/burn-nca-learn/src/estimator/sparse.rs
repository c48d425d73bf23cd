//! Linear models of sparse rows: fitted on a reduction of them, embedded without writing their zeros out.

use super::Fitted;
use crate::baseline::Projection;
use crate::data::{Features, Scaling, ScalingKind, SparseFeatures, column_numbers};
use crate::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap};
use crate::error::{Error, Result};
use crate::objective::transfer::float_tensor;

impl Fitted<AnyEncoder> {
    /// The model on the features that `reduction` was applied to, of these names: one linear map, without scaling.
    ///
    /// ```text
    /// v = V x (the reduction),   z = A ((v - m) / s)   ⇒   z' = A S⁻¹ V x = z + A S⁻¹ m
    /// ```
    /// All embedded rows move alike, the training rows too, so that no distance changes.
    ///
    /// # Errors
    /// A network, or a reduction to another number of features than the model's.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::Device;
    /// use burn_nca_learn::NcaConfig;
    /// use burn_nca_learn::baseline::TruncatedSvdConfig;
    /// use burn_nca_learn::data::{Labeled, SparseFeatures};
    ///
    /// let entries = (0..12).map(|i| (i, i % 2 + 2 * (i / 6), 1.0 + i as f64)).collect();
    /// let counts = SparseFeatures::new([12, 5], entries)?;
    /// let svd = TruncatedSvdConfig::new(3).fit(&counts)?;
    /// let rows = Labeled::from_labels(svd.apply(&counts)?, (0..12).map(|i| i % 2).collect())?;
    /// let fitted = NcaConfig::new(3, 2).fit(&rows, &Device::flex())?;
    /// let names = (0..5).map(|word| format!("word {word}")).collect();
    /// let fitted = fitted.through(&svd.projection, names)?;
    /// assert_eq!(fitted.card().d_input, 5);
    /// assert_eq!(fitted.transform_sparse(&counts)?.columns(), 2);
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn through(&self, reduction: &Projection, names: Vec<String>) -> Result<Self> {
        let ([d, reduced], k) = (reduction.shape(), self.card.d_output);
        if reduced != self.card.d_input || names.len() != d {
            return Err(Error::setting(format!(
                "the reduction is from {d} features ({} names) to {reduced}, and the model takes {}; give the reduction \
                 that its features were made by",
                names.len(),
                self.card.d_input
            )));
        }
        let (weight, bias) = self.scaled_weight().ok_or_else(linear_maps_only)?;
        let weight = crate::baseline::product(&reduction.weight(), &weight, reduced);
        let (device, dtype) = (self.references.device(), self.references.dtype());
        let map = LinearMap::from_weight(&weight, [d, k], &device, dtype);
        let references = self.references.clone() - float_tensor(bias, [1, k], &device, dtype);
        Ok(Self { references, ..self.by_map(AnyEncoder::Linear(map), names) })
    }

    /// The same model of unscaled features of these names, by another map.
    fn by_map(&self, encoder: AnyEncoder, names: Vec<String>) -> Self {
        let mut card = self.card.clone();
        (card.d_input, card.encoder) = (names.len(), EncoderConfig::of(&encoder));
        card.fit.scaling = ScalingKind::None;
        let scaling = Scaling::unscaled(names);
        Self { encoder, card, scaling, preparation: None, ..self.clone() }
    }

    /// The embedding of sparse rows, `[n, d]` to `[n, k]`, without writing their zeros out.
    ///
    /// # Errors
    /// A network, or rows of another number of columns.
    pub fn transform_sparse(&self, features: &SparseFeatures) -> Result<Features> {
        let (d, k) = (self.card.d_input, self.card.d_output);
        if features.columns() != d {
            return Err(Error::data(format!(
                "the data have {} feature columns, the model was fitted on {d}; give the same columns",
                features.columns()
            )));
        }
        let (weight, bias) = self.scaled_weight().ok_or_else(linear_maps_only)?;
        let mut values = features.product(&weight, k);
        for row in values.chunks_exact_mut(k) {
            row.iter_mut().zip(&bias).for_each(|(value, bias)| *value += bias);
        }
        Features::unnamed(values, k)
    }

    /// The model whose features are embedded rows: its map is the identity, its training rows and its rule are the same.
    pub fn of_embedded(&self) -> Self {
        let (k, device, dtype) =
            (self.card.d_output, self.references.device(), self.references.dtype());
        let map = DiagonalMap::from_scale(&vec![1.0; k], &device, dtype);
        self.by_map(AnyEncoder::Diagonal(map), column_numbers(k))
    }

    /// The transpose of A with the scaling folded in, `[d, k]`, and what it adds to every row, `[k]`; `None` for a network.
    ///
    /// ```text
    /// z = A ((x - offset) / scale) = (A / scale) x - (A / scale) offset
    /// ```
    pub(super) fn scaled_weight(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let (d, k) = (self.card.d_input, self.card.d_output);
        let matrix = self.matrix()?;
        let (offset, scale) = (self.scaling.offset(), self.scaling.scale());
        let (mut weight, mut bias) = (vec![0.0; d * k], vec![0.0; k]);
        for axis in 0..k {
            for column in 0..d {
                let entry = matrix[axis * d + column] / scale[column];
                weight[column * k + axis] = entry;
                bias[axis] -= entry * offset[column];
            }
        }
        Some((weight, bias))
    }
}

fn linear_maps_only() -> Error {
    Error::setting(
        "sparse rows go through a linear map, and this model is a network; fit one of a linear or diagonal map",
    )
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::baseline::TruncatedSvdConfig;
    use crate::data::{Labeled, host_values};
    use crate::fit::FitConfig;
    use crate::{Fitted, NcaConfig};

    fn counts() -> SparseFeatures {
        let entries = (0..40).flat_map(|row| {
            let words = [row % 3, 3 + (row * row) % 5, 8 + row % 4];
            words.map(|word| (row, word, 1.0 + ((row * 7 + word) % 4) as f64))
        });
        SparseFeatures::new([40, 12], entries.collect()).unwrap()
    }

    fn fitted(scaling: ScalingKind) -> (Fitted, Fitted, SparseFeatures) {
        let counts = counts();
        let svd = TruncatedSvdConfig::new(6).with_center(true).fit(&counts).unwrap();
        let labels = (0..40).map(|row| row % 3).collect();
        let rows = Labeled::from_labels(svd.apply(&counts).unwrap(), labels).unwrap();
        let config = NcaConfig::new(6, 2).with_fit(FitConfig::new().with_scaling(scaling));
        let reduced = config.fit(&rows, &Device::flex()).unwrap();
        let names = (0..12).map(|word| format!("word {word}")).collect();
        let whole = reduced.through(&svd.projection, names).unwrap();
        (reduced, whole, counts)
    }

    #[test]
    fn the_model_of_all_columns_has_the_distances_of_the_reduced_one() {
        for scaling in [ScalingKind::Standardize, ScalingKind::Common, ScalingKind::None] {
            let (reduced, whole, counts) = fitted(scaling);
            let dense = counts.to_dense().unwrap();
            let dense = Features::new(dense.values().to_vec(), whole.scaling().names().to_vec());
            let sparse = whole.transform_sparse(&counts).unwrap();
            let through = host_values(whole.transform(&dense.unwrap()).unwrap());
            let references = host_values(whole.references().clone());
            let before = host_values(reduced.references().clone());
            for at in 0..80 {
                assert!((sparse.values()[at] - references[at]).abs() < 1e-3);
                assert!((through[at] - references[at]).abs() < 1e-3);
                let moved = (references[at] - references[at % 2]) - (before[at] - before[at % 2]);
                assert!(moved.abs() < 1e-3, "{moved}");
            }
            // The model of embedded rows decides as the whole one.
            let embedded = whole.of_embedded();
            let predicted = embedded.predict(&sparse, 3).unwrap();
            let labels: Vec<usize> = (0..40).map(|row| row % 3).collect();
            let right = predicted.iter().zip(&labels).filter(|(a, b)| a == b).count();
            assert!(right > 36, "{right} of 40");
        }
    }

    #[test]
    fn other_sizes_are_refused() {
        let (reduced, whole, counts) = fitted(ScalingKind::None);
        let other = Projection::euclidean(5);
        assert!(reduced.through(&other, vec![String::new(); 5]).is_err());
        let narrow = SparseFeatures::new([1, 3], vec![(0, 0, 1.0)]).unwrap();
        let error = whole.transform_sparse(&narrow).unwrap_err().to_string();
        assert!(error.contains("3 feature columns") && counts.columns() == 12, "{error}");
    }
}
