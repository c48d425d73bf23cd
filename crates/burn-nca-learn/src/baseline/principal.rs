//! The principal directions of rows, by the smaller of their two scatter matrices.

use std::borrow::Cow;

use super::eigen::{SymmetricEigen, fix_signs};
use super::scatter::{clear_constant_columns, deviation, sum_of_products};
use super::span::RowSpan;
use crate::data::{Features, rounding_levels};
use crate::error::Result;

/// The eigenvectors of a scatter `1/divisor Σ u uᵀ`, by falling variance and with fixed signs; of fewer rows than features
/// in the coordinates of their span ([`RowSpan`]), where the scatter is n x n.
pub(super) struct Principal {
    /// The sum of all variances.
    pub total: f64,
    eigen: SymmetricEigen,
    span: Option<RowSpan>,
}

/// Rows u of d columns each, without a mean.
pub(super) struct Deviations<'a, F: Fn(usize, &mut [f64]) + Sync> {
    /// Number of rows.
    pub rows: usize,
    /// The level of rounding of each column, `[d]`: a column of no more deviation is constant.
    pub rounding: Cow<'a, [f64]>,
    /// What the sum of products is divided by.
    pub divisor: f64,
    /// Writes one row.
    pub fill: F,
}

/// The rows of features less a center.
pub(super) fn deviations<'a>(
    features: &'a Features,
    center: &'a [f64],
    divisor: f64,
) -> Deviations<'a, impl Fn(usize, &mut [f64]) + Sync> {
    let fill = |row, target: &mut [f64]| deviation(features, row, center, target);
    let rounding = Cow::Owned(rounding_levels(features));
    Deviations { rows: features.rows(), rounding, divisor, fill }
}

impl<F: Fn(usize, &mut [f64]) + Sync> Deviations<'_, F> {
    /// The principal directions of the rows.
    pub fn principal(&self) -> Result<Principal> {
        if self.rows < self.rounding.len() { self.in_span() } else { self.in_features() }
    }

    fn in_features(&self) -> Result<Principal> {
        let d = self.rounding.len();
        let mut scatter = self.scatter(d, &self.fill);
        clear_constant_columns(&mut scatter, &self.rounding);
        Principal::of_scatter(&scatter, d, None)
    }

    fn in_span(&self) -> Result<Principal> {
        let d = self.rounding.len();
        let span = RowSpan::of(&self.cleared_rows(), d);
        let (coordinates, r) = (span.coordinates(), span.dimensions());
        let scatter = self.scatter(r, |row, target: &mut [f64]| {
            target.copy_from_slice(&coordinates[row * r..(row + 1) * r]);
        });
        Principal::of_scatter(&scatter, r, Some(span))
    }

    fn scatter(&self, columns: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let mut scatter = sum_of_products(self.rows, columns, fill);
        scatter.iter_mut().for_each(|value| *value /= self.divisor);
        scatter
    }

    /// The rows, with columns that are constant but for rounding set to zero.
    fn cleared_rows(&self) -> Vec<f64> {
        let d = self.rounding.len();
        let mut rows = vec![0.0; self.rows * d];
        rows.chunks_exact_mut(d).enumerate().for_each(|(row, target)| (self.fill)(row, target));
        let mut squares = vec![0.0; d];
        for row in rows.chunks_exact(d) {
            squares.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * x);
        }
        let is_constant = |j: &usize| (squares[*j] / self.divisor).sqrt() <= self.rounding[*j];
        for column in (0..d).filter(is_constant) {
            rows.iter_mut().skip(column).step_by(d).for_each(|x| *x = 0.0);
        }
        rows
    }
}

impl Principal {
    /// The directions of a scatter of `size` coordinates: those of the features, or of the rows in their span.
    pub fn of_scatter(scatter: &[f64], size: usize, span: Option<RowSpan>) -> Result<Self> {
        let total = scatter.iter().step_by(size + 1).sum();
        let eigen = SymmetricEigen::new(scatter, size)?;
        Ok(Self { total, eigen, span })
    }

    /// The variances, falling: min(n, d) of them; along all further directions there is none.
    pub fn variances(&self) -> &[f64] {
        &self.eigen.values
    }

    /// The first `count` directions as columns, row-major `[d, count]`, orthonormal; those past the variances are arbitrary
    /// (but deterministic).
    pub fn leading(&self, count: usize) -> Vec<f64> {
        let Some(span) = &self.span else { return self.eigen.leading(count) };
        let known = self.variances().len();
        let mut directions = vec![0.0; known.max(count) * count];
        let leading = self.eigen.leading(count.min(known));
        let rows = directions.chunks_exact_mut(count).zip(leading.chunks_exact(count.min(known)));
        rows.for_each(|(target, row)| target[..row.len()].copy_from_slice(row));
        (known..count).for_each(|beyond| directions[beyond * count + beyond] = 1.0);
        let mut lifted = span.lift(&directions, count);
        fix_signs(&mut lifted, count);
        lifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::{assert_close, random_labeled};

    /// Compares both routes: all variances that are there, and the directions of those.
    fn compare(features: &Features, rank: usize) {
        let origin = vec![0.0; features.columns()];
        let deviations = deviations(features, &origin, features.rows() as f64);
        let by_features = deviations.in_features().unwrap();
        let by_span = deviations.in_span().unwrap();
        let largest = by_features.variances()[0];
        assert_close(&[by_span.total / largest], &[by_features.total / largest], 1e-12);
        for (route, other) in [(&by_features, &by_span), (&by_span, &by_features)] {
            assert_close(&route.variances()[..rank], &other.variances()[..rank], 1e-12 * largest);
            assert!(route.variances()[rank..].iter().all(|v| v.abs() < 1e-12 * largest));
        }
        assert_close(&by_span.leading(rank), &by_features.leading(rank), 1e-8);
    }

    #[test]
    fn both_routes_agree_on_wide_and_tall_rows() {
        for (n, d) in [(4, 9), (12, 60), (60, 12), (9, 9)] {
            compare(random_labeled(n, d, 3, 7).features(), n.min(d));
        }
    }

    #[test]
    fn both_routes_agree_on_deficient_repeated_and_constant_rows_and_columns() {
        // Rank 3: combinations of three rows, each twice, and a column of zeros.
        let base = random_labeled(3, 20, 3, 5);
        let mut values = Vec::new();
        for step in 0..12 {
            let (a, b) = (f64::from(step % 6), f64::from(step % 6 % 4) - 1.5);
            let rows = base.features();
            let mix = (0..20).map(|j| rows.row(0)[j] + a * rows.row(1)[j] + b * rows.row(2)[j]);
            values.extend(mix.enumerate().map(|(j, x)| if j == 4 { 0.0 } else { x }));
        }
        compare(&Features::unnamed(values, 20).unwrap(), 3);
    }
}
