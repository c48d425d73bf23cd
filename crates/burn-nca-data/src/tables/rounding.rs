//! Columns whose values differ by no more than their own rounding.

use super::{Features, SparseFeatures};

/// The share of a column's largest magnitude up to which a difference is rounding: 2^-40, 4096 times the precision of f64.
#[doc(hidden)]
pub const ROUNDING: f64 = 4096.0 * f64::EPSILON;
/// The same for numbers that were in f32: 16 times its precision.
const SINGLE: f64 = 16.0 * f32::EPSILON as f64;
/// How many values of f32 apart its shortest decimals may be: a sum of a few terms.
const STEPS: u32 = 4;
/// Whole numbers up to this one are exact in f64: 2^53.
const MOST_WHOLE: f64 = (1_u64 << 53) as f64;

impl Features {
    /// The columns that are constant but for rounding, in ascending order: those that [`Scaling`](super::Scaling) makes
    /// zero.
    ///
    /// ```text
    /// max_i x_ij - min_i x_ij <= r_j max_i |x_ij|
    /// ```
    /// with r = 2^-40 (9e-13), 4096 times the precision of f64: a sum of n terms is off by up to n/2 times that, and a
    /// column of such sums (shares that add up to 1) differs in its last bits only. Values that f32 holds exactly have
    /// been rounded to it, and r is 2^-19 (2e-6); the shortest decimals of neighboring f32 values, at most 4 apart (0.3,
    /// 0.30000004), are constant, too. Whole numbers up to 2^53 are exact, and r = 0: timestamps in
    /// microseconds, codes. The unit of a column is of no account: 1e-9 and 2e-9 differ as 1 and 2 do.
    pub fn constant_columns(&self) -> Vec<usize> {
        let levels = rounding_levels(self);
        (0..self.columns()).filter(|&column| levels[column].is_infinite()).collect()
    }
}

impl SparseFeatures {
    /// The columns that are constant but for rounding, as [`Features::constant_columns`] has them, in ascending order:
    /// those without an entry, and those with equal ones in all rows.
    pub fn constant_columns(&self) -> Vec<usize> {
        let by_column = self.transposed();
        let constant = |&column: &usize| {
            let entries = || by_column.row(column).map(|(_, value)| value);
            // A zero that is not written is a value like any other.
            let zero = (entries().count() < self.rows()).then_some(0.0);
            let values = || entries().chain(zero);
            let minimum = values().fold(f64::INFINITY, f64::min);
            let maximum = values().fold(f64::NEG_INFINITY, f64::max);
            is_constant((minimum, maximum), |of| entries().all(of))
        };
        (0..self.columns()).filter(constant).collect()
    }
}

/// Whether values between these ends are equal but for rounding; `all` asks whether each of them has a property.
fn is_constant((minimum, maximum): (f64, f64), all: impl Fn(&dyn Fn(f64) -> bool) -> bool) -> bool {
    let largest = minimum.abs().max(maximum.abs());
    // Halves, since the difference of two large numbers may be infinite.
    let range = maximum / 2.0 - minimum / 2.0;
    let within = |share: f64| range <= share * (largest / 2.0);
    if range <= 0.0 {
        return true;
    }
    within(SINGLE)
        && if largest <= MOST_WHOLE && all(&|x| x.fract() == 0.0) {
            false
        } else if all(&|x| f64::from(x as f32) == x) {
            true
        } else {
            let steps = (maximum as f32).to_bits().abs_diff((minimum as f32).to_bits());
            let is_single =
                |x: f64| f64::from(x as f32) == x || (x as f32).to_string().parse() == Ok(x);
            // Decimals that f32 holds with room to spare are those of a measure.
            let step = f64::from((largest as f32).next_up()) - f64::from(largest as f32);
            let places = -step.log10();
            let is_coarse =
                |x: f64| x.to_string().split('.').nth(1).map_or(0, str::len) as f64 <= places;
            let steps = steps <= 1 || steps <= STEPS && !all(&is_coarse);
            within(ROUNDING) || steps && all(&is_single)
        }
}

pub(super) fn ends(features: &Features) -> [Vec<f64>; 2] {
    let d = features.columns();
    let mut minimum = vec![f64::INFINITY; d];
    let mut maximum = vec![f64::NEG_INFINITY; d];
    features.each_row(|_, row| {
        for ((minimum, maximum), x) in minimum.iter_mut().zip(&mut maximum).zip(row) {
            *minimum = minimum.min(*x);
            *maximum = maximum.max(*x);
        }
    });
    [minimum, maximum]
}

