//! A learned metric with all that predictions need.

use burn::tensor::{DType, Device, Tensor};
use serde::{Deserialize, Serialize};

use super::Decision;
use crate::baseline::cross_product;
use crate::data::{
    Features, Preparation, Prepared, RawTable, Scaling, ScalingKind, TensorFeatures,
    TrainingTargets,
};
use crate::encoder::{AnyEncoder, Encoder, EncoderConfig, matrix_of};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, FitSummary};
use crate::method::AnyMethod;
use crate::neighbors::Rule;

/// Rows that pass through the encoder together.
const CHUNK: usize = 8192;

/// What a model was fitted with; the name of the method and its settings are written next to the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelCard {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// The encoder's configuration; absent for a module of the user's own.
    pub encoder: Option<EncoderConfig>,
    /// How it was fitted.
    pub fit: FitConfig,
    /// The method, with its settings.
    #[serde(flatten)]
    pub method: AnyMethod,
}

/// A learned metric with all that predictions need: scaling, encoder, embedded training rows, their targets,
/// and the rule by which they decide about others.
#[derive(Clone, Debug)]
pub struct Fitted<E: Encoder = AnyEncoder> {
    /// The fitted encoder, without autodiff.
    pub encoder: E,
    pub(super) card: ModelCard,
    pub(super) scaling: Scaling,
    pub(super) targets: TrainingTargets,
    pub(super) references: Tensor<2>,
    pub(super) rule: Rule,
    pub(super) decision: Option<Decision>,
    pub(super) summary: FitSummary,
    pub(super) preparation: Option<Preparation>,
}

impl<E: Encoder> Fitted<E> {
    /// What the model was fitted with.
    pub fn card(&self) -> &ModelCard {
        &self.card
    }

    /// How the fit went.
    pub fn summary(&self) -> &FitSummary {
        &self.summary
    }

    /// The scaling learned on the training rows.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// The model, with the preparation that made its features of a raw table; saved and loaded with it.
    ///
    /// # Errors
    /// A preparation that makes other features than the model has.
    pub fn with_preparation(self, preparation: Preparation) -> Result<Self> {
        self.scaling.check_columns(&preparation.feature_names())?;
        Ok(Self { preparation: Some(preparation), ..self })
    }

    /// The model for raw rows, where `scaling` had scaled the rows before the fit: it scales those it is given.
    ///
    /// For a fit that is taken up again and again, on rows that were scaled once.
    ///
    /// # Errors
    /// A scaling of other columns, or a model that scales its rows itself. That it subtracts the mean of columns far from
    /// zero ([`ScalingKind::None`]) is no such scaling: it is done after the other.
    pub fn with_scaling(self, scaling: Scaling) -> Result<Self> {
        scaling.check_columns(self.scaling.names())?;
        let own = self.scaling.offset().iter().zip(self.scaling.scale());
        let scales = own.into_iter().any(|(offset, scale)| *offset != 0.0 || *scale != 1.0);
        if scales && self.scaling.kind() != ScalingKind::None {
            return Err(Error::setting(format!(
                "the model scales its rows itself ({:?}); fit it with ScalingKind::None on rows that are scaled",
                self.scaling.kind()
            )));
        }
        let mut card = self.card;
        card.fit.scaling = scaling.kind();
        let scaling = scaling.then_subtract(self.scaling.offset());
        Ok(Self { scaling, card, ..self })
    }

    /// The model of rows that are on its scale already.
    #[must_use]
    pub fn of_scaled(&self) -> Self
    where
        E: Clone,
    {
        Self { scaling: Scaling::unscaled(self.scaling.names().to_vec()), ..self.clone() }
    }

    /// How a raw table becomes features; `None` where the model was given features.
    pub fn preparation(&self) -> Option<&Preparation> {
        self.preparation.as_ref()
    }

    /// The features of a raw table, as those of the training rows were made.
    ///
    /// # Errors
    /// As [`Preparation::apply`]; without a preparation, a column that is not there, that holds text, or that lacks
    /// a value.
    pub fn prepare(&self, table: &RawTable) -> Result<Prepared> {
        match &self.preparation {
            Some(preparation) => preparation.apply(table),
            None => Preparation::of_numbers(self.scaling.names()).apply(table),
        }
    }

    /// The targets of the training rows.
    pub fn training_targets(&self) -> &TrainingTargets {
        &self.targets
    }

    /// The name of each class; none for a model that was not learned from classes.
    pub fn class_names(&self) -> &[String] {
        match &self.targets {
            TrainingTargets::Classes { names, .. } => names,
            _ => &[],
        }
    }

    /// The targets of the training rows, `[n, m]`, of a model that was learned from numbers.
    pub fn targets(&self) -> Option<&Features> {
        match &self.targets {
            TrainingTargets::Numbers { targets, .. } => Some(targets),
            _ => None,
        }
    }

