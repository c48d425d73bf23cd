//! Normal clouds, one per class.

use crate::{Features, Labeled, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::normal::standard_normal;
use super::{check_count, check_size};

/// Normal clouds of unit variance about random centers, for tests and benchmarks.
///
/// ```text
/// x_i = center of class (i mod classes) + e,   center uniform in -10..10 in each of d columns
/// ```
/// with e standard normal: well-separated classes of equal size (they differ by one row at most),
/// taking turns row by row.
///
/// # Errors
/// No row, no column, no class, or more than 2^27 values.
pub fn blobs(rows: usize, columns: usize, classes: usize, seed: u64) -> Result<Labeled> {
    check_count("the number of rows", rows)?;
    check_count("the number of columns", columns)?;
    check_count("the number of classes", classes)?;
    check_size(rows, columns)?;
    check_size(classes, columns)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let centers: Vec<f64> =
        (0..classes * columns).map(|_| 20.0 * rng.random::<f64>() - 10.0).collect();
    let mut values = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        let class = row % classes;
        let center = &centers[class * columns..(class + 1) * columns];
        values.extend(center.iter().map(|center| center + standard_normal(&mut rng)));
    }
    let labels = (0..rows).map(|row| row % classes).collect();
    let names = (0..classes).map(|class| class.to_string()).collect();
    Labeled::new(Features::unnamed(values, columns)?, labels, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cloud_has_unit_variance_about_its_center() {
        let data = blobs(6000, 3, 2, 7).unwrap();
        assert_eq!(data.class_counts(), [3000, 3000]);
        for (class, column) in [(0, 0), (0, 2), (1, 1)] {
            let rows = (class..6000).step_by(2);
            let values: Vec<f64> = rows.map(|row| data.features().row(row)[column]).collect();
            let mean = values.iter().sum::<f64>() / 3000.0;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 3000.0;
            // Five standard errors of a variance are 0.13.
            assert!((variance - 1.0).abs() < 0.13 && mean.abs() < 10.2, "{mean} {variance}");
        }
    }
}
