//! Twelve rows of three features, and what is known of them.

use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, RawColumn, RawTable, RawValues, RegressionData,
};

fn features() -> Features {
    let values = (0..36).map(|at| f64::from((at * 37) % 23) / 5.0 + f64::from(at / 12)).collect();
    let names = ["height", "weight", "width"].map(String::from).to_vec();
    Features::new(values, names).unwrap()
}

/// Three classes.
pub fn classes() -> Labeled {
    Labeled::from_labels(features(), (0..12).map(|row| row / 4).collect()).unwrap()
}

/// A number per row.
pub fn numbers() -> RegressionData {
    let values = (0..12).map(|row| f64::from(row * row % 7)).collect();
    RegressionData::new(features(), "price", values).unwrap()
}

/// Each row with the next.
pub fn pairs() -> Coincidences {
    let pairs = (0..11).map(|row| (row, row + 1, 1.0)).collect();
    Coincidences::new(features(), Pairs::new(12, pairs).unwrap()).unwrap()
}

/// Rows as a file has them: a missing value, and text.
pub fn raw() -> RawTable {
    let features = features();
    let mut height: Vec<f64> = (0..12).map(|row| features.value(row, 0)).collect();
    height[3] = f64::NAN;
    let cities = ["Rome", "Oslo", "Bonn"].map(Some).into_iter().cycle().take(12);
    let members = ["yes", "no"].map(Some).into_iter().cycle().take(12);
    RawTable::new(vec![
        RawColumn::new("height", RawValues::Numbers(height)),
        RawColumn::text("city", cities),
        RawColumn::text("member", members),
    ])
    .unwrap()
}
