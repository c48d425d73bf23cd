//! Rows in classes, and how they spread within and between them.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::means::group_means;
use super::scatter::{clear_constant_columns, deviation, sum_of_products};
use crate::data::{ClassSpread, Features, Labeled, rounding_levels};

/// Numbers of a spread at most that a table keeps for all who ask: 32 MiB.
const MOST_KEPT: usize = 1 << 22;

/// Rows in groups, their classes. Means and covariance within classes are computed once for a table and its copies, where
/// they take no more than 32 MiB.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::Groups;
/// use burn_nca_learn::data::{Features, Labeled};
///
/// let features = Features::unnamed(vec![0.0, 2.0, 10.0, 12.0], 1)?;
/// let data = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
/// let groups = Groups::of_classes(&data);
/// assert_eq!((groups.means(), groups.within_covariance()[0]), (&[1.0, 11.0][..], 1.0));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Groups<'a> {
    features: &'a Features,
    group_of_row: Vec<usize>,
    spread: Arc<ClassSpread>,
}

impl<'a> Groups<'a> {
    /// The classes of labeled rows; a class without rows is left out.
    pub fn of_classes(data: &'a Labeled) -> Self {
        let features = data.features();
        let (group_of_row, counts) = numbered(data.labels());
        let d = features.columns();
        let compute = || spread(features, &group_of_row, counts.clone());
        let spread = match (counts.len() + d) * d <= MOST_KEPT {
            true => data.spread().get_or(compute),
            false => Arc::new(compute()),
        };
        Self { features, group_of_row, spread }
    }

    /// The same groups of the rows by other features.
    pub(super) fn with_features<'b>(&self, features: &'b Features) -> Groups<'b> {
        let group_of_row = self.group_of_row.clone();
        let spread = Arc::new(spread(features, &group_of_row, self.spread.counts.clone()));
        Groups { features, group_of_row, spread }
    }

    /// Number of rows of each group.
    pub fn counts(&self) -> &[usize] {
        &self.spread.counts
    }

    /// The mean of each group, row-major, one row a group.
    pub fn means(&self) -> &[f64] {
        &self.spread.means
    }

    /// The level of rounding of each column, `[d]`.
    pub(super) fn rounding(&self) -> &[f64] {
        &self.spread.rounding
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.group_of_row.len()
    }

    /// The within-group covariance, divisor n, row-major `[d, d]`.
    ///
    /// ```text
    /// Σ_w = 1/n Σ_c Σ_{i in c} (x_i - m_c)(x_i - m_c)ᵀ
    /// ```
    /// # Numerics
    /// Two passes, the mean first. A column that is [constant](Features::constant_columns) but for rounding, or whose
    /// deviation is below 2^-40 of its largest magnitude, has exactly zero variance and covariance. The same on any number
    /// of threads.
    pub fn within_covariance(&self) -> Vec<f64> {
        let compute = || {
            let d = self.features.columns();
            let mut covariance =
                sum_of_products(self.rows(), d, |row, target| self.centered_row(row, target));
            covariance.iter_mut().for_each(|value| *value /= self.rows().max(1) as f64);
            clear_constant_columns(&mut covariance, &self.spread.rounding);
            covariance
        };
        self.spread.within.get_or_init(compute).clone()
    }

    /// The covariance of the rows, divisor n, row-major `[d, d]`: within plus between.
    pub(super) fn total_covariance(&self) -> Vec<f64> {
        let mut total = self.within_covariance();
        total.iter_mut().zip(self.between_covariance()).for_each(|(sum, x)| *sum += x);
        total
    }

    /// The mean of the rows, `[d]`.
    pub(super) fn mean(&self) -> Vec<f64> {
        let n = self.rows() as f64;
        let mut overall = vec![0.0; self.features.columns()];
        for (mean, &count) in self.spread.means.chunks_exact(overall.len()).zip(&self.spread.counts)
        {
            overall.iter_mut().zip(mean).for_each(|(sum, x)| *sum += x * (count as f64 / n));
        }
        overall
    }

    /// The features of all rows.
    pub(super) fn features(&self) -> &Features {
        self.features
    }

    /// The between-group covariance, divisor n, row-major `[d, d]`; within and between add up to the total.
    ///
    /// ```text
    /// Σ_b = 1/n Σ_c n_c (m_c - m)(m_c - m)ᵀ,   m = 1/n Σ_c n_c m_c
    /// ```
    pub(super) fn between_covariance(&self) -> Vec<f64> {
        let d = self.features.columns();
        let rows = self.weighted_means();
        sum_of_products(self.spread.counts.len(), d, |group, target| {
            target.copy_from_slice(&rows[group * d..(group + 1) * d]);
        })
    }

    /// Row r less the mean of its group.
    pub(super) fn centered_row(&self, row: usize, target: &mut [f64]) {
        let (group, d) = (self.group_of_row[row], target.len());
        let mean = &self.spread.means[group * d..(group + 1) * d];
        deviation(self.features, row, mean, target);
    }

    /// The within-group variance of each column, divisor n, `[d]`: the diagonal of the covariance.
    pub(super) fn within_variances(&self) -> Vec<f64> {
        let d = self.features.columns();
        let mut variances = vec![0.0; d];
        let mut deviation = vec![0.0; d];
        for row in 0..self.group_of_row.len() {
            self.centered_row(row, &mut deviation);
            variances.iter_mut().zip(&deviation).for_each(|(sum, x)| *sum += x * x);
        }
        for (variance, level) in variances.iter_mut().zip(&self.spread.rounding) {
            *variance /= self.rows().max(1) as f64;
            if variance.sqrt() <= *level {
                *variance = 0.0;
            }
        }
        variances
    }

    /// One row `√(n_c / n) (m_c - m)` a group, 0 where that is rounding: their products add up to the between-group
    /// covariance.
    pub(super) fn weighted_means(&self) -> Vec<f64> {
        let (d, n) = (self.features.columns(), self.rows() as f64);
        let mut rows = self.mean_deviations();
        for (row, &count) in rows.chunks_exact_mut(d).zip(&self.spread.counts) {
            let weight = (count as f64 / n).sqrt();
            row.iter_mut().for_each(|x| *x *= weight);
        }
        rows
    }

    /// One row `m_c - m` a group; a difference of the size of rounding is zero.
    fn mean_deviations(&self) -> Vec<f64> {
        let (d, overall) = (self.features.columns(), self.mean());
        let mut rows = self.spread.means.clone();
        for row in rows.chunks_exact_mut(d) {
            for ((x, mean), level) in row.iter_mut().zip(&overall).zip(&self.spread.rounding) {
                *x -= mean;
                if x.abs() <= *level {
                    *x = 0.0;
                }
            }
        }
        rows
    }

    /// Every row less the overall mean; a column that is constant within the groups has exactly that of the group's mean.
    pub(super) fn centered_rows(&self) -> Vec<f64> {
        let (n, d) = (self.group_of_row.len(), self.features.columns());
        let means = self.mean_deviations();
        let varies: Vec<bool> = self.within_variances().iter().map(|v| *v > 0.0).collect();
        let mut rows = vec![0.0; n * d];
        for (row, target) in rows.chunks_exact_mut(d).enumerate() {
            let group = self.group_of_row[row];
            self.centered_row(row, target);
            let means = &means[group * d..(group + 1) * d];
            for ((x, mean), varies) in target.iter_mut().zip(means).zip(&varies) {
                *x = if *varies { *x + mean } else { *mean };
            }
        }
        rows
    }
}

