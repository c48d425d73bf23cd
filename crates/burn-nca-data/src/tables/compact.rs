//! Values in four bytes each, and no bit of them lost.

const UNITS: [f64; 10] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// Stands for -0, which no whole number is.
const NEGATIVE_ZERO: i32 = i32::MIN;

/// Values of which each is an f32, or each a number of few decimals.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compact {
    /// The bits of an f32 each, or a whole number.
    pub(super) cells: Vec<i32>,
    /// How many decimals a whole number has; none where the cells are bits. Both 51 and 10 are exact in f64 and a division is
    /// rounded once, so that the quotient is what reading "5.1" gives, to the bit.
    places: Option<usize>,
}

impl Compact {
    pub(super) fn of_singles(values: Vec<f32>) -> Self {
        let cells = values.into_iter().map(|value| value.to_bits().cast_signed()).collect();
        Self { cells, places: None }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Adds a value; `false`, and nothing is added, where four bytes do not hold it together with the others.
    #[inline]
    pub(super) fn push(&mut self, value: f64) -> bool {
        let cell = match self.places {
            None => is_single(value).then(|| bits(value)),
            Some(places) => whole(value, places),
        };
        let Some(cell) = cell else { return self.make_room_for(value) && self.push(value) };
        self.cells.push(cell);
        true
    }

    /// Adds values; how many of them were, where four bytes do not hold the next together with the others.
    pub(super) fn extend_from_slice(&mut self, values: &[f64]) -> usize {
        let start = self.len();
        // All of them without a branch, as most are; one by one where one is another.
        let are_held = match self.places {
            None => {
                self.cells.extend(values.iter().map(|value| bits(*value)));
                values.iter().fold(true, |all, value| all & is_single(*value))
            }
            Some(places) => {
                let unit = UNITS[places];
                self.cells.extend(values.iter().map(|value| nearest_whole(*value, unit)));
                let pairs = values.iter().zip(&self.cells[start..]);
                pairs.fold(true, |all, (value, whole)| all & is_quotient(*value, *whole, unit))
            }
        };
        if are_held {
            return values.len();
        }
        self.cells.truncate(start);
        values.iter().take_while(|value| self.push(**value)).count()
    }

    /// Turns the values into ones of as many decimals as this one has too; `false` where that cannot be.
    fn make_room_for(&mut self, value: f64) -> bool {
        let least = self.places.map_or(0, |places| places + 1);
        // The fewest decimals that serve: more leave less room for large values.
        let turned = (least..UNITS.len()).find_map(|places| {
            whole(value, places)?;
            let wholes = self.widened().map(|value| whole(value, places));
            Some((wholes.collect::<Option<Vec<i32>>>()?, places))
        });
        let Some((mut cells, places)) = turned else {
            return false;
        };
        cells.reserve_exact(self.cells.capacity() - cells.len());
        *self = Self { cells, places: Some(places) };
        true
    }

    pub(super) fn get(&self, at: usize) -> f64 {
        match self.places {
            None => single(self.cells[at]),
            Some(places) => quotient(self.cells[at], UNITS[places]),
        }
    }

    /// Writes the values from `first` on, each as `convert` makes it; of whole rows less the offset of its column and over
    /// its scale, where these are given.
    pub(super) fn write<T>(
        &self,
        first: usize,
        into: &mut [T],
        scaling: Option<[&[f64]; 2]>,
        convert: impl Fn(f64) -> T,
    ) {
        let cells = &self.cells[first..first + into.len()];
        match self.places {
            None => write(cells, single, into, scaling, convert),
            Some(places) => {
                let unit = UNITS[places];
                write(cells, |whole| quotient(whole, unit), into, scaling, convert);
            }
        }
    }

    pub(super) fn widened(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// These rows of `columns` columns, in that order.
    pub(super) fn select(&self, rows: &[usize], columns: usize) -> Self {
        let mut cells = Vec::with_capacity(rows.len() * columns);
        for &row in rows {
            cells.extend_from_slice(&self.cells[row * columns..(row + 1) * columns]);
        }
        Self { cells, places: self.places }
    }

    /// The same values where they were given a column after the other, each of `rows` values.
    pub(super) fn transposed(&self, rows: usize) -> Self {
        Self { cells: by_row(&self.cells, rows), places: self.places }
    }
}

/// As [`Compact::write`], of cells whose values `widened` gives.
#[inline]
fn write<T>(
    cells: &[i32],
    widened: impl Fn(i32) -> f64,
    into: &mut [T],
    scaling: Option<[&[f64]; 2]>,
    convert: impl Fn(f64) -> T,
) {
    // A loop of its own for each, without a check in it: they are most of what reading a table costs.
    let Some([offset, scale]) = scaling else {
        into.iter_mut().zip(cells).for_each(|(into, cell)| *into = convert(widened(*cell)));
        return;
    };
    let d = offset.len();
    for (into, row) in into.chunks_exact_mut(d).zip(cells.chunks_exact(d)) {
        let columns = into.iter_mut().zip(row).zip(offset.iter().zip(scale));
        columns.for_each(|((into, cell), (offset, scale))| {
            *into = convert((widened(*cell) - offset) / scale);
        });
    }
}

/// Values that were given a column after the other, each of `rows` values, row after row.
pub(super) fn by_row<T: Copy>(values: &[T], rows: usize) -> Vec<T> {
    let mut turned = Vec::with_capacity(values.len());
    (0..rows).for_each(|row| turned.extend(values.iter().skip(row).step_by(rows)));
    turned
}

/// Whether f32 holds a value exactly, its sign included.
#[inline]
fn is_single(value: f64) -> bool {
    f64::from(value as f32).to_bits() == value.to_bits()
}

/// The cell of an f32.
#[inline]
fn bits(value: f64) -> i32 {
    (value as f32).to_bits().cast_signed()
}

#[inline]
fn single(bits: i32) -> f64 {
    f64::from(f32::from_bits(bits.cast_unsigned()))
}

/// The whole number over 10^`places` that a value is, to the bit.
#[inline]
fn whole(value: f64, places: usize) -> Option<i32> {
    let unit = UNITS[places];
    if value.to_bits() == (-0.0_f64).to_bits() {
        return Some(NEGATIVE_ZERO);
    }
    let whole = nearest_whole(value, unit);
    is_quotient(value, whole, unit).then_some(whole)
}

/// A cast stops at the ends of i32, and NaN is 0: neither is the value then.
#[inline]
fn nearest_whole(value: f64, unit: f64) -> i32 {
    (value * unit + 0.5_f64.copysign(value)) as i32
}

/// Whether a value is `whole` over `unit`, to the bit, and is not taken for -0.
#[inline]
fn is_quotient(value: f64, whole: i32, unit: f64) -> bool {
    ((f64::from(whole) / unit).to_bits() == value.to_bits()) & (whole != NEGATIVE_ZERO)
}

#[inline]
fn quotient(whole: i32, unit: f64) -> f64 {
    if whole == NEGATIVE_ZERO { -0.0 } else { f64::from(whole) / unit }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
        values.into_iter().map(f64::to_bits).collect()
    }

    /// The values, and how many of them four bytes held.
    fn held(values: &[f64]) -> (Compact, usize) {
        let mut one_by_one = Compact::default();
        let count = values.iter().take_while(|value| one_by_one.push(**value)).count();
        let mut at_once = Compact::default();
        assert_eq!((at_once.extend_from_slice(values), &at_once), (count, &one_by_one));
        assert_eq!(bits(one_by_one.widened()), bits(values[..count].iter().copied()));
        (one_by_one, count)
    }

    #[test]
    fn what_f32_holds_stands_in_f32() {
        let exact = [0.5, -0.0, 255.0, f64::from(f32::MIN_POSITIVE) / 2.0, f64::from(f32::MAX)];
        assert!(matches!(held(&exact), (Compact { places: None, .. }, 5)));
    }

    #[test]
    fn decimals_are_whole_numbers_over_a_power_of_ten() {
        let (values, count) = held(&[3.0, -0.0, 5.1, -0.25, 0.0, 21_474.836]);
        assert_eq!(count, 6);
        let cells = vec![3_000, NEGATIVE_ZERO, 5_100, -250, 0, 21_474_836];
        assert_eq!(values, Compact { cells, places: Some(3) });
    }

    #[test]
    fn what_four_bytes_do_not_hold_is_not_taken() {
        for other in [1e300, 1e-300, 1.0 / 3.0, 4_294_967_297.0, f64::INFINITY, f64::NAN] {
            assert_eq!(held(&[1.0, 0.1, other]).1, 2, "{other}");
        }
        // The decimals that one needs leave no room for the other, whichever comes first.
        assert_eq!(held(&[0.1, 1e6, 0.000_1]).1, 2);
        assert_eq!(held(&[0.000_1, 1e6]).1, 1);
        // -2^31 stands for -0, and is not taken for it.
        assert_eq!(held(&[0.1, -214_748_364.8]).1, 1);
        assert_eq!(held(&[-21_474_837.0, 0.1, 0.01]).1, 2);
    }

    proptest! {
        #[test]
        fn what_is_printed_with_few_decimals_is_held_and_given_back(
            wholes in proptest::collection::vec(-99_999_999_i32..=99_999_999, 1..40),
            places in 0_usize..=6,
        ) {
            let text = |whole: &i32| format!("{}e-{places}", whole);
            let values: Vec<f64> = wholes.iter().map(|whole| text(whole).parse().unwrap()).collect();
            prop_assert_eq!(held(&values).1, values.len());
        }

        #[test]
        fn no_value_is_changed(values in proptest::collection::vec(
            prop_oneof![any::<f64>(), any::<f32>().prop_map(f64::from), (-1e4..1e4).prop_map(|x: f64| (x * 100.0).round() / 100.0)],
            1..12,
        )) {
            held(&values);
        }
    }
}