/// The size up to which a difference in each column is rounding, `[d]`: 2^-40 of its largest magnitude, and infinity for
/// a [constant](Features::constant_columns) column.
#[doc(hidden)]
pub fn rounding_levels(features: &Features) -> Vec<f64> {
    let [minimum, maximum] = ends(features);
    let level = |(column, ends): (usize, (f64, f64))| {
        let value = |row: usize| features.value(row, column);
        match is_constant(ends, |of| (0..features.rows()).all(|row| of(value(row)))) {
            true => f64::INFINITY,
            false => ROUNDING * ends.0.abs().max(ends.1.abs()),
        }
    };
    minimum.into_iter().zip(maximum).enumerate().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_constant(values: &[f64]) -> bool {
        let features = Features::unnamed(values.to_vec(), 1).unwrap();
        let found = !features.constant_columns().is_empty();
        assert_eq!(found, rounding_levels(&features) == [f64::INFINITY]);
        found
    }

    #[test]
    fn the_last_bits_of_sums_and_conversions_are_rounding() {
        for at in [1e-300, 1e-9, 0.1, 1.0, -14.62, 1e6 + 1e-10, 1e10 + 0.3, 1e17, -1e300] {
            let bits = |steps: u64| f64::from_bits(f64::to_bits(at) + steps);
            for values in [[at; 3], [at, bits(1), at], [at, bits(9), bits(300)]] {
                assert!(is_constant(&values), "{values:?}");
            }
        }
        let thirds: Vec<f64> = (1..60).map(|k| (1..=k).map(|_| 1.0 / f64::from(k)).sum()).collect();
        assert!(thirds.iter().any(|sum| *sum != 1.0) && is_constant(&thirds));
    }

    #[test]
    fn a_sparse_column_is_constant_where_the_same_column_written_out_is() {
        let columns = [[2.0, 1.0, 1.0], [1.0, 1.0, 2.0], [-1.0; 3], [0.0; 3], [0.0, -1.0, -1.0]];
        let entries = columns.iter().enumerate().flat_map(|(column, values)| {
            values.iter().enumerate().map(move |(row, value)| (row, column, *value))
        });
        let entries: Vec<_> = entries.filter(|entry| entry.2 != 0.0).collect();
        let sparse = SparseFeatures::new([3, columns.len()], entries).unwrap();
        assert_eq!(sparse.constant_columns(), [2, 3]);
        assert_eq!(sparse.constant_columns(), sparse.to_dense().unwrap().constant_columns());
    }

    #[test]
    fn the_last_bits_of_f32_are_rounding_as_numbers_and_as_shortest_decimals() {
        assert!(is_constant(&[0.1_f32 + 0.2, 0.3, 0.300_000_04].map(f64::from)));
        assert!(is_constant(&[0.3, 0.30000004]) && is_constant(&[1.0, 0.99999994]));
        assert!(is_constant(&[0.9999999, 0.99999994, 1.0, 1.0000001]));
        // One of two files was in f32.
        assert!(is_constant(&[0.1, f64::from(0.1_f32)]));
        // Such differences are of no f32 where more digits follow.
        assert!(!is_constant(&[0.3, 0.30000004, 0.300000041]));
        assert!(!is_constant(&[273.15, 273.151].map(|x: f32| f64::from(x))));
    }

    #[test]
    fn small_numbers_and_small_differences_are_no_rounding() {
        for unit in [1e-300, 1e-19, 1e-12, 1e-9, 1e300] {
            assert!(!is_constant(&[unit, 1.1 * unit, 0.9 * unit]), "{unit:e}");
        }
        for (at, step) in [(1.6e9, 1.0), (1.6e9, 0.5), (1e6, 1e-3), (1e6, 0.1), (1.0, 1e-9)] {
            assert!(!is_constant(&[at, at + step, at + 2.0 * step]), "{at} {step}");
        }
        // Whole numbers are exact: microseconds, codes, multiples of 128 as f32 has them.
        assert!(!is_constant(&[1.6e15, 1.6e15 + 1.0]));
        assert!(!is_constant(&[1.6e9, 1.6e9 + 128.0]));
        assert!(!is_constant(&[0.0, 1e-300]) && !is_constant(&[-1.0, 1.0]));
        assert!(!is_constant(&[f64::MAX, -f64::MAX]));
        assert!(is_constant(&[0.0, -0.0]));
    }
}
