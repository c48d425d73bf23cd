//! What a fit of a large table takes in addition to the table: less than one more copy of it.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used)]

use burn::tensor::Device;
use burn_nca_learn::Estimator;
use burn_nca_learn::data::{Features, FeaturesBuilder, Labeled};
use burn_nca_learn::fit::{FitConfig, OptimizerConfig, StochasticConfig};
use burn_nca_learn::method::AnyMethod;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const ROWS: usize = 1 << 16;
const COLUMNS: usize = 64;
const CLASSES: usize = 4;

/// Values that f32 holds, with a column that tells of each class.
fn value(row: usize, column: usize) -> f64 {
    let noise = (row * 31 + column * 17 + row * column % 13) % 97;
    noise as f64 / 64.0 + if column == row % CLASSES { 0.5 } else { 0.0 }
}

fn values() -> impl Iterator<Item = f64> {
    (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| value(row, column)))
}

fn labeled(features: Features) -> Labeled {
    Labeled::from_labels(features, (0..ROWS).map(|row| row % CLASSES).collect()).unwrap()
}

/// The map that mini-batches learn, and the most memory that this takes.
fn fitted(data: &Labeled) -> (Vec<f64>, usize) {
    let batches = StochasticConfig::new().with_batch_size(Some(2048)).with_epochs(Some(1));
    let fit = FitConfig::new().with_optimizer(OptimizerConfig::Adam(batches));
    let estimator = Estimator::new(COLUMNS, 3, AnyMethod::named("nca").unwrap()).with_fit(fit);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let model = estimator.fit(data, &Device::flex()).unwrap();
    (model.matrix().unwrap(), MEMORY.peak_usage() - before)
}

#[test]
fn a_fit_by_mini_batches_takes_less_than_a_copy_of_the_table() {
    let mut builder = FeaturesBuilder::with_capacity(ROWS * COLUMNS);
    let before = MEMORY.current_usage();
    values().for_each(|value| builder.push(value));
    let names = (0..COLUMNS).map(|column| column.to_string()).collect();
    let narrow = labeled(builder.build(names).unwrap());
    let table = 4 * ROWS * COLUMNS;
    assert!(MEMORY.current_usage() < before + table / 8, "the table is in f32");
    let (map, taken) = fitted(&narrow);
    assert!(taken < table, "{taken} bytes in addition to a table of {table}");
    // The same rows in f64 are scaled in a copy, and give the same map to the last bit.
    let wide = labeled(Features::unnamed(values().collect(), COLUMNS).unwrap());
    let (same, taken) = fitted(&wide);
    assert!(taken < 3 * table, "{taken} bytes in addition to a table in f64");
    assert_eq!(map, same);
}
