//! Tables of many columns in few directions, for the fit alone: the saved model takes the columns.

use anyhow::Result;
use burn_nca_data::column_numbers;
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::{PcaConfig, Projection};
use burn_nca_learn::data::{Features, Preparation, Scaling, ScalingKind};

use crate::failure::hinted;

/// How the columns of a table became few, learned on its training rows.
#[derive(Debug)]
pub struct Reduction {
    /// How the columns are scaled first; a sparse table is not.
    pub(super) scaling: Option<Scaling>,
    pub(super) projection: Projection,
}

/// The same features by the names of directions, which those of columns are not to be taken for.
pub(super) fn directions(features: &Features) -> Result<Features> {
    let names = (1..=features.columns()).map(|at| format!("direction {at}")).collect();
    Ok(Features::new(features.values().to_vec(), names)?)
}

impl Reduction {
    /// The `k` directions of largest variance of the scaled training rows, and the share of the variance that they hold.
    pub(super) fn of_columns(
        train: &Features,
        k: usize,
        scaling: ScalingKind,
    ) -> Result<(Self, f64)> {
        let columns = train.columns();
        if k > columns {
            return Err(hinted(
                format!("--reduce asks for {k} directions of {columns} feature columns"),
                format!("give --reduce {columns} or fewer, or leave it out"),
            ));
        }
        let scaling = Scaling::fit(scaling, train);
        let pca = PcaConfig::new(k).fit(&scaling.apply(train)?)?;
        let share = pca.explained_variance_ratio.iter().sum();
        Ok((Self { scaling: Some(scaling), projection: pca.projection }, share))
    }

    pub(super) fn apply(&self, features: &Features) -> Result<Features> {
        match &self.scaling {
            Some(scaling) => directions(&self.projection.apply(&scaling.apply(features)?)?),
            None => directions(&self.projection.apply(features)?),
        }
    }

    /// The model of the reduced rows as one of the columns themselves, and of the table that they were prepared from.
    pub fn whole(&self, model: &Fitted, preparation: Option<Preparation>) -> Result<Fitted> {
        let [columns, _] = self.projection.shape();
        let mut whole = match &self.scaling {
            Some(scaling) => {
                let whole = model.through(&self.projection, scaling.names().to_vec())?;
                whole.with_scaling(scaling.clone())?
            }
            None => model.through(&self.projection, column_numbers(columns))?,
        };
        if let Some(preparation) = preparation {
            whole = whole.with_preparation(preparation)?;
        }
        Ok(whole)
    }
}
