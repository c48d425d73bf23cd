//! Sparse rows against the same rows written out: any shape, empty rows and columns among them.

use acceptance::compare::assert_close;
use acceptance::oracle::sq_distance;
use burn_nca_learn::baseline::{Projection, TruncatedSvdConfig};
use burn_nca_learn::data::SparseFeatures;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows of which some have no entry and some columns none either; more than one task's worth of rows as a rule.
fn tables() -> impl Strategy<Value = SparseFeatures> {
    (1usize..200, 1usize..40, 0.0f64..0.5, any::<u64>()).prop_map(|(n, d, density, seed)| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let empty_columns: Vec<bool> = (0..d).map(|_| rng.random_bool(0.2)).collect();
        let mut entries = Vec::new();
        for row in 0..n {
            let is_empty = rng.random_bool(0.2);
            for (column, empty) in empty_columns.iter().enumerate() {
                if !is_empty && !empty && rng.random_bool(density) {
                    entries.push((row, column, rng.random_range(-3.0..3.0)));
                }
            }
        }
        SparseFeatures::new([n, d], entries).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_stored_is_what_is_written_out(table in tables(), seed: u64) {
        let (n, d) = (table.rows(), table.columns());
        let dense = table.to_dense().unwrap();
        let mut found = vec![0.0; n * d];
        (0..n).for_each(|row| table.row(row).for_each(|(column, x)| found[row * d + column] = x));
        prop_assert_eq!(&found, dense.values());
        let mean = |column: usize| (0..n).map(|row| dense.row(row)[column]).sum::<f64>() / n as f64;
        assert_close(&table.mean(), &(0..d).map(mean).collect::<Vec<_>>(), 1e-13);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows: Vec<usize> = (0..2 * n).map(|_| rng.random_range(0..n)).collect();
        let (some, expected) = (table.select(&rows).to_dense().unwrap(), dense.select(&rows));
        prop_assert_eq!(some.values(), expected.values());
        let unit = table.clone().with_unit_rows().to_dense().unwrap();
        for (unit, row) in (0..n).map(|row| (unit.row(row), dense.row(row))) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            assert_close(unit, &row.iter().map(|x| x / length).collect::<Vec<_>>(), 1e-13);
        }
        let weights: Vec<f64> = (0..3 * d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let map = Projection::from_matrix(&weights, [3, d]);
        // A decomposition serves as the way to the product of sparse rows with any map.
        let svd = TruncatedSvdConfig::new(1).fit(&table).unwrap();
        let sparse = burn_nca_learn::baseline::TruncatedSvd { projection: map.clone(), ..svd };
        let expected = map.apply(&dense).unwrap();
        assert_close(sparse.apply(&table).unwrap().values(), expected.values(), 1e-12);
    }

    /// In as many directions as there can be, nothing is lost: distances and the sum of squares stay.
    #[test]
    fn all_singular_directions_keep_every_distance(table in tables()) {
        let (n, d) = (table.rows(), table.columns());
        let dense = table.to_dense().unwrap();
        for center in [false, true] {
            let svd =
                TruncatedSvdConfig::new(n.min(d)).with_center(center).fit(&table).unwrap();
            let embedded = svd.apply(&table).unwrap();
            let mean = if center { table.mean() } else { vec![0.0; d] };
            let apart = |row: usize| -> f64 {
                dense.row(row).iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum()
            };
            let squares: f64 = (0..n).map(apart).sum();
            let found: f64 = svd.singular_values.iter().map(|s| s * s).sum();
            assert_close(&[found], &[squares], 1e-10);
            for i in 0..n.min(20) {
                for j in 0..n {
                    let [expected, found] = [&dense, &embedded]
                        .map(|rows| sq_distance(rows.values(), rows.columns(), i, j));
                    assert_close(&[found], &[expected], 1e-9);
                }
            }
        }
    }
}
