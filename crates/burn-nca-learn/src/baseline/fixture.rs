//! Reference numbers of scikit-learn, and random data, for the tests of this stage.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::{Groups, Projection};
use crate::data::{Features, Labeled};
use crate::error::Result;

/// A data set of `tests/reference/baselines.json` (written by `baselines.py` next to it).
pub(crate) struct Reference(Value);

impl Reference {
    pub(crate) fn all() -> [Self; 2] {
        let text = include_str!("../../tests/reference/baselines.json");
        let sets: Value = serde_json::from_str(text).unwrap();
        ["iris", "wine"].map(|set| Self(sets[set].clone()))
    }

    pub(crate) fn data(&self) -> Labeled {
        let columns = self.number("columns") as usize;
        let features = Features::unnamed(self.numbers("features"), columns).unwrap();
        let labels = self.numbers("labels").iter().map(|label| *label as usize).collect();
        Labeled::from_labels(features, labels).unwrap()
    }

    pub(crate) fn number(&self, key: &str) -> f64 {
        self.0[key].as_f64().unwrap()
    }

    pub(crate) fn numbers(&self, key: &str) -> Vec<f64> {
        self.0[key].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    }
}

/// Seeded rows: correlated features whose class means lie apart.
pub(crate) fn random_labeled(n: usize, d: usize, classes: usize, seed: u64) -> Labeled {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let labels: Vec<usize> = (0..n).map(|row| row % classes).collect();
    let centers: Vec<f64> = (0..classes * d).map(|_| 3.0 * rng.random::<f64>()).collect();
    let mut values = Vec::with_capacity(n * d);
    for &label in &labels {
        let mut previous = 0.0;
        for j in 0..d {
            previous = 0.5 * previous + rng.random::<f64>();
            values.push(centers[label * d + j] + previous);
        }
    }
    Labeled::from_labels(Features::unnamed(values, d).unwrap(), labels).unwrap()
}

/// Compares with an absolute tolerance on entries up to 1, a relative one above.
#[track_caller]
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "another number of values");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= tolerance, "value {at} is {found}, expected {expected}, error {error:e}");
    }
}

/// Compares the message of an error with words that it has.
#[track_caller]
pub(crate) fn assert_refused<T>(result: Result<T>, words: &[&str]) {
    let error = result.err().expect("nothing is refused").to_string();
    assert!(words.iter().all(|words| error.contains(words)), "{error}");
}

/// Compares a covariance with the identity.
#[track_caller]
pub(crate) fn assert_identity(covariance: &[f64], d: usize, tolerance: f64) {
    assert_close(covariance, &Projection::euclidean(d).weight(), tolerance);
}

/// The covariance of rows of one class.
pub(crate) fn total_covariance(features: &Features) -> Vec<f64> {
    let one = Labeled::from_labels(features.clone(), vec![0; features.rows()]).unwrap();
    Groups::of_classes(&one).within_covariance()
}

/// The within-class covariance of the mapped rows.
pub(crate) fn within_after(map: &Projection, data: &Labeled) -> Vec<f64> {
    let embedded = data.with_features(map.apply(data.features()).unwrap()).unwrap();
    Groups::of_classes(&embedded).within_covariance()
}

/// Squared distances of the first ten rows to each other.
pub(crate) fn sq_distances(features: &Features) -> Vec<f64> {
    let sq_distance = |i, j| -> f64 {
        let pairs = features.row(i).iter().zip(features.row(j));
        pairs.map(|(a, b): (&f64, &f64)| (a - b).powi(2)).sum()
    };
    (0..10).flat_map(|i| (0..10).map(move |j| sq_distance(i, j))).collect()
}
