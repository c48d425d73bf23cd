//! Where a map puts rows: in f64 for f, g, p and perplexity, as the model predicts by them, and on the axes of a picture.

use anyhow::Result;
use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::baseline::{PcaConfig, Projection};
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::encoder::{Encoder, cast};
use burn_nca_learn::{Fitted, device};

/// Rows embedded at a time: a network's hidden layers need memory for each.
const CHUNK: usize = 2048;

/// Where numbers about an embedding are computed: the host in f64, else `device` in its f32.
pub fn resolve_device(device: &Device) -> (Device, DType) {
    match device::host() {
        Some(host) => (host, DType::F64),
        None => (device.clone(), DType::F32),
    }
}

/// The embedding `[n, k]` of features on the model's scale, its arithmetic in f64 from the model's weights on.
///
/// In a build without a CPU backend, the model's own embedding.
pub fn embed(model: &Fitted, scaled: &Features) -> Result<Tensor<2>> {
    let (host, dtype) = resolve_device(&model.references().device());
    if dtype != DType::F64 {
        return Ok(model.transform_scaled(scaled)?);
    }
    model.scaling().check_columns(scaled.names())?;
    let encoder = cast(model.encoder.valid().to_device(&host), dtype);
    let rows: Vec<usize> = (0..scaled.rows()).collect();
    let parts =
        rows.chunks(CHUNK).map(|rows| encoder.forward(scaled.rows_to_tensor(rows, &host, dtype)));
    Ok(Tensor::cat(parts.collect(), 0))
}

/// Something of the training rows, and of those held out where there are any.
pub struct Parts<T> {
    /// Of the rows learned from.
    pub train: T,
    /// Of the rows held out; `None` without any.
    pub test: Option<T>,
}

/// The rows in some space, `[n, k]` and `[m, k]`.
pub type Space = Parts<Tensor<2>>;

impl<T> Parts<T> {
    fn map<U>(&self, map: impl Fn(&T) -> Result<U>) -> Result<Parts<U>> {
        Ok(Parts { train: map(&self.train)?, test: self.test.as_ref().map(map).transpose()? })
    }
}

impl<'a> Parts<&'a Features> {
    /// These rows, on the scale of a model; `test` may have none.
    pub fn of(train: &'a Features, test: &'a Features) -> Self {
        Self { train, test: (test.rows() > 0).then_some(test) }
    }

    /// The model's own embedding, which the rules of prediction see in `nca predict` and `nca evaluate`, too.
    pub fn embedded(&self, model: &Fitted) -> Result<Space> {
        let test = self.test.map(|test| model.transform_scaled(test)).transpose()?;
        Ok(Parts { train: model.references().clone(), test })
    }

    /// The embedding in f64, as far as the host has it.
    pub fn precise(&self, model: &Fitted) -> Result<Space> {
        self.map(|rows| embed(model, rows))
    }

    /// The rows where a closed form puts them; Euclidean distance leaves them where they are, without a copy.
    pub fn mapped(&self, map: &Projection) -> Result<Parts<Features>> {
        self.map(|rows| Ok(map.apply(rows)?))
    }
}

/// The axes of an embedding in one or two dimensions, else its two directions of largest variance.
pub struct Axes {
    /// How many there are.
    pub dimension: usize,
    principal: Option<Projection>,
    /// For more than two dimensions: the share of the variance that the two directions have.
    pub variance_share: Option<f64>,
}

impl Axes {
    /// Those of these rows.
    pub fn of(embedding: &Tensor<2>) -> Result<Self> {
        let [_, dimension] = embedding.dims();
        if dimension <= 2 {
            return Ok(Self { dimension, principal: None, variance_share: None });
        }
        let pca = PcaConfig::new(2).fit(&Features::from_tensor(embedding.clone())?)?;
        let share = pca.explained_variance_ratio.iter().sum();
        Ok(Self { dimension: 2, principal: Some(pca.projection), variance_share: Some(share) })
    }

    /// The coordinates of embedded rows.
    pub fn coordinates(&self, embedding: &Tensor<2>) -> Result<Features> {
        let features = Features::from_tensor(embedding.clone())?;
        Ok(match &self.principal {
            Some(axes) => axes.apply(&features)?,
            None => features,
        })
    }

    /// A list of coordinates for each row, where there are rows.
    pub fn rows(&self, embedding: Option<&Tensor<2>>) -> Result<Vec<Vec<f64>>> {
        let Some(embedding) = embedding else { return Ok(Vec::new()) };
        let found = self.coordinates(embedding)?;
        Ok((0..found.rows()).map(|row| found.row(row).to_vec()).collect())
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::device;

    use super::*;

    #[test]
    fn two_dimensions_are_shown_as_they_are_and_more_by_their_principal_axes() {
        let host = device::host().unwrap();
        let points =
            Tensor::<2>::from_floats([[0.0, 3.0, 0.0], [0.0, -3.0, 1.0], [0.0, 0.0, -1.0]], &host);
        let flat = points.clone().slice([0..3, 0..2]);
        let axes = Axes::of(&flat).unwrap();
        assert_eq!(axes.rows(Some(&flat)).unwrap(), [[0.0, 3.0], [0.0, -3.0], [0.0, 0.0]]);
        assert!(axes.rows(None).unwrap().is_empty() && axes.variance_share.is_none());
        let axes = Axes::of(&points).unwrap();
        let shown = axes.rows(Some(&points)).unwrap();
        assert_eq!((shown.len(), shown[0].len(), axes.dimension), (3, 2, 2));
        assert!((axes.variance_share.unwrap() - 1.0).abs() < 1e-9);
    }
}
