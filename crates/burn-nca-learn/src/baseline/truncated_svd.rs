//! The leading singular directions of sparse rows, without writing their zeros out.

use std::ops::ControlFlow;

use burn::config::Config;
use faer::{Mat, MatRef};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Projection;
use super::eigen::{fix_signs, not_converged};
use super::product::{cross_product, product};
use crate::data::{Features, ROUNDING, SparseFeatures};
use crate::error::{Error, Result};

/// The most numbers in the matrices of a decomposition: 16 GiB.
const MOST_VALUES: usize = 1 << 31;

/// The k leading right singular vectors of sparse rows, or with `center` their principal directions; fewer where the
/// singular values of the others are rounding.
///
/// ```text
/// X ≈ U S Vᵀ (center: X - 1 mᵀ),   A = Vᵀ,   z = A x
/// ```
/// Randomized subspace iteration \[1\]: an orthonormal basis of `(X Xᵀ)^q X Ω` with a seeded Gaussian Ω of k +
/// `oversampling` columns, and the decomposition of X in it; singular values of texts are exact to some 1e-4. Memory: four
/// dense matrices of (n + d) rows and k + `oversampling` columns, at most 2^31 numbers in all.
///
/// # Numerics
/// Singular values of at most 2^-40 of the rows' norm are rounding, and their directions are left out (all but the
/// first). With `center`, so are the columns that are [constant](SparseFeatures::constant_columns) but for rounding.
///
/// # References
/// \[1\] N. Halko, P. G. Martinsson, J. A. Tropp, Finding Structure with Randomness, SIAM Review 53(2), 2011,
/// algorithms 4.4 and 5.1.
///
/// # Examples
/// ```
/// use burn_nca_learn::baseline::TruncatedSvdConfig;
/// use burn_nca_learn::data::SparseFeatures;
///
/// let counts = SparseFeatures::new([3, 3], vec![(0, 0, 2.0), (1, 0, 2.0), (2, 2, 1.0)])?;
/// let svd = TruncatedSvdConfig::new(1).fit(&counts)?;
/// assert!((svd.singular_values[0] - 8f64.sqrt()).abs() < 1e-12);
/// assert_eq!(svd.apply(&counts)?.columns(), 1);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug, PartialEq)]
pub struct TruncatedSvdConfig {
    /// Number of directions, k.
    pub d_output: usize,
    /// Whether the mean of the rows is subtracted first: PCA.
    #[config(default = false)]
    pub center: bool,
    /// Directions beyond k that are followed as well.
    #[config(default = 20)]
    pub oversampling: usize,
    /// Passes over X and its transpose, q.
    #[config(default = 6)]
    pub iterations: usize,
    /// Seed of Ω.
    #[config(default = 0)]
    pub seed: u64,
}

/// The result of a truncated singular value decomposition.
#[derive(Clone, Debug, PartialEq)]
pub struct TruncatedSvd {
    /// The map onto the directions.
    pub projection: Projection,
    /// The singular values, falling.
    pub singular_values: Vec<f64>,
    /// Passes over X and its transpose that were taken.
    pub passes: usize,
}

impl TruncatedSvd {
    /// The embedding of sparse rows, `[n, k]`; no mean is subtracted (distances do not depend on it).
    ///
    /// # Errors
    /// Rows of another number of columns.
    pub fn apply(&self, features: &SparseFeatures) -> Result<Features> {
        let [d, k] = self.projection.shape();
        if features.columns() != d {
            return Err(Error::data(format!(
                "the rows have {} columns, the map was made for {d}; give the same columns",
                features.columns()
            )));
        }
        Features::unnamed(features.product(&self.projection.weight(), k), k)
    }
}

impl TruncatedSvdConfig {
    /// Finds the directions.
    ///
    /// # Errors
    /// k of 0, or more than rows or columns; matrices of more than 2^31 numbers; a decomposition that does not converge.
    pub fn fit(&self, features: &SparseFeatures) -> Result<TruncatedSvd> {
        self.fit_until(features, |_| Ok(ControlFlow::Continue(())))
    }

