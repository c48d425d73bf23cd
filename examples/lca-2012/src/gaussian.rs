//! A Gaussian with a full covariance for each class: the classifier that the paper compares LCA with.

use anyhow::{Context, Result};
use burn_nca::data::{Features, Labelled};

/// What the diagonal of a covariance is raised by, as a share of its mean.
const RIDGE: f64 = 1e-6;

/// The classes as Gaussians.
pub struct Gaussians(Vec<Gaussian>);

struct Gaussian {
    class: usize,
    mean: Vec<f64>,
    /// The lower triangle L of the covariance L Lᵀ, row-major `[p, p]`.
    root: Vec<f64>,
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
    pub fn fit(train: &Labelled) -> Result<Self> {
        let n = train.rows() as f64;
        let of_class = |class: usize| -> Vec<&[f64]> {
            let rows = (0..train.rows()).filter(|row| train.labels()[*row] == class);
            rows.map(|row| train.features().row(row)).collect()
        };
        let classes = (0..train.classes()).map(|class| (class, of_class(class)));
        let gaussians = classes.filter(|(_, rows)| !rows.is_empty()).map(|(class, rows)| {
            let mean = mean(&rows);
            let root = root(covariance(&rows, &mean), mean.len())
                .with_context(|| format!("the covariance of class {class} cannot be inverted"))?;
            let log_det: f64 = (0..mean.len()).map(|at| root[at * mean.len() + at].ln()).sum();
            let constant = (rows.len() as f64 / n).ln() - log_det;
            Ok(Gaussian { class, mean, root, constant })
        });
        gaussians.collect::<Result<_>>().map(Self)
    }

    /// The most probable class of each row.
    pub fn predict(&self, rows: &Features) -> Vec<usize> {
        let best = |row: usize| {
            let score = |gaussian: &&Gaussian| gaussian.score(rows.row(row));
            let best = self.0.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
            best.map_or(0, |gaussian| gaussian.class)
        };
        (0..rows.rows()).map(best).collect()
    }
}

impl Gaussian {
    fn score(&self, x: &[f64]) -> f64 {
        let p = x.len();
        // L y = x - µ, whose square is the distance.
        let mut y = Vec::with_capacity(p);
        for (row, (x, mean)) in x.iter().zip(&self.mean).enumerate() {
            let known: f64 = y.iter().zip(&self.root[row * p..]).map(|(y, l)| y * l).sum();
            y.push((x - mean - known) / self.root[row * p + row]);
        }
        self.constant - 0.5 * y.iter().map(|y| y * y).sum::<f64>()
    }
}

fn mean(rows: &[&[f64]]) -> Vec<f64> {
    let mut mean = vec![0.0; rows[0].len()];
    rows.iter().for_each(|row| mean.iter_mut().zip(*row).for_each(|(mean, x)| *mean += x));
    mean.iter_mut().for_each(|mean| *mean /= rows.len() as f64);
    mean
}

/// `Σ (x - µ)(x - µ)ᵀ / n`, its diagonal raised.
fn covariance(rows: &[&[f64]], mean: &[f64]) -> Vec<f64> {
    let p = mean.len();
    let mut sum = vec![0.0; p * p];
    for row in rows {
        for a in 0..p {
            for b in 0..=a {
                sum[a * p + b] += (row[a] - mean[a]) * (row[b] - mean[b]);
            }
        }
    }
    sum.iter_mut().for_each(|entry| *entry /= rows.len() as f64);
    let trace: f64 = (0..p).map(|at| sum[at * p + at]).sum();
    let ridge = RIDGE * trace / p as f64 + f64::MIN_POSITIVE;
    (0..p).for_each(|at| sum[at * p + at] += ridge);
    sum
}

/// The Cholesky factor of a lower triangle, in its place; `None` where there is none.
fn root(mut matrix: Vec<f64>, p: usize) -> Option<Vec<f64>> {
    for row in 0..p {
        for column in 0..=row {
            let known: f64 =
                (0..column).map(|at| matrix[row * p + at] * matrix[column * p + at]).sum();
            let rest = matrix[row * p + column] - known;
            matrix[row * p + column] = if row > column {
                rest / matrix[column * p + column]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(matrix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_worked_by_hand() {
        // Covariance [[1, 1], [1, 2]] about (1, 0), of all rows.
        let values = vec![2.0, 1.0, 0.0, -1.0, 1.0, 2.0_f64.sqrt(), 1.0, -(2.0_f64.sqrt())];
        let features = Features::unnamed(values, 2).unwrap();
        let data = Labelled::from_labels(features, vec![0; 4]).unwrap();
        let found = Gaussians::fit(&data).unwrap();
        // Σ = [[½, ½], [½, 3/2]], det ½, Σ⁻¹ = [[3, -1], [-1, 1]]: at (2, 0) the square is 3.
        let expected = -0.5 * 0.5_f64.ln() - 1.5;
        assert!((found.0[0].score(&[2.0, 0.0]) - expected).abs() < 1e-4);
    }

    #[test]
    fn a_wide_and_a_narrow_class_about_one_place_are_told_apart() {
        let narrow = (0..40).map(|at| f64::from(at % 5) / 50.0);
        let wide = (0..40).map(|at| f64::from(at % 9) - 4.0);
        let values: Vec<f64> = narrow.chain(wide).collect();
        let labels = (0..80).map(|row| usize::from(row >= 40)).collect();
        let data = Labelled::from_labels(Features::unnamed(values, 1).unwrap(), labels).unwrap();
        let new = Features::unnamed(vec![0.05, 3.0, -2.0], 1).unwrap();
        assert_eq!(Gaussians::fit(&data).unwrap().predict(&new), [0, 1, 1]);
    }
}
