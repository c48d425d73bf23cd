//! A table of features while it is read, in as little memory as its values need.

use super::Features;
use super::compact::{Compact, by_row};
use crate::Result;

/// Values of a table as a reader finds them, row-major.
///
/// They are stored in four bytes each as long as that loses nothing: in f32, or as whole numbers over a power of ten. So a large
/// table of pixels, of counts, of single precision or of few decimals takes half the memory; [`Features`] give them out in
/// f64 all the same, to the bit.
///
/// # Examples
/// ```
/// use burn_nca_data::FeaturesBuilder;
///
/// let mut values = FeaturesBuilder::default();
/// [1.0, 2.5, 3.0, 0.1].into_iter().for_each(|value| values.push(value));
/// let features = values.build(vec!["width".into(), "height".into()])?;
/// assert_eq!(features.row(1), [3.0, 0.1]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FeaturesBuilder {
    narrow: Compact,
    /// All values in f64, from the first on that four bytes do not hold.
    wide: Option<Vec<f64>>,
    /// Values that are known to come, all in all.
    expected: usize,
}

impl FeaturesBuilder {
    /// With room for so many values: give a number that is certain, for memory is taken for it.
    pub fn with_capacity(values: usize) -> Self {
        let mut builder = Self::default();
        builder.expect(values);
        builder
    }

    /// Makes room for so many values in all, once it is known how many they are about.
    pub fn expect(&mut self, values: usize) {
        self.expected = values;
        let more = values.saturating_sub(self.len());
        match &mut self.wide {
            Some(wide) => wide.reserve_exact(more),
            None => self.narrow.cells.reserve_exact(more),
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.wide.as_ref().map_or(self.narrow.len(), Vec::len)
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a value.
    #[inline]
    pub fn push(&mut self, value: f64) {
        if let Some(wide) = &mut self.wide {
            wide.push(value);
        } else if !self.narrow.push(value) {
            self.widen().push(value);
        }
    }

    /// Adds values.
    pub fn extend_from_slice(&mut self, values: &[f64]) {
        let taken = match &self.wide {
            Some(_) => 0,
            None => self.narrow.extend_from_slice(values),
        };
        if taken < values.len() {
            self.widen().extend_from_slice(&values[taken..]);
        }
    }

    /// The values in f64, where they are stored from now on.
    fn widen(&mut self) -> &mut Vec<f64> {
        self.wide.get_or_insert_with(|| {
            let mut narrow = std::mem::take(&mut self.narrow);
            // Its room is given back before that of the others is taken.
            narrow.cells.shrink_to_fit();
            let mut wide = Vec::with_capacity(self.expected.max(narrow.len() + 1));
            wide.extend(narrow.widened());
            wide
        })
    }

    /// The same values where they were given a column after the other, each of `rows` values.
    #[must_use]
    pub fn transposed(self, rows: usize) -> Self {
        let Self { narrow, wide, expected } = self;
        match wide {
            Some(wide) => Self { narrow, wide: Some(by_row(&wide, rows)), expected },
            None => Self { narrow: narrow.transposed(rows), wide, expected },
        }
    }

    /// The table, with one name per column.
    ///
    /// # Errors
    /// As [`Features::new`].
    pub fn build(self, names: Vec<String>) -> Result<Features> {
        let Self { narrow, wide, .. } = self;
        match wide {
            Some(wide) => Features::new(wide, names),
            None => Features::from_compact(narrow, names),
        }
    }

    /// The values in f64.
    pub fn into_values(self) -> Vec<f64> {
        let Self { narrow, wide, .. } = self;
        wide.unwrap_or_else(|| narrow.widened().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(values: &[f64]) -> FeaturesBuilder {
        let mut built = FeaturesBuilder::default();
        values.iter().for_each(|value| built.push(*value));
        let mut sliced = FeaturesBuilder::with_capacity(values.len());
        values.chunks(2).for_each(|values| sliced.extend_from_slice(values));
        assert_eq!((&built.narrow, &built.wide), (&sliced.narrow, &sliced.wide));
        built
    }

    #[test]
    fn values_stand_in_four_bytes_until_one_does_not_fit() {
        assert_eq!(built(&[0.5, 5.1, -0.0, 255.0]).narrow.len(), 4);
        for other in [1.0 / 3.0, 1e300, 1e-300] {
            let values = [1.0, 2.0, other, 4.0, 0.1];
            let built = built(&values);
            assert_eq!((built.len(), built.wide.as_deref()), (5, Some(&values[..])));
        }
    }
}
