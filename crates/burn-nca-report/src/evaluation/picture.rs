//! The axes of the report's pictures: one or two coordinates a row.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::baseline::{PcaConfig, Projection};
use burn_nca_learn::data::{Features, TensorFeatures};

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
