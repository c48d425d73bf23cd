//! A Gaussian for each class, with a full covariance or that of factors: the classifiers that the paper compares LCA with.

use anyhow::{Result, anyhow};
use burn_nca_learn::data::{Features, Labeled};
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, Par, Side};

/// What the diagonal of a covariance is raised by, as a share of its mean.
const RIDGE: f64 = 1e-6;

/// Steps of EM of a factor analyzer at most.
const STEPS: usize = 100;

/// The least share of a feature's variance that is its own.
const OWN_SHARE: f64 = 1e-3;

/// The classes as Gaussians.
pub struct Gaussians(Vec<Gaussian>);

struct Gaussian {
    class: usize,
    mean: Vec<f64>,
    /// The covariance as L Lᵀ.
    root: Llt<f64>,
    /// `log n_c/n - log det L`.
    constant: f64,
}

impl Gaussians {
    /// Means, covariances and shares of the classes.
    ///
    /// ```text
    /// log p(c | x) = log n_c/n - ½ log det Σ_c - ½ (x - µ_c)ᵀ Σ_c⁻¹ (x - µ_c) + const
    /// ```
    ///
    /// # Errors
    /// A covariance that is none.
    pub fn fit(train: &Labeled) -> Result<Self> {
        Self::with(train, Ok)
    }

    /// The same, each covariance that of p factors: `Σ_c = Λ Λᵀ + Ψ`, Λ of p columns, Ψ diagonal.
    ///
    /// # Errors
    /// As [`Gaussians::fit`].
    pub fn of_factors(train: &Labeled, p: usize) -> Result<Self> {
        Self::with(train, |covariance| factored(&covariance, p))
    }

    fn with(train: &Labeled, model: impl Fn(Mat<f64>) -> Result<Mat<f64>>) -> Result<Self> {
        let n = train.rows() as f64;
        let of_class = |class: usize| -> Vec<&[f64]> {
            let rows = (0..train.rows()).filter(|row| train.labels()[*row] == class);
            rows.map(|row| train.features().row(row)).collect()
        };
        let classes = (0..train.classes()).map(|class| (class, of_class(class)));
        let gaussians = classes.filter(|(_, rows)| !rows.is_empty()).map(|(class, rows)| {
            let mean = mean(&rows);
            let root = model(covariance(&rows, &mean))?
                .llt(Side::Lower)
                .map_err(|_| anyhow!("the covariance of class {class} is not positive definite"))?;
            let log_det: f64 = (0..mean.len()).map(|at| root.L()[(at, at)].ln()).sum();
            let constant = (rows.len() as f64 / n).ln() - log_det;
            Ok(Gaussian { class, mean, root, constant })
        });
        gaussians.collect::<Result<_>>().map(Self)
    }

    /// The most probable class of each row.
    pub fn predict(&self, rows: &Features) -> Vec<usize> {
        let scores: Vec<Vec<f64>> = self.0.iter().map(|gaussian| gaussian.scores(rows)).collect();
        let best = |row: usize| {
            let of_class =
                (0..self.0.len()).max_by(|a, b| scores[*a][row].total_cmp(&scores[*b][row]));
            of_class.map_or(0, |at| self.0[at].class)
        };
        (0..rows.rows()).map(best).collect()
    }
}

impl Gaussian {
    /// `log p(c | x)` of each row, but for a constant that all classes share.
    fn scores(&self, rows: &Features) -> Vec<f64> {
        // L y = x - µ, whose square is the distance.
        let mut y = centered(rows.rows(), |row| rows.row(row), &self.mean);
        solve_lower_triangular_in_place(self.root.L(), y.as_mut(), Par::Seq);
        y.col_iter().map(|y| self.constant - 0.5 * y.squared_norm_l2()).collect()
    }
}

fn mean(rows: &[&[f64]]) -> Vec<f64> {
    let mut mean = vec![0.0; rows[0].len()];
    rows.iter().for_each(|row| mean.iter_mut().zip(*row).for_each(|(mean, x)| *mean += x));
    mean.iter_mut().for_each(|mean| *mean /= rows.len() as f64);
    mean
}

/// The rows less the mean, each a column.
fn centered<'r>(rows: usize, row: impl Fn(usize) -> &'r [f64], mean: &[f64]) -> Mat<f64> {
    Mat::from_fn(mean.len(), rows, |at, number| row(number)[at] - mean[at])
}

/// `Σ (x - µ)(x - µ)ᵀ / n`, its diagonal raised.
fn covariance(rows: &[&[f64]], mean: &[f64]) -> Mat<f64> {
    let (n, p) = (rows.len(), mean.len());
    let centered = centered(n, |row| rows[row], mean);
    let mut sum = Mat::zeros(p, p);
    let (left, right) = (centered.as_ref(), centered.transpose());
    matmul(sum.as_mut(), Accum::Replace, left, right, 1.0 / n as f64, Par::Seq);
    let trace: f64 = (0..p).map(|at| sum[(at, at)]).sum();
    let ridge = RIDGE * trace / p as f64 + f64::MIN_POSITIVE;
    (0..p).for_each(|at| sum[(at, at)] += ridge);
    sum
}