    /// The group of each training row, where the rows were given groups.
    pub fn reference_groups(&self) -> Option<&[usize]> {
        match &self.targets {
            TrainingTargets::Classes { groups, .. } | TrainingTargets::Numbers { groups, .. } => {
                groups.as_deref()
            }
            TrainingTargets::Unlabeled => None,
        }
    }

    /// The embedded training rows, `[n, k]`, in the order of the data; those of weight 0 are not among them.
    pub fn references(&self) -> &Tensor<2> {
        &self.references
    }

    /// How the training rows decide about others.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The class of each training row; none for a model that was not learned from classes.
    pub fn reference_labels(&self) -> &[usize] {
        match &self.targets {
            TrainingTargets::Classes { labels, .. } => labels,
            _ => &[],
        }
    }

    /// The embedding of raw (unscaled) features: `[n, d]` to `[n, k]`.
    ///
    /// # Errors
    /// Other columns than those of the training rows.
    pub fn transform(&self, features: &Features) -> Result<Tensor<2>> {
        self.scaling.check_columns(features.names())?;
        self.embedded(features, Some(&self.scaling))
    }

    /// The embedding of features that are on the model's scale: `[n, d]` to `[n, k]`.
    ///
    /// # Errors
    /// Other columns than those of the training rows.
    pub fn transform_scaled(&self, features: &Features) -> Result<Tensor<2>> {
        self.scaling.check_columns(features.names())?;
        self.embedded(features, None)
    }

    fn embedded(&self, features: &Features, scaling: Option<&Scaling>) -> Result<Tensor<2>> {
        let dtype = self.card.fit.precision.dtype();
        embed(&self.encoder, features, scaling, (&self.references.device(), dtype))
    }

    /// The learned squared distances between the rows of `a` and of `b`: `[n, m]`, from 0 up.
    ///
    /// Sums of squared differences, so that near rows are distinguished however far from the origin they are; equal
    /// rows have distance 0.
    ///
    /// # Errors
    /// As [`Fitted::transform`].
    pub fn sq_distances(&self, a: &Features, b: &Features) -> Result<Tensor<2>> {
        let (a, b) = (self.transform(a)?, self.transform(b)?.transpose());
        let ([n, k], [_, m]) = (a.dims(), b.dims());
        let zeros = Tensor::zeros([n, m], (&a.device(), a.dtype()));
        Ok((0..k).fold(zeros, |sum, axis| {
            let of_a = a.clone().slice([0..n, axis..axis + 1]);
            let of_b = b.clone().slice([axis..axis + 1, 0..m]);
            sum + (of_a - of_b).square()
        }))
    }
}

impl Fitted<AnyEncoder> {
    /// The encoder at the parameters of a step of this model's fit, as
    /// [`FitSession::with_parameters`](crate::fit::FitSession::with_parameters) and
    /// [`with_start`](crate::fit::FitSession::with_start) tell them; `None` where they are not those of its encoder.
    pub fn encoder_at(&self, parameters: &[f64]) -> Option<AnyEncoder> {
        self.card.method.encoder_at(&self.encoder, parameters)
    }

    /// A as the paper writes it, row-major `[k, d]`, on the scaled features; `None` for a network.
    pub fn matrix(&self) -> Option<Vec<f64>> {
        matrix_of(&self.encoder)
    }

    /// The norm of each column of A, `[d]`: how far one unit of a (scaled) feature moves a point; `None` for a
    /// network.
    pub fn feature_norms(&self) -> Option<Vec<f64>> {
        match &self.encoder {
            AnyEncoder::Linear(map) => {
                let (a, d) = (map.matrix(), self.card.d_input);
                let norm = |c: usize| a[c..].iter().step_by(d).map(|a| a * a).sum::<f64>().sqrt();
                Some((0..d).map(norm).collect())
            }
            AnyEncoder::Diagonal(map) => Some(map.diagonal().into_iter().map(f64::abs).collect()),
            AnyEncoder::Mlp(_) | AnyEncoder::Modern(_) => None,
        }
    }

    /// The metric Q = AᵀA on the scaled features, row-major `[d, d]`; `None` for a network.
    pub fn metric(&self) -> Option<Vec<f64>> {
        let (a, d) = (self.matrix()?, self.card.d_input);
        Some(cross_product(&a, &a, [d, d]))
    }
}

/// The embedding `[n, k]` of features `[n, d]`, after the scaling if one is given; a chunk of rows at a time, so that neither
/// their tensor nor a network's hidden layers stand for a whole table.
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
        let scaled = scaling.apply(&features).unwrap();
        let expected = map.forward(scaled.to_tensor(&host, DType::F64)).into_data();
        for (features, scaling) in [(&features, Some(&scaling)), (&scaled, None)] {
            let found = embed(&map, features, scaling, (&host, DType::F64)).unwrap();
            found.into_data().assert_eq(&expected, true);
        }
    }
}
