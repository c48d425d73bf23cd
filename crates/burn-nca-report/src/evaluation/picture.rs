//! The points of the report's picture: one or two coordinates a row.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::{Features, TensorFeatures};

/// One or two coordinates of each row of an embedding.
pub struct Picture {
    /// The training rows.
    pub train: Vec<Vec<f64>>,
    /// The rows held out.
    pub test: Vec<Vec<f64>>,
    /// The rows that are drawn alone.
    pub others: Vec<Vec<f64>>,
    /// For more than two dimensions: the share of the training rows' variance that the picture shows.
    pub variance_share: Option<f64>,
}

/// The embedded rows that are drawn in addition to the training rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown<'a> {
    /// The rows held out.
    pub test: Option<&'a Tensor<2>>,
    /// Rows without a class.
    pub others: Option<&'a Tensor<2>>,
}

impl Picture {
    /// The embedding itself in one or two dimensions, else its two directions of largest variance.
    ///
    /// # Errors
    /// Coordinates that are not finite.
    pub fn of(train: &Tensor<2>, Shown { test, others }: Shown<'_>) -> Result<Self> {
        let train = Features::from_tensor(train.clone())?;
        let read = |points: Option<&Tensor<2>>| {
            points.map(|points| Features::from_tensor(points.clone())).transpose()
        };
        let (test, others) = (read(test)?, read(others)?);
        if train.columns() <= 2 {
            let [test, others] =
                [test, others].map(|part| part.as_ref().map(rows).unwrap_or_default());
            return Ok(Self { train: rows(&train), test, others, variance_share: None });
        }
        let pca = PcaConfig::new(2).fit(&train)?;
        let shown = |features: &Features| pca.projection.apply(features).map(|shown| rows(&shown));
        Ok(Self {
            train: shown(&train)?,
            test: test.as_ref().map(shown).transpose()?.unwrap_or_default(),
            others: others.as_ref().map(shown).transpose()?.unwrap_or_default(),
            variance_share: Some(pca.explained_variance_ratio.iter().sum()),
        })
    }
}

fn rows(features: &Features) -> Vec<Vec<f64>> {
    (0..features.rows()).map(|row| features.row(row).to_vec()).collect()
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
        let picture = Picture::of(&flat, Shown::default()).unwrap();
        assert_eq!(picture.train, [[0.0, 3.0], [0.0, -3.0], [0.0, 0.0]]);
        assert!(picture.test.is_empty() && picture.variance_share.is_none());
        let picture =
            Picture::of(&points, Shown { test: Some(&points), others: Some(&points) }).unwrap();
        assert_eq!((picture.train.len(), picture.train[0].len()), (3, 2));
        assert_eq!((&picture.train, &picture.train), (&picture.test, &picture.others));
        assert!((picture.variance_share.unwrap() - 1.0).abs() < 1e-9);
    }
}
