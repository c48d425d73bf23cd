//! Means of groups of rows, without the rounding of a long sum.

use crate::data::Features;

/// The mean of each column, `[d]`.
pub fn mean(features: &Features) -> Vec<f64> {
    group_means(features, &vec![0; features.rows()], &[features.rows()])
}

/// The mean of each group of rows, with a second pass that takes the first one's rounding back out.
pub(super) fn group_means(
    features: &Features,
    group_of_row: &[usize],
    counts: &[usize],
) -> Vec<f64> {
    let d = features.columns();
    let mut means = vec![0.0; counts.len() * d];
    for _ in 0..2 {
        let mut correction = vec![0.0; means.len()];
        features.each_row(|row, values| {
            let group = group_of_row[row];
            let at = group * d..(group + 1) * d;
            let target = correction[at.clone()].iter_mut().zip(&means[at]);
            target.zip(values).for_each(|((sum, mean), x)| *sum += x - mean);
        });
        for (group, &count) in counts.iter().enumerate() {
            let at = group * d..(group + 1) * d;
            let target = means[at.clone()].iter_mut().zip(&correction[at]);
            target.for_each(|(mean, sum)| *mean += sum / count.max(1) as f64);
        }
    }
    means
}