    /// As [`fit`](Self::fit), asking before every pass, with the number of those that were taken: a break takes the
    /// directions of the passes so far, which are less exact, and an error cancels the decomposition.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), or that of `on_pass`.
    pub fn fit_until<E: From<Error>>(
        &self,
        features: &SparseFeatures,
        mut on_pass: impl FnMut(usize) -> Result<ControlFlow<()>, E>,
    ) -> Result<TruncatedSvd, E> {
        let (n, d, k) = (features.rows(), features.columns(), self.d_output);
        let width = self.checked_width([n, d])?;
        let constant = if self.center { features.constant_columns() } else { Vec::new() };
        let varying = features.cleared(&constant);
        let rows = Centered::new(&varying, self.center);
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let gauss: Vec<f64> = (0..d * width).map(|_| StandardNormal.sample(&mut rng)).collect();
        let mut basis = orthonormal(&rows.product(&gauss, width), width);
        let mut passes = 0;
        while passes < self.iterations && on_pass(passes)?.is_continue() {
            let right = orthonormal(&rows.transposed_product(&basis, width), width);
            basis = orthonormal(&rows.product(&right, width), width);
            passes += 1;
        }
        // X ≈ Q Qᵀ X: the right singular vectors of Qᵀ X are the left ones of its transpose, [d, width].
        let inner = rows.transposed_product(&basis, width);
        let svd = MatRef::from_row_major_slice(&inner, d, width)
            .thin_svd()
            .map_err(|_| not_converged(d))?;
        let values = svd.S().column_vector();
        let rounding = ROUNDING * varying.norm();
        let k = (1..k).find(|&j| values[j] <= rounding).unwrap_or(k);
        let mut weight: Vec<f64> =
            (0..d).flat_map(|i| (0..k).map(move |j| (i, j))).map(|at| svd.U()[at]).collect();
        constant.iter().for_each(|&column| weight[column * k..][..k].fill(0.0));
        fix_signs(&mut weight, k);
        Ok(TruncatedSvd {
            projection: Projection::new(weight, [d, k]),
            singular_values: (0..k).map(|j| values[j]).collect(),
            passes,
        })
    }

    /// The columns of the basis for rows `[n, d]`, before anything is allocated.
    fn checked_width(&self, [n, d]: [usize; 2]) -> Result<usize> {
        let k = self.d_output;
        if k == 0 || k > n.min(d) {
            return Err(Error::setting(format!(
                "a truncated SVD was asked for {k} directions of {n} x {d} features; ask for 1 to {}",
                n.min(d)
            )));
        }
        let width = k.saturating_add(self.oversampling).min(n.min(d));
        let column = n.saturating_add(d).saturating_mul(4);
        let values = column.saturating_mul(width);
        if values <= MOST_VALUES {
            return Ok(width);
        }
        let cure = match (MOST_VALUES / column).saturating_sub(self.oversampling) {
            0 => "give fewer rows or columns".to_string(),
            most => format!("ask for {most} directions or fewer"),
        };
        Err(Error::setting(format!(
            "a truncated SVD of {n} x {d} features to {k} directions takes matrices of {values} numbers, more than \
             {MOST_VALUES}; {cure}"
        )))
    }
}

/// Sparse rows less their mean, which is subtracted from products alone.
struct Centered<'a> {
    rows: &'a SparseFeatures,
    columns: SparseFeatures,
    mean: Option<Vec<f64>>,
}

impl<'a> Centered<'a> {
    fn new(rows: &'a SparseFeatures, center: bool) -> Self {
        Self { rows, columns: rows.transposed(), mean: center.then(|| rows.mean()) }
    }

    /// `(X - 1 mᵀ) R`, `[n, k]`.
    fn product(&self, right: &[f64], k: usize) -> Vec<f64> {
        let mut result = self.rows.product(right, k);
        if let Some(mean) = &self.mean {
            let shift = product(mean, right, mean.len());
            for row in result.chunks_exact_mut(k) {
                row.iter_mut().zip(&shift).for_each(|(x, shift)| *x -= shift);
            }
        }
        result
    }

    /// `(X - 1 mᵀ)ᵀ L`, `[d, k]`.
    fn transposed_product(&self, left: &[f64], k: usize) -> Vec<f64> {
        let mut result = self.columns.product(left, k);
        if let Some(mean) = &self.mean {
            let sums = cross_product(&vec![1.0; left.len() / k], left, [1, k]);
            for (row, mean) in result.chunks_exact_mut(k).zip(mean) {
                row.iter_mut().zip(&sums).for_each(|(x, sum)| *x -= mean * sum);
            }
        }
        result
    }
}

