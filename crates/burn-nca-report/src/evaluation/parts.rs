//! The rows learned from and those held out, as one value: scaled, and in the space of a map.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::Projection;
use burn_nca_learn::data::Features;

use super::embedding::embed;

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
