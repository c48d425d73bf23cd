//! The scaling of features, learned on training rows.

use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};

use super::Features;
use super::rounding::ends;
use crate::{Error, Result};

const TASK_ROWS: usize = 256;

/// How features are brought to one scale before a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScalingKind {
    /// Subtract the mean, divide by the standard deviation (population, as scikit-learn does).
    #[serde(rename = "Standardise", alias = "Standardize")]
    Standardize,
    /// Subtract the mean, divide all columns by one number: the root mean square of their standard deviations.
    ///
    /// For columns of one unit, such as pixels: a pixel at the border that is nearly always white stays as quiet as
    /// it is, where [`Standardize`](Self::Standardize) makes its noise as loud as the rest.
    Common,
    /// Map the range of each column to 0..1.
    MinMax,
    /// Leave the features as they are, but for columns that are all far from zero: see [`Scaling`](crate::Scaling);
    /// [`Scaling::unscaled`](crate::Scaling::unscaled) leaves these as they are, too.
    None,
}

impl ScalingKind {
    /// [`Common`](Self::Common) for columns that plainly share a unit, else [`Standardize`](Self::Standardize).
    ///
    /// They do where at least half of the columns that vary reach from the least to the largest value of the table, as
    /// pixels do and measurements in several units do not.
    pub fn auto(train: &Features) -> Self {
        let [minimum, maximum] = ends(train);
        let least = minimum.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = maximum.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let constant = train.constant_columns();
        let is_full = |&column: &usize| (minimum[column], maximum[column]) == (least, largest);
        let mut varying: Vec<usize> = (0..train.columns()).collect();
        varying.retain(|column| constant.binary_search(column).is_err());
        let full = varying.iter().copied().filter(is_full).count();
        if full >= 2 && 2 * full >= varying.len() { Self::Common } else { Self::Standardize }
    }
}

/// A per-column scaling `(x - offset) / scale` learned on training rows.
///
/// A column that is constant but for rounding has no spread to divide by, and its rounding is nothing to learn from:
/// its scale is infinite, so that it is zero, in the training rows and in all others ([`Features::constant_columns`]).
///
/// [`ScalingKind::None`] subtracts the mean of a column only where it is more than 100 standard deviations from zero
/// (years, timestamps, coordinates): no distance depends on it, and f32 would have no digits left for the differences. For
/// the same reason a constant column is zero there if it is more than 100 of the largest standard deviation from zero;
/// another one stays as it is.
///
/// # Examples
/// ```
/// use burn_nca_data::{Features, Scaling, ScalingKind};
///
/// let train = Features::unnamed(vec![1.0, 7.0, 3.0, 7.0], 2)?;
/// let scaling = Scaling::fit(ScalingKind::Standardize, &train);
/// assert_eq!(scaling.apply(&train)?.values(), [-1.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    kind: ScalingKind,
    names: Vec<String>,
    offset: Vec<f64>,
    /// In JSON an infinite scale is null.
    #[serde(deserialize_with = "null_is_infinite")]
    scale: Vec<f64>,
}

impl Scaling {
    /// Learns the scaling of each column from `train`.
    pub fn fit(kind: ScalingKind, train: &Features) -> Self {
        let d = train.columns();
        let constant = train.constant_columns();
        let (offset, mut scale) = match kind {
            ScalingKind::None => far_from_zero(train, &constant),
            ScalingKind::Standardize => {
                let (mean, variance) = mean_and_variance(train);
                let deviations = deviations(train, &mean, &variance);
                (mean, deviations.into_iter().map(one_if_zero).collect())
            }
            ScalingKind::Common => {
                let (mean, mut variance) = mean_and_variance(train);
                constant.iter().for_each(|&column| variance[column] = 0.0);
                let typical = variance.iter().sum::<f64>() / d as f64;
                let typical = if typical.is_normal() {
                    typical.sqrt()
                } else {
                    let mut deviations = deviations(train, &mean, &variance);
                    constant.iter().for_each(|&column| deviations[column] = 0.0);
                    root_mean_square(|| deviations.iter().copied())
                };
                (mean, vec![one_if_zero(typical); d])
            }
            ScalingKind::MinMax => minimum_and_range(train),
        };
        if kind != ScalingKind::None {
            constant.iter().for_each(|&column| scale[column] = f64::INFINITY);
        }
        Self { kind, names: train.names().to_vec(), offset, scale }
    }

