//! A Gaussian with a full covariance for each class: the classifier that the paper compares LCA with.

use anyhow::{Result, anyhow};
use burn_nca_learn::data::{Features, Labeled};
use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, Mat, Par, Side};

/// What the diagonal of a covariance is raised by, as a share of its mean.
const RIDGE: f64 = 1e-6;

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
        let n = train.rows() as f64;
        let of_class = |class: usize| -> Vec<&[f64]> {
            let rows = (0..train.rows()).filter(|row| train.labels()[*row] == class);
            rows.map(|row| train.features().row(row)).collect()
        };
        let classes = (0..train.classes()).map(|class| (class, of_class(class)));
        let gaussians = classes.filter(|(_, rows)| !rows.is_empty()).map(|(class, rows)| {
            let mean = mean(&rows);
            let root = covariance(&rows, &mean)
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

#[cfg(test)]
mod tests {
    use super::*;

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
