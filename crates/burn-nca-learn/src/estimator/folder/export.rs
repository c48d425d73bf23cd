//! A fitted map as a plain linear layer for other programs.

use std::path::Path;

use burn::module::Param;
use burn::nn::Linear;
use burn::store::{BurnToPyTorchAdapter, ModuleSnapshot};
use burn::tensor::DType;
use burn_nca_files::write_atomically;

use crate::encoder::{AnyEncoder, MOST_PARAMETERS, pytorch_file};
use crate::error::{Error, Result};
use crate::estimator::Fitted;
use crate::objective::transfer::float_tensor;

impl Fitted<AnyEncoder> {
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
        let mut store = pytorch_file().with_to_adapter(BurnToPyTorchAdapter);
        let bytes = layer.save_into(&mut store).and_then(|()| store.get_bytes());
        let failed = |error| Error::model(path, format!("the layer cannot be written: {error}"));
        write_atomically(path, &bytes.map_err(failed)?).map_err(|source| Error::io(path, source))
    }
}