/// Groups numbered from 0 in the order of their ids, that of each row, and the number of rows of each.
fn numbered(ids: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut index_of_id: BTreeMap<usize, usize> = ids.iter().map(|&id| (id, 0)).collect();
    index_of_id.values_mut().enumerate().for_each(|(index, value)| *value = index);
    let group_of_row: Vec<usize> = ids.iter().map(|id| index_of_id[id]).collect();
    let mut counts = vec![0; index_of_id.len()];
    group_of_row.iter().for_each(|&group| counts[group] += 1);
    (group_of_row, counts)
}

fn spread(features: &Features, group_of_row: &[usize], counts: Vec<usize>) -> ClassSpread {
    let means = group_means(features, group_of_row, &counts);
    let rounding = rounding_levels(features);
    ClassSpread { counts, means, rounding, within: OnceLock::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::assert_close;
    use crate::data::{Scaling, ScalingKind, TrainingData};

    #[test]
    fn copies_of_a_table_share_its_spread_and_other_rows_do_not() {
        let features = Features::unnamed(vec![0.0, 2.0, 10.0, 12.0], 1).unwrap();
        let data = Labeled::from_labels(features, vec![0, 0, 1, 1]).unwrap();
        let spread = |data: &Labeled| Arc::clone(&Groups::of_classes(data).spread);
        let first = spread(&data);
        for same in [data.clone(), data.select(&[0, 1, 2, 3])] {
            assert!(Arc::ptr_eq(&first, &spread(&same)));
        }
        let mut scaled = data.clone();
        scaled.scale(&Scaling::fit(ScalingKind::Standardize, data.features())).unwrap();
        for (other, means) in [
            (data.select(&[1, 0, 3, 3]), [1.0, 12.0]),
            (scaled, [-5.0 / 26f64.sqrt(), 5.0 / 26f64.sqrt()]),
        ] {
            assert!(!Arc::ptr_eq(&first, &spread(&other)));
            assert_close(Groups::of_classes(&other).means(), &means, 1e-12);
        }
        assert_eq!(Groups::of_classes(&data).means(), [1.0, 11.0]);
    }

    #[test]
    fn empty_classes_are_left_out() {
        let features = Features::unnamed(vec![0.0, 2.0, 100.0, 10.0, 12.0], 1).unwrap();
        let names = vec!["a".into(), "empty".into(), "b".into(), "c".into()];
        let data = Labeled::new(features, vec![3, 3, 2, 0, 0], names).unwrap();
        let groups = Groups::of_classes(&data);
        assert_eq!((groups.counts(), groups.means()), (&[2, 1, 2][..], &[11.0, 100.0, 1.0][..]));
        assert_eq!(groups.within_covariance(), [0.8]);
    }
}
