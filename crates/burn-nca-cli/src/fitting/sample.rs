//! Rows that a large table is measured on: the time of all against all grows with the square of their number.

use anyhow::Result;
use burn::tensor::{Int, Tensor, TensorData};
use burn_nca::data::{Split, random_split};
use burn_nca_program::number::count;

use crate::report::{Warning, WarningCode};

/// Products of coordinates that comparing all rows of a part with the training rows may take.
const MOST_PRODUCTS: usize = 100_000_000_000;

/// Pairs of rows that comparing all rows of a part with the training rows may take.
const MOST_PAIRS: usize = 200_000_000;

/// Rows of a part that are measured at least.
const FEWEST: usize = 1000;

/// Rows of a part that are measured at most: each is a point of the picture.
const MOST: usize = 20_000;

/// The rows that are measured, each among all training rows.
#[derive(Debug, PartialEq)]
pub struct Sample {
    /// Places among the training rows, ascending.
    pub train: Vec<usize>,
    /// Rows of the data that are held out, ascending.
    pub test: Vec<usize>,
    all: [usize; 2],
}

impl Sample {
    /// All rows of a split of a table with so many features, or a seeded sample of them where that takes too long.
    ///
    /// # Errors
    /// None that a split leads to.
    pub fn of(split: &Split, features: usize, seed: u64) -> Result<Self> {
        let (n, m) = (split.train.len(), split.test.len());
        let by_products = MOST_PRODUCTS / (n * features).max(1);
        let most = by_products.min(MOST_PAIRS / n.max(1)).clamp(FEWEST, MOST);
        let places = |rows: usize| -> Result<Vec<usize>> {
            if rows <= most {
                return Ok((0..rows).collect());
            }
            Ok(random_split(rows, most as f64 / rows as f64, seed)?.test)
        };
        let test = places(m)?.into_iter().map(|place| split.test[place]).collect();
        Ok(Self { train: places(n)?, test, all: [n, m] })
    }

    /// Says that the rows are a sample, if they are.
    pub fn remark(&self) -> Option<Warning> {
        let [n, m] = self.all.map(|rows| count(rows as u64));
        let parts =
            [(&self.train, self.all[0], n, "training"), (&self.test, self.all[1], m, "test")];
        let sampled = parts.into_iter().filter(|(rows, all, ..)| rows.len() < *all);
        let sampled: Vec<String> = sampled
            .map(|(rows, _, all, part)| {
                format!("{} of {all} {part} rows", count(rows.len() as u64))
            })
            .collect();
        (!sampled.is_empty()).then(|| {
            let text = format!(
                "the table is large: accuracies, f, g, perplexity and the picture are of a seeded sample of {}, each \
                 among all training rows",
                sampled.join(" and of ")
            );
            Warning::new(WarningCode::Sampled, text)
        })
    }
}

/// These rows of a space.
pub fn rows_of(space: &Tensor<2>, rows: &[usize]) -> Tensor<2> {
    if rows.len() == space.dims()[0] {
        return space.clone();
    }
    let places = rows.iter().map(|&row| row as i64).collect::<Vec<_>>();
    let places =
        Tensor::<1, Int>::from_data(TensorData::new(places, [rows.len()]), &space.device());
    space.clone().select(0, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(n: usize, m: usize) -> Split {
        Split { train: (0..n).collect(), test: (n..n + m).collect() }
    }

    #[test]
    fn small_tables_are_measured_in_full_and_nothing_is_said() {
        let sample = Sample::of(&split(7000, 3000), 256, 1).unwrap();
        assert_eq!((sample.train.len(), sample.test.len()), (7000, 3000));
        assert_eq!((sample.test[0], sample.remark()), (7000, None));
    }

    #[test]
    fn large_tables_are_sampled_and_it_is_said() {
        let sample = Sample::of(&split(42_000, 18_000), 784, 1).unwrap();
        assert_eq!((sample.train.len(), sample.test.len()), (3036, 3036));
        assert!(sample.test.iter().all(|row| (42_000..60_000).contains(row)));
        let text = sample.remark().unwrap().text;
        assert!(text.contains("of 42") && text.contains("training rows and of 3"), "{text}");
        let sample = Sample::of(&split(1_000_000, 500), 50, 1).unwrap();
        assert_eq!((sample.train.len(), sample.test.len()), (1000, 500));
        assert!(!sample.remark().unwrap().text.contains("test rows"));
    }
}