    /// Columns of these names exactly as they are, also where they are far from zero: for an encoder that was trained
    /// on them so.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_data::{Features, Scaling, ScalingKind};
    ///
    /// let years = Features::new(vec![2001.0, 2003.0], vec!["year".into()])?;
    /// assert_eq!(Scaling::unscaled(vec!["year".into()]).apply(&years)?.values(), [2001.0, 2003.0]);
    /// assert_eq!(Scaling::fit(ScalingKind::None, &years).apply(&years)?.values(), [-1.0, 1.0]);
    /// # Ok::<(), burn_nca_data::Error>(())
    /// ```
    pub fn unscaled(names: Vec<String>) -> Self {
        let d = names.len();
        Self { kind: ScalingKind::None, names, offset: vec![0.0; d], scale: vec![1.0; d] }
    }

    /// This scaling, and then an offset of each column subtracted: `(x - offset) / scale - after`.
    #[doc(hidden)]
    pub fn then_subtract(mut self, after: &[f64]) -> Self {
        let columns = self.offset.iter_mut().zip(&self.scale).zip(after);
        for ((offset, scale), after) in columns.filter(|((_, scale), _)| scale.is_finite()) {
            *offset += after * scale;
        }
        self
    }

    /// The kind of scaling.
    pub fn kind(&self) -> ScalingKind {
        self.kind
    }

    /// The columns this scaling was learned on.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What is subtracted from each column.
    pub fn offset(&self) -> &[f64] {
        &self.offset
    }

    /// What each column is divided by; infinity where the column is constant, for [`ScalingKind::None`] only far from zero.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Scales `features`, whose columns must be those of the training rows.
    ///
    /// # Errors
    /// Another number of columns, or other names (the first difference is named).
    pub fn apply(&self, features: &Features) -> Result<Features> {
        let mut scaled = features.clone();
        self.apply_in_place(&mut scaled)?;
        Ok(scaled)
    }

    /// Scales `features` in place, so that a large table is not there twice; values that others share are
    /// copied. A table that is stored in f32 is scaled as its rows are looked at, in no memory and to the same bits.
    ///
    /// # Errors
    /// As [`Scaling::apply`].
    pub fn apply_in_place(&self, features: &mut Features) -> Result<()> {
        self.check_columns(features.names())?;
        if self.offset.iter().all(|&offset| offset == 0.0)
            && self.scale.iter().all(|&scale| scale == 1.0)
        {
            return Ok(());
        }
        if let Some(scaled) = features.affine_view(&self.offset, &self.scale) {
            *features = scaled;
            return Ok(());
        }
        let d = features.columns();
        features.values_mut().par_chunks_mut(TASK_ROWS * d).for_each(|rows| {
            for row in rows.chunks_exact_mut(d) {
                let columns = row.iter_mut().zip(&self.offset).zip(&self.scale);
                columns.for_each(|((x, offset), scale)| *x = (*x - offset) / scale);
            }
        });
        Ok(())
    }

