//! The iris table: 3-NN on the features as they are, and in the space of NCA.

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_data::bundled;
use burn_nca_learn::NcaConfig;
use burn_nca_learn::data::{Labeled, ScalingKind};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::evaluate::Accuracy;
use burn_nca_learn::fit::{FitConfig, LbfgsConfig, OptimizerConfig, Precision};
use burn_nca_learn::method::Euclidean;
use serde::Serialize;

/// The training rows of the slides, counted from 0; the other 105 are tested on.
///
/// They are those of scikit-learn's user guide, which the slides follow:
/// `train_test_split(X, y, stratify=y, test_size=0.7, random_state=42)`.
const TRAIN: [usize; 45] = [
    3, 4, 8, 12, 13, 17, 19, 25, 26, 30, 32, 37, 39, 45, 48, 50, 52, 60, 68, 71, 72, 79, 80, 83,
    88, 89, 94, 95, 96, 99, 101, 103, 105, 109, 110, 112, 115, 117, 118, 119, 128, 129, 142, 143,
    149,
];

/// The k of k-NN.
const NEIGHBORS: usize = 3;

/// The tolerance of scikit-learn's NCA.
const TOLERANCE: f64 = 1e-5;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// What was compared by.
    pub method: String,
    /// Test rows that are right.
    pub right: usize,
    /// Number of test rows.
    pub of: usize,
    /// Test rows that are right in the slides, which print percents.
    pub printed: usize,
    /// Test rows that are right with scikit-learn 1.9.1 on the same rows.
    pub scikit_learn: usize,
}

impl Score {
    /// So many right test rows in percent.
    pub fn percent(&self, right: usize) -> f64 {
        100.0 * right as f64 / self.of as f64
    }
}

/// The training rows and the test rows.
pub fn parts() -> (Labeled, Labeled) {
    let data = bundled::iris();
    let test: Vec<usize> = (0..data.rows()).filter(|row| !TRAIN.contains(row)).collect();
    (data.select(&TRAIN), data.select(&test))
}

/// All rows of the table.
///
/// # Errors
/// A fit that is refused.
pub fn scores(device: &Device) -> Result<Vec<Score>> {
    let (train, test) = parts();
    let plain = FitConfig::new().with_scaling(ScalingKind::None).with_precision(Precision::F64);
    // scipy compares the gradient of the sum with its tolerance, our optimizer that of the mean.
    let optimizer = LbfgsConfig::new()
        .with_max_iterations(50)
        .with_tolerance_progress(TOLERANCE)
        .with_tolerance_gradient(TOLERANCE / train.rows() as f64);
    let fit = plain.clone().with_optimizer(OptimizerConfig::Lbfgs(optimizer));
    let score = |method: &str, predicted: Vec<usize>, printed, scikit_learn| -> Result<Score> {
        let accuracy = Accuracy::of(&predicted, test.labels())?;
        let right = predicted.iter().zip(test.labels()).filter(|(a, b)| a == b).count();
        debug_assert_eq!(accuracy.value(), Some(right as f64 / test.rows() as f64));
        Ok(Score { method: method.into(), right, of: test.rows(), printed, scikit_learn })
    };
    let euclidean = Estimator::new(4, 4, Euclidean::new()).with_fit(plain);
    let euclidean = euclidean.fit(&train, device)?.predict(test.features(), NEIGHBORS)?;
    let mut rows = vec![score("k-NN", euclidean, 98, 98)?];
    for (k, name, printed, peer) in [
        (4, "k-NN after NCA", 101, 101),
        (3, "k-NN after NCA to 3 dimensions", 100, 100),
        (2, "k-NN after NCA to 2 dimensions", 103, 102),
    ] {
        let fitted = NcaConfig::new(4, k).with_fit(fit.clone()).fit(&train, device)?;
        rows.push(score(name, fitted.predict(test.features(), NEIGHBORS)?, printed, peer)?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::device;

    use super::*;

    #[test]
    fn the_split_is_that_of_the_slides() {
        let (train, test) = parts();
        assert_eq!((train.class_counts(), test.class_counts()), ([15; 3].into(), [35; 3].into()));
        let rows = scores(&device::open("cpu").unwrap()).unwrap();
        assert_eq!((rows[0].right, rows[1].right), (98, 101), "93.33 % and 96.19 %: {rows:?}");
        for row in &rows {
            assert!(row.right.abs_diff(row.scikit_learn) <= 1, "{row:?}");
        }
    }
}
