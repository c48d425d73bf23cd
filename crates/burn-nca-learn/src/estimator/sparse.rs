//! Models of sparse rows: fitted on a reduction of them, which becomes part of the model's first layer; and a fitted map as a
//! plain linear layer for other programs.

use std::path::Path;

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::DType;

use super::Fitted;
use crate::baseline::{Projection, product};
use crate::data::{Features, Scaling, ScalingKind, SparseFeatures, column_numbers, host_values};
use crate::encoder::{
    AnyEncoder, DiagonalMap, EncoderConfig, LinearMap, MOST_PARAMETERS, write_safetensors,
};
use crate::error::{Error, Result};
use crate::objective::transfer::float_tensor;

/// Entries of the rows that a network embeds together, with their zeros.
const BLOCK: usize = 1 << 22;

impl Fitted<AnyEncoder> {
    /// The model on the features that `reduction` was applied to, of these names, without scaling: reduction and scaling are
    /// part of the map, or of the first layer of a network.
    ///
    /// ```text
    /// v = V x (the reduction),   z = A ((v - m) / s)   ⇒   z' = A S⁻¹ V x = z + A S⁻¹ m
    ///                            W ((v - m) / s) + b = (W S⁻¹ V) x + (b - W S⁻¹ m)
    /// ```
    /// By a linear map all embedded rows move alike, the training rows too, so that no distance changes.
    ///
    /// # Errors
    /// A reduction to another number of features than the model's.
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
        let encoder = match self.encoder.clone() {
            AnyEncoder::Mlp(mut network) => {
                network.layers[0] = self.first_layer(Some(&network.layers[0]), reduction);
                AnyEncoder::Mlp(network)
            }
            AnyEncoder::Modern(mut encoder) => {
                let layer = self.first_layer(encoder.projection.as_ref(), reduction);
                encoder.projection = Some(layer);
                AnyEncoder::Modern(encoder)
            }
            map @ (AnyEncoder::Linear(_) | AnyEncoder::Diagonal(_)) => map,
        };
        let Some((weight, bias)) = self.scaled_weight() else {
            return Ok(self.by_map(encoder, names));
        };
        let weight = product(&reduction.weight(), &weight, reduced);
        let (device, dtype) = (self.references.device(), self.references.dtype());
        let map = LinearMap::from_weight(&weight, [d, k], &device, dtype);
        let references = self.references.clone() - float_tensor(bias, [1, k], &device, dtype);
        Ok(Self { references, ..self.by_map(AnyEncoder::Linear(map), names) })
    }

    /// The first layer of a network (the identity where it has none) of the features before scaling and reduction.
    fn first_layer(&self, first: Option<&Linear>, reduction: &Projection) -> Linear {
        let [d, reduced] = reduction.shape();
        let units = first.map_or(reduced, |layer| layer.weight.dims()[1]);
        let weight = match first {
            Some(layer) => host_values(layer.weight.val()),
            None => (0..reduced * reduced).map(|at| f64::from(at % (reduced + 1) == 0)).collect(),
        };
        let bias = first.and_then(|layer| layer.bias.as_ref());
        let bias = bias.map_or_else(|| vec![0.0; units], |bias| host_values(bias.val()));
        let (weight, bias) = self.with_scaling_folded(weight, bias);
        let weight = product(&reduction.weight(), &weight, reduced);
        let (device, dtype) = (self.references.device(), self.references.dtype());
        Linear {
            weight: Param::from_tensor(float_tensor(weight, [d, units], &device, dtype)),
            bias: Some(Param::from_tensor(float_tensor(bias, [units], &device, dtype))),
        }
    }

    /// The same model of unscaled features of these names, by another map.
    fn by_map(&self, encoder: AnyEncoder, names: Vec<String>) -> Self {
        let mut card = self.card.clone();
        (card.d_input, card.encoder) = (names.len(), EncoderConfig::of(&encoder));
        card.fit.scaling = ScalingKind::None;
        let scaling = Scaling::unscaled(names);
        Self { encoder, card, scaling, preparation: None, ..self.clone() }
    }

    /// The embedding of sparse rows, `[n, d]` to `[n, k]`: by a map without writing their zeros out, by a network a block of
    /// rows at a time.
    ///
    /// # Errors
    /// Rows of another number of columns.
    pub fn transform_sparse(&self, features: &SparseFeatures) -> Result<Features> {
        let (d, k) = (self.card.d_input, self.card.d_output);
        if features.columns() != d {
            return Err(Error::data(format!(
                "the data have {} feature columns, the model was fitted on {d}; give the same columns",
                features.columns()
            )));
        }
        let Some((weight, bias)) = self.scaled_weight() else {
            let rows: Vec<usize> = (0..features.rows()).collect();
            let mut values = Vec::with_capacity(rows.len() * k);
            for block in rows.chunks((BLOCK / d).max(1)) {
                let dense = features.select(block).to_dense()?;
                let named = dense.renamed(self.scaling.names()).unwrap_or(dense);
                values.extend(host_values(self.transform(&named)?));
            }
            return Features::unnamed(values, k);
        };
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

    /// Exports the map from raw features to the embedding as a plain linear layer.
    ///
    /// The file holds `weight` `[k, d]` and `bias` `[k]` in f32, with the scaling folded in:
    /// `z = weight x + bias` on raw features, as a linear layer of PyTorch holds it.
    ///
    /// # Errors
    /// A network, a diagonal map too large to be written out, or a file that cannot be written.
    pub fn export_safetensors(&self, path: &Path) -> Result<()> {
        let sizes = [self.card.d_input, self.card.d_output];
        // A diagonal map is written out in full.
        if sizes[0].saturating_mul(sizes[1]) > MOST_PARAMETERS {
            return Err(Error::model(
                path,
                format!(
                    "a linear layer of {} features to {} dimensions has more than {MOST_PARAMETERS} numbers; read the \
                     weights from the model's encoder.bpk instead",
                    sizes[0], sizes[1]
                ),
            ));
        }
        let Some((weight, bias)) = self.scaled_weight() else {
            return Err(Error::model(
                path,
                "only a linear or diagonal map is one linear layer, and this model is a network; export it as ONNX",
            ));
        };
        let device = self.references.device();
        let weight = float_tensor(weight, sizes, &device, DType::F32);
        let bias = float_tensor(bias, [sizes[1]], &device, DType::F32);
        let layer =
            Linear { weight: Param::from_tensor(weight), bias: Some(Param::from_tensor(bias)) };
        write_safetensors(&layer, path)
    }

    /// The transpose of A with the scaling folded in, `[d, k]`, and what it adds to every row, `[k]`; `None` for a network.
    ///
    /// ```text
    /// z = A ((x - offset) / scale) = (A / scale) x - (A / scale) offset
    /// ```
    fn scaled_weight(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let (d, k) = (self.card.d_input, self.card.d_output);
        let matrix = self.matrix()?;
        let weight = (0..d * k).map(|at| matrix[at % k * d + at / k]).collect();
        Some(self.with_scaling_folded(weight, vec![0.0; k]))
    }

    /// The weights `[d, units]` and biases `[units]` of scaled features as those of the features themselves.
    fn with_scaling_folded(
        &self,
        mut weight: Vec<f64>,
        mut bias: Vec<f64>,
    ) -> (Vec<f64>, Vec<f64>) {
        let scales = self.scaling.offset().iter().zip(self.scaling.scale());
        for (row, (offset, scale)) in weight.chunks_exact_mut(bias.len()).zip(scales) {
            for (entry, bias) in row.iter_mut().zip(&mut bias) {
                *entry /= scale;
                *bias -= *entry * offset;
            }
        }
        (weight, bias)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::Estimator;
    use crate::baseline::{TruncatedSvd, TruncatedSvdConfig};
    use crate::data::Labeled;
    use crate::encoder::{Encoder, HiddenLayers};
    use crate::fit::{FitConfig, OptimizerConfig, StochasticConfig};
    use crate::method::{AnyMethod, Modern, Nca};

    fn counts() -> (SparseFeatures, TruncatedSvd, Labeled) {
        let entries = (0..40).flat_map(|row| {
            let words = [row % 3, 3 + (row * row) % 5, 8 + row % 4];
            words.map(|word| (row, word, 1.0 + ((row * 7 + word) % 4) as f64))
        });
        let counts = SparseFeatures::new([40, 12], entries.collect()).unwrap();
        let svd = TruncatedSvdConfig::new(6).with_center(true).fit(&counts).unwrap();
        let labels = (0..40).map(|row| row % 3).collect();
        let rows = Labeled::from_labels(svd.apply(&counts).unwrap(), labels).unwrap();
        (counts, svd, rows)
    }

    fn fitted(estimator: &Estimator, data: &Labeled, svd: &TruncatedSvd) -> [Fitted; 2] {
        let reduced = estimator.fit(data, &Device::flex()).unwrap();
        let names = (0..12).map(|word| format!("word {word}")).collect();
        let whole = reduced.through(&svd.projection, names).unwrap();
        [reduced, whole]
    }

    #[test]
    fn the_model_of_all_columns_has_the_distances_of_the_reduced_one() {
        let (counts, svd, data) = counts();
        for scaling in [ScalingKind::Standardize, ScalingKind::Common, ScalingKind::None] {
            let estimator = Estimator::new(6, 2, AnyMethod::from(Nca::new()));
            let estimator = estimator.with_fit(FitConfig::new().with_scaling(scaling));
            let [reduced, whole] = fitted(&estimator, &data, &svd);
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
            let predicted = whole.of_embedded().predict(&sparse, 3).unwrap();
            let right = predicted.iter().zip(data.labels()).filter(|(a, b)| a == b).count();
            assert!(right > 36, "{right} of 40");
        }
    }

    #[test]
    fn a_network_takes_the_reduction_into_its_first_layer() {
        let (counts, svd, data) = counts();
        let modern = Modern::new().with_members(2).with_epochs(3).with_width(8);
        let bare = modern.clone().with_embedding(0).with_blocks(0);
        let batches = OptimizerConfig::Adam(StochasticConfig::new().with_epochs(Some(3)));
        let nca = Estimator::new(6, 2, AnyMethod::from(Nca::new()))
            .with_encoder(EncoderConfig::Mlp(HiddenLayers::regularized()))
            .with_fit(FitConfig::new().with_optimizer(batches));
        let [modern, bare] = [modern, bare].map(|method| Estimator::new(6, 8, method.into()));
        for estimator in [modern, bare, nca] {
            let [reduced, whole] = fitted(&estimator, &data, &svd);
            let before = host_values(reduced.transform(data.features()).unwrap());
            assert_eq!(whole.encoder.d_input(), Some(whole.card.d_input));
            assert_eq!(EncoderConfig::of(&whole.encoder), whole.card.encoder);
            let after = whole.transform_sparse(&counts).unwrap();
            let again = host_values(whole.references().clone());
            let twice = whole.through(&Projection::euclidean(12), column_numbers(12)).unwrap();
            let twice = twice.transform_sparse(&counts).unwrap();
            for (at, after) in after.values().iter().enumerate() {
                for other in [before[at], again[at], twice.values()[at]] {
                    assert!((after - other).abs() < 1e-4, "{after} {other}");
                }
            }
        }
    }
}
