//! A frozen backbone with a head learned by NCA: a network that has seen the digits 0 to 4 alone tells 5 to 9 apart.
//!
//! ```text
//! cargo run --release -p reuse-the-loss --bin frozen-backbone
//! ```
#![allow(clippy::print_stdout)] // what an example prints

mod data;
mod network;
mod training;

use core::ops::Range;

use burn::tensor::{Device, Int, Tensor};
use burn_nca_learn::NcaConfig;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures};
use burn_nca_learn::objective::NcaLossConfig;

use data::{Digits, Part};
use training::{accuracy, train};

/// 5-NN on test images of new classes: raw pixels, what the backbone makes of them, and the head.
fn compare() -> Result<[f64; 3], Box<dyn std::error::Error>> {
    let device = Device::flex();
    let digits = Digits::load(&device)?;

    // The backbone, any Burn module with its weights: a record that `load_file` reads, or this one. It is off the autodiff
    // device, so that nothing of it is recorded, and nothing trained.
    let (loss, on) = (NcaLossConfig::new().init(), device.clone().autodiff());
    let backbone = train(&only(&digits, 0..5), loss, &on)?;

    // Its features of the new classes, once: from here on they are a table.
    let new = only(&digits, 5..10);
    let table = |part: &Part| {
        let features = Features::from_tensor(backbone.features(part.images.clone()))?;
        Labeled::from_labels(features, part.labels.clone())
    };
    let (train, test) = (table(&new.train)?, table(&new.test)?);

    // The head: a linear map of the features, by exact gradients over all rows.
    let head = NcaConfig::recommended(train.features().columns(), 8).fit(&train, &device)?;
    let pixels = accuracy(&new, |images| images.flatten(1, 2))?;
    let features = accuracy(&new, |images| backbone.features(images))?;
    let learned = head.accuracy(&test, 5)?.value().expect("there are test images");
    Ok([pixels, features, learned])
}

/// The digits of these classes, numbered from 0.
fn only(digits: &Digits, classes: Range<usize>) -> Digits {
    let part = |part: &Part| {
        let of = |row: &usize| classes.contains(&part.labels[*row]);
        let rows: Vec<usize> = (0..part.labels.len()).filter(of).collect();
        let places: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
        let places = Tensor::<1, Int>::from_ints(places.as_slice(), &part.images.device());
        let labels = rows.iter().map(|&row| part.labels[row] - classes.start).collect();
        Part { images: part.images.clone().select(0, places), labels }
    };
    Digits { train: part(&digits.train), test: part(&digits.test) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, accuracy) in ["raw pixels", "backbone", "head"].iter().zip(compare()?) {
        println!("{name:10}  5-NN on test images of new digits {:.2} %", 100.0 * accuracy);
    }
    Ok(())
}

#[test]
fn the_head_tells_more_than_the_backbone() {
    let [_, backbone, head] = compare().expect("bundled digits are learned from");
    assert!(head > backbone && head > 0.97, "{backbone} {head}");
}
