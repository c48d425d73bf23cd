//! Rows that a large table is measured on: the time of all against all grows with the square of their number.

use anyhow::Result;
use burn::tensor::{Int, Tensor, TensorData};
use burn_nca_learn::data::{Split, random_split};
use burn_nca_program::number::count;

use crate::{Measured, Warning, WarningCode};

/// Products of coordinates that comparing all rows of a part with the training rows may take.
const MOST_PRODUCTS: u64 = 50_000_000_000;

/// Pairs of rows that comparing all rows of a part with the training rows may take.
const MOST_PAIRS: usize = 200_000_000;

/// Rows of a part that are measured at least.
const FEWEST: usize = 1000;

/// Rows of a part that are measured at most: each is a point of the picture.
const MOST: usize = 20_000;

/// What is measured of a split, each among all training rows: rows, or pairs of rows.
#[derive(Debug, PartialEq)]
pub struct Sample {
    /// Places among those learned from, ascending.
    pub train: Vec<usize>,
    /// Those that are held out and measured, ascending.
    pub test: Vec<usize>,
    all: [usize; 2],
}

impl Sample {
    /// All of a split, or a seeded sample of it where comparing each with so many references of so many features takes
    /// too long.
    ///
    /// # Errors
    /// None that a split leads to.
    pub fn of(split: &Split, sizes: [usize; 2], seed: u64) -> Result<Self> {
        Self::within(split, sizes, MOST_PRODUCTS, seed)
    }

    /// As [`of`](Self::of), within so many products of coordinates for each part, if a thousand rows are not more.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn within(
        split: &Split,
        [references, features]: [usize; 2],
        most: u64,
        seed: u64,
    ) -> Result<Self> {
        let (n, m) = (split.train.len(), split.test.len());
        let products = references as u64 * features as u64;
        // No more than MOST in the end, so that the cast loses nothing.
        let by_products = (most / products.max(1)).min(MOST as u64) as usize;
        let most = by_products.min(MOST_PAIRS / references.max(1)).clamp(FEWEST, MOST);
        let places = |rows: usize| -> Result<Vec<usize>> {
            if rows <= most {
                return Ok((0..rows).collect());
            }
            Ok(random_split(rows, most as f64 / rows as f64, seed)?.test)
        };
        let test = places(m)?.into_iter().map(|place| split.test[place]).collect();
        Ok(Self { train: places(n)?, test, all: [n, m] })
    }

    /// Where the measured ones are among all that are held out.
    pub fn test_places<'a>(&'a self, split: &'a Split) -> impl Iterator<Item = usize> + 'a {
        self.test.iter().filter_map(|row| split.test.binary_search(row).ok())
    }

    /// Of those held out and measured, what is predicted and true of `some`, given by their places among all held out.
    pub fn of_test<T: Copy>(
        &self,
        split: &Split,
        some: &[usize],
        [predicted, truth]: [&[T]; 2],
    ) -> (Vec<T>, Vec<T>) {
        let pairs = predicted.iter().copied().zip(truth.iter().copied());
        let measured = self.test_places(split).zip(pairs);
        let wanted = measured.filter(|(place, _)| some.binary_search(place).is_ok());
        wanted.map(|(_, pair)| pair).unzip()
    }

    /// How many are measured, where these are not all.
    pub fn measured(&self) -> Option<Measured> {
        let measured = Measured { train: self.train.len(), test: self.test.len() };
        ([measured.train, measured.test] != self.all).then_some(measured)
    }

    /// Says that `figures` are of a sample of the rows (or pairs: the `noun`), if they are.
    pub fn remark(&self, figures: &str, noun: &str) -> Option<Warning> {
        let Measured { train, test } = self.measured()?;
        let parts = [(train, self.all[0], "training"), (test, self.all[1], "test")];
        let sampled = parts.into_iter().filter(|(some, all, _)| some < all);
        let sampled: Vec<String> = sampled
            .map(|(some, all, part)| {
                format!("{} of {} {part} {noun}s", count(some as u64), count(all as u64))
            })
            .collect();
        let text = format!(
            "the table is large: {figures} are of a seeded sample of {}, each among all training rows",
            sampled.join(" and of ")
        );
        Some(Warning::new(WarningCode::Sampled, text))
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

    #[test]
    fn large_tables_are_sampled_and_it_is_said() {
        let of = |[n, m]: [usize; 2], features: usize, most: u64| {
            let split = Split { train: (0..n).collect(), test: (n..n + m).collect() };
            Sample::within(&split, [n, features], most, 1).unwrap()
        };
        let small = of([7000, 3000], 256, MOST_PRODUCTS);
        assert_eq!((small.test[0], small.measured()), (7000, None));
        assert_eq!(small.remark("accuracies", "row"), None);
        let sample = of([42_000, 18_000], 784, MOST_PRODUCTS);
        assert_eq!(sample.measured(), Some(Measured { train: 1518, test: 1518 }));
        assert!(sample.test.iter().all(|row| (42_000..60_000).contains(row)));
        let text = sample.remark("accuracies", "row").unwrap().text;
        assert!(text.contains("of 42") && text.contains("training rows and of 1"), "{text}");
        assert_eq!(of([14_000, 6000], 64, 1).train.len(), FEWEST);
        let sample = of([1_000_000, 500], 50, MOST_PRODUCTS);
        assert_eq!((sample.train.len(), sample.test.len()), (1000, 500));
        assert!(!sample.remark("ranks", "pair").unwrap().text.contains("test pairs"));
    }
}