/// An orthonormal basis of the columns of a row-major matrix `[n, k]`, n at least k.
fn orthonormal(matrix: &[f64], k: usize) -> Vec<f64> {
    let n = matrix.len() / k;
    let q: Mat<f64> = MatRef::from_row_major_slice(matrix, n, k).qr().compute_thin_Q();
    (0..n).flat_map(|i| (0..k).map(move |j| (i, j))).map(|at| q[at]).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow::{Break, Continue};

    use super::*;
    use crate::baseline::PcaConfig;
    use crate::baseline::fixture::{assert_close, assert_refused};

    /// Rows of falling variance with a third of the entries set.
    fn rows() -> SparseFeatures {
        let entries = (0..60_usize).flat_map(|row| {
            let column = move |column: usize| {
                let value = ((row * 31 + column * 17 + row * column) % 23) as f64;
                (row, column, (1.0 + value) / (1 + column * column) as f64)
            };
            (0..20).filter(move |c| (row + 2 * c) % 3 == 0).map(column)
        });
        SparseFeatures::new([60, 20], entries.collect()).unwrap()
    }

    #[test]
    fn centered_directions_are_the_principal_ones() {
        let rows = rows();
        let svd = TruncatedSvdConfig::new(4).with_center(true).fit(&rows).unwrap();
        let pca = PcaConfig::new(4).fit(&rows.to_dense().unwrap()).unwrap();
        let variances: Vec<f64> = svd.singular_values.iter().map(|s| s * s / 59.0).collect();
        assert_close(&variances, &pca.explained_variance, 1e-9);
        assert_close(&svd.projection.weight(), &pca.projection.weight(), 1e-7);
        let embedded = svd.apply(&rows).unwrap();
        let expected = pca.projection.apply(&rows.to_dense().unwrap()).unwrap();
        assert_close(embedded.values(), expected.values(), 1e-6);
    }

    #[test]
    fn without_a_center_the_rows_are_approximated_best() {
        let rows = rows();
        let svd = TruncatedSvdConfig::new(20).fit(&rows).unwrap();
        let total: f64 = svd.singular_values.iter().map(|s| s * s).sum();
        let squares: f64 = rows.to_dense().unwrap().values().iter().map(|x| x * x).sum();
        assert!((total / squares - 1.0).abs() < 1e-10);
    }

    #[test]
    fn directions_and_columns_of_rounding_are_left_out() {
        // A sum that differs in its last bits, and a column twice.
        let entries = (0..40).flat_map(|row| {
            let x = ((row * 7) % 11) as f64;
            let total = 1e6 + if row % 3 == 0 { 1e-10 } else { 0.0 };
            [(row, 0, x), (row, 1, total), (row, 2, x), (row, 3, (row % 5) as f64)]
        });
        let rows = SparseFeatures::new([40, 5], entries.collect()).unwrap();
        assert_eq!(rows.constant_columns(), [1, 4]);
        let svd = TruncatedSvdConfig::new(5).with_center(true).fit(&rows).unwrap();
        assert_eq!((svd.projection.shape(), svd.singular_values.len()), ([5, 2], 2));
        let weight = svd.projection.weight();
        assert!([1, 4].iter().all(|column| weight[2 * column..][..2] == [0.0; 2]), "{weight:?}");
        let same =
            SparseFeatures::new([3, 2], vec![(0, 0, 2.0), (1, 0, 2.0), (2, 0, 2.0)]).unwrap();
        let svd = TruncatedSvdConfig::new(2).with_center(true).fit(&same).unwrap();
        assert_eq!((svd.projection.shape(), svd.singular_values), ([2, 1], vec![0.0]));
    }

    #[test]
    fn matrices_that_no_memory_holds_are_refused_before_they_are_made() {
        let width = |k, size| TruncatedSvdConfig::new(k).checked_width(size);
        assert_refused(width(20_000, [20_000, 60_000]), &["6400000000 numbers", "ask for 6690"]);
        assert_eq!(width(6690, [20_000, 60_000]).unwrap(), 6710);
        assert_refused(width(1, [1 << 40, 30]), &["give fewer rows or columns"]);
    }

    #[test]
    fn a_break_takes_the_directions_so_far_and_an_error_none() {
        let (rows, svd) = (rows(), TruncatedSvdConfig::new(4));
        let until = |most: usize| {
            let go_on = |passes| if passes < most { Continue(()) } else { Break(()) };
            svd.fit_until(&rows, |passes| Ok::<_, Error>(go_on(passes))).unwrap()
        };
        let (rough, exact) = (until(0), svd.fit(&rows).unwrap());
        assert_eq!((rough.passes, until(2).passes, exact.passes), (0, 2, 6));
        assert_eq!(until(9), exact);
        let last = |svd: &TruncatedSvd| svd.singular_values[3];
        assert!(last(&rough) > 0.0 && last(&rough) <= last(&exact) + 1e-9);
        let mut asked = 0;
        let canceled = svd.fit_until(&rows, |_| {
            asked += 1;
            Err(Error::setting("canceled"))
        });
        assert_eq!((canceled.unwrap_err().to_string().as_str(), asked), ("canceled", 1));
    }
}
