use std::collections::BTreeMap;

use super::scatter::{clear_constant_columns, rounding_levels, subtract, sum_of_products};
use crate::data::{Features, Labelled};
use crate::error::{Error, Result};

/// Rows in groups (classes or chunklets), with the size and the mean of each group that has rows.
///
/// # Examples
/// ```
/// use burn_nca::baseline::Groups;
/// use burn_nca::data::{Features, Labelled};
///
/// let features = Features::unnamed(vec![0.0, 2.0, 10.0, 12.0], 1)?;
/// let data = Labelled::from_labels(features, vec![0, 0, 1, 1])?;
/// let groups = Groups::of_classes(&data);
/// assert_eq!(groups.within_covariance(), [1.0]);
/// assert!((groups.between_covariance()[0] - 25.0).abs() < 1e-12);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Groups<'a> {
    features: &'a Features,
    group_of_row: Vec<Option<usize>>,
    counts: Vec<usize>,
    means: Vec<f64>,
    rounding: Vec<f64>,
}

impl<'a> Groups<'a> {
    /// The classes of labelled rows; a class without rows is left out.
    pub fn of_classes(data: &'a Labelled) -> Self {
        let groups = data.labels().iter().copied().map(Some);
        Self::new(data.features(), groups)
    }

    /// Chunklets: rows known to belong together. Rows with `None` belong to no chunklet and are left out.
    ///
    /// # Errors
    /// Not one entry a row.
    pub fn of_chunklets(features: &'a Features, chunklets: &[Option<usize>]) -> Result<Self> {
        if chunklets.len() != features.rows() {
            return Err(Error::data(format!(
                "{} chunklet entries for {} rows; give one entry a row, None for a row of no chunklet",
                chunklets.len(),
                features.rows()
            )));
        }
        Ok(Self::new(features, chunklets.iter().copied()))
    }

    fn new(features: &'a Features, ids: impl Iterator<Item = Option<usize>> + Clone) -> Self {
        let mut index_of_id: BTreeMap<usize, usize> =
            ids.clone().flatten().map(|id| (id, 0)).collect();
        index_of_id.values_mut().enumerate().for_each(|(index, value)| *value = index);
        let group_of_row: Vec<Option<usize>> =
            ids.map(|id| id.map(|id| index_of_id[&id])).collect();
        let mut counts = vec![0; index_of_id.len()];
        group_of_row.iter().flatten().for_each(|&group| counts[group] += 1);
        let means = group_means(features, &group_of_row, &counts);
        Self { features, group_of_row, counts, means, rounding: rounding_levels(features) }
    }

    /// Number of rows of each group.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The mean of each group, row-major, one row a group.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Number of rows that belong to a group.
    pub fn rows(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The within-group covariance, divisor n (rows that belong to a group), row-major `[d, d]`.
    ///
    /// ```text
    /// Σ_w = 1/n Σ_c Σ_{i in c} (x_i - m_c)(x_i - m_c)ᵀ
    /// ```
    /// # Numerics
    /// As [`total_covariance`](super::total_covariance).
    pub fn within_covariance(&self) -> Vec<f64> {
        let d = self.features.columns();
        let mut covariance = sum_of_products(self.group_of_row.len(), d, |row, target| {
            self.centred_row(row, target)
        });
        covariance.iter_mut().for_each(|value| *value /= self.rows().max(1) as f64);
        clear_constant_columns(&mut covariance, &self.rounding);
        covariance
    }

    /// The between-group covariance, divisor n, row-major `[d, d]`; within and between add up to the total.
    ///
    /// ```text
    /// Σ_b = 1/n Σ_c n_c (m_c - m)(m_c - m)ᵀ,   m = 1/n Σ_c n_c m_c
    /// ```
    /// # Numerics
    /// As [`total_covariance`](super::total_covariance).
    pub fn between_covariance(&self) -> Vec<f64> {
        let d = self.features.columns();
        let rows = self.weighted_means();
        sum_of_products(self.counts.len(), d, |group, target| {
            target.copy_from_slice(&rows[group * d..(group + 1) * d]);
        })
    }

    /// Row r less the mean of its group; zero where it has none.
    pub(super) fn centred_row(&self, row: usize, target: &mut [f64]) {
        match self.group_of_row[row] {
            Some(group) => {
                let d = target.len();
                subtract(self.features.row(row), &self.means[group * d..(group + 1) * d], target);
            }
            None => target.fill(0.0),
        }
    }

    /// One row `√(n_c / n) (m_c - m)` a group: their products add up to the between-group covariance.
    ///
    /// A difference of the size of rounding is zero, as in the covariances.
    pub(super) fn weighted_means(&self) -> Vec<f64> {
        let (d, n) = (self.features.columns(), self.rows() as f64);
        let mut overall = vec![0.0; d];
        for (mean, &count) in self.means.chunks_exact(d).zip(&self.counts) {
            overall.iter_mut().zip(mean).for_each(|(sum, x)| *sum += x * (count as f64 / n));
        }
        let mut rows = self.means.clone();
        for (row, &count) in rows.chunks_exact_mut(d).zip(&self.counts) {
            let weight = (count as f64 / n).sqrt();
            for ((x, mean), level) in row.iter_mut().zip(&overall).zip(&self.rounding) {
                let difference = *x - mean;
                *x = if difference.abs() <= *level { 0.0 } else { weight * difference };
            }
        }
        rows
    }
}

/// The mean of each group of rows, with a second pass that takes the first one's rounding back out.
pub(super) fn group_means(
    features: &Features,
    group_of_row: &[Option<usize>],
    counts: &[usize],
) -> Vec<f64> {
    let d = features.columns();
    let mut means = vec![0.0; counts.len() * d];
    for _ in 0..2 {
        let mut correction = vec![0.0; means.len()];
        for (row, group) in group_of_row.iter().enumerate() {
            let Some(group) = *group else { continue };
            let at = group * d..(group + 1) * d;
            let target = correction[at.clone()].iter_mut().zip(&means[at]);
            target.zip(features.row(row)).for_each(|((sum, mean), x)| *sum += x - mean);
        }
        for (group, &count) in counts.iter().enumerate() {
            let at = group * d..(group + 1) * d;
            let target = means[at.clone()].iter_mut().zip(&correction[at]);
            target.for_each(|(mean, sum)| *mean += sum / count.max(1) as f64);
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_classes_and_unlabelled_rows_are_left_out() {
        let features = Features::unnamed(vec![0.0, 2.0, 100.0, 10.0, 12.0], 1).unwrap();
        let names = vec!["a".into(), "empty".into(), "b".into(), "c".into()];
        let data = Labelled::new(features.clone(), vec![0, 0, 2, 3, 3], names).unwrap();
        assert_eq!(Groups::of_classes(&data).counts(), [2, 1, 2]);

        let chunklets = [Some(9), Some(9), None, Some(4), Some(4)];
        let groups = Groups::of_chunklets(&features, &chunklets).unwrap();
        assert_eq!((groups.counts(), groups.means()), (&[2, 2][..], &[11.0, 1.0][..]));
        assert_eq!(groups.rows(), 4);
        assert_eq!(groups.within_covariance(), [1.0]);
        let error = Groups::of_chunklets(&features, &chunklets[1..]).unwrap_err().to_string();
        assert!(error.contains("4 chunklet entries for 5 rows"), "{error}");
    }
}
