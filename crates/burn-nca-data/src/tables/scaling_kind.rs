//! How features are brought to one scale, and which way suits a table.

use serde::{Deserialize, Serialize};

use super::Features;
use super::rounding::ends;

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
    ///
    /// # Examples
    /// ```
    /// use burn_nca_data::{Features, ScalingKind};
    ///
    /// let pixels = Features::unnamed(vec![0.0, 255.0, 0.0, 255.0, 0.0, 3.0], 3)?;
    /// assert_eq!(ScalingKind::auto(&pixels), ScalingKind::Common);
    /// let measures = Features::unnamed(vec![0.0, 255.0, 1.0, 254.0, 2.0, 3.0], 2)?;
    /// assert_eq!(ScalingKind::auto(&measures), ScalingKind::Standardize);
    /// # Ok::<(), burn_nca_data::Error>(())
    /// ```
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

#[cfg(test)]
mod tests {
    use super::*;

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
