//! Rows embedded a chunk at a time: neither their tensor nor a network's hidden layers stand for a whole table.

use burn::tensor::{DType, Device, Tensor};

use crate::data::{Features, Scaling, TensorFeatures};
use crate::encoder::Encoder;
use crate::error::Result;

/// Rows that pass through the encoder together.
const CHUNK: usize = 8192;

/// The embedding `[n, k]` of features `[n, d]`, after the scaling if one is given.
pub(super) fn embed<E: Encoder>(
    encoder: &E,
    features: &Features,
    scaling: Option<&Scaling>,
    (device, dtype): (&Device, DType),
) -> Result<Tensor<2>> {
    let chunk = |rows: &[usize]| -> Result<Tensor<2>> {
        let x = match scaling {
            None => features.rows_to_tensor(rows, device, dtype),
            Some(scaling) => scaling.apply(&features.select(rows))?.to_tensor(device, dtype),
        };
        Ok(encoder.forward(x))
    };
    let rows: Vec<usize> = (0..features.rows()).collect();
    if rows.len() <= CHUNK {
        return chunk(&rows);
    }
    Ok(Tensor::cat(rows.chunks(CHUNK).map(chunk).collect::<Result<_>>()?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalingKind;
    use crate::device;
    use crate::encoder::LinearMap;

    #[test]
    fn chunks_of_rows_give_the_embedding_of_all() {
        let host = device::host().unwrap();
        let n = 2 * CHUNK + 3;
        let values = (0..2 * n).map(|at| f64::from(at as u32 % 97)).collect();
        let features = Features::unnamed(values, 2).unwrap();
        let scaling = Scaling::fit(ScalingKind::Standardize, &features);
        let map = LinearMap::from_weight(&[1.0, -0.5], [2, 1], &host, DType::F64);
        let to = (&host, DType::F64);
        let scaled = scaling.apply(&features).unwrap();
        let expected = map.forward(scaled.to_tensor(&host, DType::F64)).into_data();
        let found = embed(&map, &features, Some(&scaling), to).unwrap().into_data();
        found.assert_eq(&expected, true);
        embed(&map, &scaled, None, to).unwrap().into_data().assert_eq(&expected, true);
    }
}