    /// Checks that data have the columns of the training rows, in their order.
    ///
    /// # Errors
    /// As [`Scaling::apply`].
    pub fn check_columns(&self, names: &[String]) -> Result<()> {
        if names.len() != self.names.len() {
            return Err(Error::data(format!(
                "the data have {} feature columns, the model was fitted on {} ({}); give the same columns",
                names.len(),
                self.names.len(),
                self.names.join(", ")
            )));
        }
        for (at, (found, expected)) in names.iter().zip(&self.names).enumerate() {
            if found != expected {
                return Err(Error::data(format!(
                    "feature column {} is {found:?}, the model was fitted with {expected:?} there; \
                     give columns of these names in the order {}",
                    at + 1,
                    self.names.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// The offsets and scales of columns that differ little for their size, and those that change nothing for the others.
fn far_from_zero(train: &Features, constant: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (mut means, variance) = mean_and_variance(train);
    let mut deviations = deviations(train, &means, &variance);
    constant.iter().for_each(|&column| deviations[column] = 0.0);
    let largest = deviations.iter().copied().fold(0.0, f64::max);
    let mut scale = vec![1.0; means.len()];
    for (column, mean) in means.iter_mut().enumerate() {
        let is_constant = constant.binary_search(&column).is_ok();
        let deviation = if is_constant { largest } else { deviations[column] };
        let is_far = mean.abs() > 100.0 * deviation && deviation > 0.0;
        if is_constant && is_far {
            scale[column] = f64::INFINITY;
        } else if is_constant || !is_far {
            *mean = 0.0;
        }
    }
    (means, scale)
}

fn minimum_and_range(train: &Features) -> (Vec<f64>, Vec<f64>) {
    let [minimum, maximum] = ends(train);
    let scale = maximum.iter().zip(&minimum).map(|(max, min)| one_if_zero(max - min)).collect();
    (minimum, scale)
}

fn null_is_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let scale = Vec::<Option<f64>>::deserialize(from)?;
    Ok(scale.into_iter().map(|scale| scale.unwrap_or(f64::INFINITY)).collect())
}

fn one_if_zero(spread: f64) -> f64 {
    // Dividing by a subnormal spread would overflow.
    if spread.is_normal() { spread } else { 1.0 }
}

/// The mean and the (population) variance of each column.
#[doc(hidden)]
pub fn mean_and_variance(train: &Features) -> (Vec<f64>, Vec<f64>) {
    let (d, n) = (train.columns(), train.rows().max(1) as f64);
    let mut mean = vec![0.0; d];
    train.each_row(|_, row| mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n));
    let mut variance = vec![0.0; d];
    train.each_row(|_, row| {
        for ((variance, x), mean) in variance.iter_mut().zip(row).zip(&mean) {
            *variance += (x - mean) * (x - mean) / n;
        }
    });
    (mean, variance)
}

/// The standard deviation of each column, also where the squares of its differences leave the range of f64 (differences
/// above 1e154 or below 1e-154).
fn deviations(train: &Features, mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let columns = mean.iter().zip(variance).enumerate();
    columns
        .map(|(column, (mean, variance))| {
            if variance.is_normal() {
                return variance.sqrt();
            }
            root_mean_square(|| (0..train.rows()).map(|row| train.value(row, column) - mean))
        })
        .collect()
}

/// The root mean square of some values, summed in units of the largest of them; infinite where one of them is.
fn root_mean_square<I: ExactSizeIterator<Item = f64>>(values: impl Fn() -> I) -> f64 {
    let unit = values().fold(0.0, |unit: f64, value| unit.max(value.abs()));
    if unit == 0.0 || !unit.is_finite() {
        return unit;
    }
    let n = values().len() as f64;
    unit * values().map(|value| (value / unit).powi(2) / n).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a sum that differs in its last bits, of 1e6 +- 1e-10, and of one of f32, and of two real columns.
    fn rounded() -> Features {
        let values = (0..60).flat_map(|row| {
            let x = f64::from(row * row % 31);
            let total = [1.0, 1.0 - f64::EPSILON / 2.0, 0.3 + 0.6 + 0.1][row as usize % 3];
            let far = 1e6 + [0.0, 1e-10, 2e-10][row as usize % 3];
            [x, total, far, f64::from([0.1_f32 + 0.2, 0.3][row as usize % 2]), 1e-9 * x]
        });
        Features::unnamed(values.collect(), 5).unwrap()
    }

    #[test]
    fn columns_of_rounding_are_zero_in_every_scaling_and_in_every_row() {
        let train = rounded();
        assert_eq!(train.constant_columns(), [1, 2, 3]);
        let other = Features::unnamed(vec![0.0, 0.9999, 2e6, -7.0, 1e-9], 5).unwrap();
        for kind in [ScalingKind::Standardize, ScalingKind::MinMax, ScalingKind::Common] {
            let scaling = Scaling::fit(kind, &train);
            // A saved model has the same scaling.
            let saved = serde_json::to_string(&scaling).unwrap();
            let scaling: Scaling = serde_json::from_str(&saved).unwrap();
            assert_eq!(scaling, Scaling::fit(kind, &train));
            for rows in [&train, &other] {
                scaling.apply(rows).unwrap().each_row(|_, row| assert_eq!(row[1..4], [0.0; 3]));
            }
            let scaled = scaling.apply(&train).unwrap();
            let wide = (0..60).any(|row| scaled.value(row, 4).abs() > 0.4);
            assert_eq!(wide, kind != ScalingKind::Common, "{kind:?}");
        }
        // Without scaling they stay as they are, but for the one that would leave the others no digits in f32.
        let scaled = Scaling::fit(ScalingKind::None, &train).apply(&train).unwrap();
        train.each_row(|at, row| {
            let expected: Vec<f64> =
                row.iter().enumerate().map(|(j, x)| if j == 2 { 0.0 } else { *x }).collect();
            assert_eq!(scaled.row(at), expected);
        });
    }

    #[test]
    fn a_common_scale_keeps_the_columns_ratios_and_a_mean_variance_of_one() {
        let train = Features::unnamed(vec![0.0, 1.0, 6.0, 3.0], 2).unwrap();
        let scaling = Scaling::fit(ScalingKind::Common, &train);
        // Variances 9 and 1: their mean is 5.
        assert_eq!((scaling.offset(), scaling.scale()), (&[3.0, 2.0][..], &[5f64.sqrt(); 2][..]));
    }

    #[test]
    fn columns_are_scaled_whatever_their_unit() {
        for unit in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let train = Features::unnamed([1.0, 2.0, 6.0].map(|x| x * unit).to_vec(), 1).unwrap();
            for kind in [ScalingKind::Standardize, ScalingKind::Common] {
                let scaled = Scaling::fit(kind, &train).apply(&train).unwrap();
                let deviation = (14.0f64 / 3.0).sqrt();
                for (scaled, difference) in scaled.values().iter().zip([-2.0, -1.0, 3.0]) {
                    assert!((scaled - difference / deviation).abs() < 1e-12, "{kind:?} {unit:e}");
                }
            }
        }
    }

    #[test]
    fn an_offset_after_the_scaling_is_one_in_its_units() {
        let train = Features::unnamed(vec![1.0, 7.0, 5.0, 7.0], 2).unwrap();
        let scaling = Scaling::fit(ScalingKind::Standardize, &train).then_subtract(&[0.5, 0.5]);
        assert_eq!(scaling.apply(&train).unwrap().values(), [-1.5, 0.0, 0.5, 0.0]);
    }

    #[test]
    fn columns_share_a_unit_if_half_of_them_reach_from_end_to_end() {
        let kind = |full: usize, others: usize| {
            let row = |full_to, to| [vec![full_to; full], vec![to; others]].concat();
            let values = [row(0.0, 0.0), row(9.0, 1.0)].concat();
            ScalingKind::auto(&Features::unnamed(values, full + others).unwrap())
        };
        assert_eq!([kind(2, 2), kind(3, 3), kind(5, 1)], [ScalingKind::Common; 3]);
        assert_eq!([kind(1, 1), kind(2, 3), kind(3, 4)], [ScalingKind::Standardize; 3]);
    }
}