/// `Λ Λᵀ + Ψ` where rows of this covariance S are most likely, by EM from the principal components.
///
/// ```text
/// M = I + Λᵀ Ψ⁻¹ Λ,   β = M⁻¹ Λᵀ Ψ⁻¹
/// Λ ← S βᵀ (M⁻¹ + β S βᵀ)⁻¹,   Ψ ← diag(S - Λ β S)
/// ```
///
/// # References
/// D. B. Rubin, D. T. Thayer, EM algorithms for ML factor analysis, Psychometrika 47, 1982.
fn factored(s: &Mat<f64>, p: usize) -> Result<Mat<f64>> {
    let d = s.nrows();
    let failed = |_| anyhow!("a covariance of {d} features has no factors");
    let eigen = s
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| anyhow!("a covariance has no eigenvectors"))?;
    let (vectors, values) = (eigen.U(), eigen.S().column_vector());
    // Eigenvalues rise.
    let rest = (0..d - p).map(|at| values[at]).sum::<f64>() / (d - p).max(1) as f64;
    let mut loadings = Mat::from_fn(d, p, |row, factor| {
        let at = d - 1 - factor;
        vectors[(row, at)] * (values[at] - rest).max(0.0).sqrt()
    });
    let own = |rest: &Mat<f64>, row: usize| rest[(row, row)].max(OWN_SHARE * s[(row, row)]);
    let first = s - &loadings * loadings.transpose();
    let mut psi: Vec<f64> = (0..d).map(|row| own(&first, row)).collect();
    for _ in 0..STEPS {
        let scaled = Mat::from_fn(d, p, |row, factor| loadings[(row, factor)] / psi[row]);
        let moment = Mat::<f64>::identity(p, p) + loadings.transpose() * &scaled;
        let inverse = moment.llt(Side::Lower).map_err(failed)?.solve(Mat::<f64>::identity(p, p));
        let beta = &inverse * scaled.transpose();
        let cross = s * beta.transpose();
        let expected = inverse + &beta * &cross;
        let next = expected.llt(Side::Lower).map_err(failed)?.solve(cross.transpose());
        let rest = s - next.transpose() * cross.transpose();
        loadings = next.transpose().to_owned();
        let before = core::mem::replace(&mut psi, (0..d).map(|row| own(&rest, row)).collect());
        let moved = psi.iter().zip(&before).map(|(psi, before)| (psi / before).ln().abs());
        if moved.fold(0.0, f64::max) < 1e-3 {
            break;
        }
    }
    let mut sigma = &loadings * loadings.transpose();
    (0..d).for_each(|row| sigma[(row, row)] += psi[row]);
    Ok(sigma)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_covariance_of_factors_is_found_again() {
        let (d, p) = (7, 2);
        let loadings =
            Mat::from_fn(d, p, |row, factor| ((row * 5 + factor * 3) % 7) as f64 / 3.0 - 1.0);
        let mut sigma = &loadings * loadings.transpose();
        (0..d).for_each(|row| sigma[(row, row)] += 0.2 + row as f64 / 10.0);
        let found = factored(&sigma, p).unwrap();
        for (row, column) in (0..d).flat_map(|row| (0..d).map(move |column| (row, column))) {
            let (a, b) = (found[(row, column)], sigma[(row, column)]);
            assert!((a - b).abs() < 0.02, "{row} {column}: {a} {b}");
        }
        // With as many factors as features the rest is the least that is allowed.
        let all = factored(&sigma, d).unwrap();
        assert!((all[(0, 1)] - sigma[(0, 1)]).abs() < 0.02);
    }

    #[test]
    fn scores_are_those_worked_by_hand() {
        // Covariance [[1, 1], [1, 2]] about (1, 0), of all rows.
        let values = vec![2.0, 1.0, 0.0, -1.0, 1.0, 2.0_f64.sqrt(), 1.0, -(2.0_f64.sqrt())];
        let features = Features::unnamed(values, 2).unwrap();
        let data = Labeled::from_labels(features, vec![0; 4]).unwrap();
        let found = Gaussians::fit(&data).unwrap();
        // Σ = [[½, ½], [½, 3/2]], det ½, Σ⁻¹ = [[3, -1], [-1, 1]]: at (2, 0) the square is 3.
        let expected = -0.5 * 0.5_f64.ln() - 1.5;
        let at = Features::unnamed(vec![2.0, 0.0], 2).unwrap();
        assert!((found.0[0].scores(&at)[0] - expected).abs() < 1e-4);
    }

    #[test]
    fn a_wide_and_a_narrow_class_about_one_place_are_told_apart() {
        let narrow = (0..40).map(|at| f64::from(at % 5) / 50.0);
        let wide = (0..40).map(|at| f64::from(at % 9) - 4.0);
        let values: Vec<f64> = narrow.chain(wide).collect();
        let labels = (0..80).map(|row| usize::from(row >= 40)).collect();
        let data = Labeled::from_labels(Features::unnamed(values, 1).unwrap(), labels).unwrap();
        let new = Features::unnamed(vec![0.05, 3.0, -2.0], 1).unwrap();
        assert_eq!(Gaussians::fit(&data).unwrap().predict(&new), [0, 1, 1]);
    }
}
