//! Data made by rule or at random.
//!
//! Random sets are seeded: the same seed gives the same bits on every machine. The generator is
//! ChaCha8, and the arithmetic is addition, multiplication, division and square roots in f64, which
//! IEEE 754 rounds alike everywhere; no exponential, logarithm or sine of a system's library is
//! called (see the algorithm of the normal deviates).

mod balance;
mod blobs;
mod noisy_xor;
mod normal;
mod rings;
pub(crate) mod word;

pub use balance::balance;
pub use blobs::blobs;
pub use noisy_xor::{NoisyXorOptions, noisy_xor};
pub use normal::standard_normal;
pub use rings::{RingsOptions, rings};

use crate::{Error, Result};

fn check_deviation(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Error::setting(format!("{name} is {value}; give a standard deviation of 0 or more")))
}

/// The most values of a set that is made: 1 GiB of them.
const MOST_VALUES: usize = 1 << 27;

fn check_count(name: &str, value: usize) -> Result<()> {
    if value > 0 {
        return Ok(());
    }
    Err(Error::setting(format!("{name} is 0; give at least 1")))
}

/// Refuses a table of more values than memory is taken for.
fn check_size(rows: usize, columns: usize) -> Result<()> {
    let values = rows.checked_mul(columns);
    if values.is_some_and(|values| values <= MOST_VALUES) {
        return Ok(());
    }
    Err(Error::setting(format!(
        "{rows} rows of {columns} columns are more than the {MOST_VALUES} values that a set is made of; ask for at most \
         {} rows",
        MOST_VALUES / columns
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labeled;

    /// Exact to the bit: any change of the stream would change every published number made from it.
    #[test]
    fn the_streams_are_pinned() {
        let row = |data: Labeled, row: usize| data.features().row(row).to_vec();
        let rings = || super::rings(RingsOptions::default(), 0).unwrap();
        let first = [0.893843027720155, -0.01581257960148244, 3.276251166163502];
        let last = [4.858603832932982, -0.3025011447300532, 1.5774692740153762];
        assert_eq!([row(rings(), 0), row(rings(), 499)], [first, last]);
        let noisy_xor = |options| super::noisy_xor(options, 0).unwrap();
        let inputs = row(noisy_xor(NoisyXorOptions::default()), 1099);
        let first = [1.22279124040199, 1.1461371089196077, 1.658159134840884, 1.1734636419615145];
        let rest = [-1.5090127628539287, -2.686648591905966, 2.3344202661228, -1.5771328674312786];
        assert_eq!(inputs, [first, rest].concat());
        let correlated = NoisyXorOptions { correlation: 0.8, ..NoisyXorOptions::default() };
        let inputs = row(noisy_xor(correlated), 1099);
        let first = [1.22279124040199, 1.2659152576733568, 1.658159134840884, 1.6306054930496159];
        assert_eq!(inputs[..4], first);
        let blobs = super::blobs(9, 2, 3, 0).unwrap();
        assert_eq!(row(blobs, 8), [7.102134432571846, 1.2509261369865627]);
    }
}
