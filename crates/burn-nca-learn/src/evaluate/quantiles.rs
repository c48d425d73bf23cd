//! The quantiles of a sample.

/// A summary of many numbers, such as the perplexities of all points.
///
/// Quantiles are interpolated between the two order statistics around `q (n - 1)`, as NumPy does.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::Quantiles;
///
/// let summary = Quantiles::of(&[4.0, 1.0, 2.0, 3.0]).expect("there are values");
/// assert_eq!((summary.mean, summary.median, summary.maximum), (2.5, 2.5, 4.0));
/// assert_eq!(Quantiles::of(&[]), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    /// The mean.
    pub mean: f64,
    /// The smallest value.
    pub minimum: f64,
    /// A quarter of the values is below.
    pub lower_quartile: f64,
    /// Half of the values is below.
    pub median: f64,
    /// Three quarters of the values are below.
    pub upper_quartile: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Quantiles {
    /// Summarizes `values`; `None` when there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (minimum, maximum) = (*sorted.first()?, *sorted.last()?);
        let quantile = |q: f64| {
            let at = q * (sorted.len() - 1) as f64;
            let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        Some(Self {
            mean: values.iter().sum::<f64>() / values.len() as f64,
            minimum,
            lower_quartile: quantile(0.25),
            median: quantile(0.5),
            upper_quartile: quantile(0.75),
            maximum,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated_as_numpy_does() {
        let summary = Quantiles::of(&[7.0, 1.0, 3.0, 2.0, 10.0, 4.0]).unwrap();
        // numpy.quantile([7, 1, 3, 2, 10, 4], [0.25, 0.5, 0.75]) = [2.25, 3.5, 6.25]
        assert_eq!(
            [summary.lower_quartile, summary.median, summary.upper_quartile],
            [2.25, 3.5, 6.25]
        );
        assert_eq!((summary.minimum, summary.mean, summary.maximum), (1.0, 4.5, 10.0));
    }
}
