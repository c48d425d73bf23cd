//! The values of a table of features: in f64, or in four bytes each where that loses nothing.

use std::sync::{Arc, OnceLock};

use super::Features;
use super::compact::Compact;

/// Values from which on a table is large: one that four bytes a value hold exactly is stored in them then.
const LARGE: usize = 1 << 20;

/// The values of a table, row-major. Copies share them.
#[derive(Clone, Debug)]
pub(super) enum FeatureValues {
    Wide(Arc<Vec<f64>>),
    /// In four bytes each, scaled as they are looked at.
    Narrow(Arc<Narrow>),
}

/// Values of four bytes each, and the scaling that they are seen through.
///
/// Scaled values need 53 bits, those that were read fewer: a table is scaled in no memory, and to the same bits.
#[derive(Debug)]
pub(super) struct Narrow {
    values: Arc<Compact>,
    columns: usize,
    /// What is subtracted from each column, and what it is divided by.
    scaling: Option<[Vec<f64>; 2]>,
    /// All of them in f64, once they were asked for so.
    wide: OnceLock<Arc<Vec<f64>>>,
}

impl Narrow {
    /// Writes whole rows from row `first` on, each value as `convert` makes it.
    fn write<T>(&self, first: usize, into: &mut [T], convert: impl Fn(f64) -> T) {
        let scaling = self.scaling.as_ref().map(|[offset, scale]| [&offset[..], scale]);
        self.values.write(first * self.columns, into, scaling, convert);
    }

    fn widened(&self) -> Arc<Vec<f64>> {
        let mut values = vec![0.0; self.values.len()];
        self.write(0, &mut values, |x| x);
        Arc::new(values)
    }

    fn value(&self, row: usize, column: usize) -> f64 {
        let x = self.values.get(row * self.columns + column);
        self.scaling.as_ref().map_or(x, |[offset, scale]| (x - offset[column]) / scale[column])
    }
}

impl FeatureValues {
    pub(super) fn wide(values: Vec<f64>) -> Self {
        Self::Wide(Arc::new(values))
    }

    /// Values of four bytes in rows of so many columns; in f64 where the table is small.
    pub(super) fn narrow(values: Compact, columns: usize) -> Self {
        if values.len() < LARGE {
            return Self::wide(values.widened().collect());
        }
        Self::in_four_bytes(values, columns, None)
    }

    /// The same in four bytes, however few, and through a scaling.
    pub(super) fn in_four_bytes(
        values: impl Into<Arc<Compact>>,
        columns: usize,
        scaling: Option<[Vec<f64>; 2]>,
    ) -> Self {
        let (values, wide) = (values.into(), OnceLock::new());
        Self::Narrow(Arc::new(Narrow { values, columns, scaling, wide }))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Wide(values) => values.len(),
            Self::Narrow(narrow) => narrow.values.len(),
        }
    }
}

impl Features {
    /// All values, row-major.
    ///
    /// Those that are stored in four bytes are stored in f64 as well from here on.
    pub fn values(&self) -> &[f64] {
        match &self.values {
            FeatureValues::Wide(values) => values,
            FeatureValues::Narrow(narrow) => narrow.wide.get_or_init(|| narrow.widened()),
        }
    }

    /// One value.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn value(&self, row: usize, column: usize) -> f64 {
        match &self.values {
            FeatureValues::Wide(values) => values[row * self.columns() + column],
            FeatureValues::Narrow(narrow) => narrow.value(row, column),
        }
    }

    /// Whether the values are stored in four bytes each.
    #[doc(hidden)]
    pub fn is_narrow(&self) -> bool {
        matches!(self.values, FeatureValues::Narrow(_))
    }

    /// The values in f64, shared where they are stored so.
    #[doc(hidden)]
    pub fn shared(&self) -> Arc<Vec<f64>> {
        match &self.values {
            FeatureValues::Wide(values) => Arc::clone(values),
            FeatureValues::Narrow(narrow) => {
                narrow.wide.get().map_or_else(|| narrow.widened(), Arc::clone)
            }
        }
    }

    /// The values to be changed in place, each to a finite one; copied first where they are shared or stored in
    /// four bytes.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        if self.is_narrow() {
            self.values = FeatureValues::Wide(self.shared());
        }
        match &mut self.values {
            FeatureValues::Wide(values) => Arc::make_mut(values).as_mut_slice(),
            // They were made wide above.
            FeatureValues::Narrow(_) => &mut [],
        }
    }

    /// The features `(x - offset) / scale`, their first scaling, where that needs no copy: not where they are stored in
    /// f64.
    pub(super) fn affine_view(&self, offset: &[f64], scale: &[f64]) -> Option<Self> {
        let FeatureValues::Narrow(narrow) = &self.values else { return None };
        let scaling = narrow.scaling.is_none().then(|| [offset.to_vec(), scale.to_vec()])?;
        let values = Arc::clone(&narrow.values);
        let values = FeatureValues::in_four_bytes(values, narrow.columns, Some(scaling));
        Some(Self { values, names: self.names.clone() })
    }

    /// Writes whole rows from row `first` on, each value as `convert` makes it.
    pub(super) fn write<T>(&self, first: usize, into: &mut [T], convert: impl Fn(f64) -> T) {
        match &self.values {
            FeatureValues::Wide(values) => {
                let from = &values[first * self.columns()..][..into.len()];
                into.iter_mut().zip(from).for_each(|(into, x)| *into = convert(*x));
            }
            FeatureValues::Narrow(narrow) => narrow.write(first, into, convert),
        }
    }

    /// The rows `indices`, in that order.
    ///
    /// # Panics
    /// If an index is not below [`rows`](Self::rows).
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        if indices.len() == self.rows() && indices.iter().enumerate().all(|(at, &row)| at == row) {
            return self.clone();
        }
        let columns = self.columns();
        let values = match &self.values {
            FeatureValues::Narrow(narrow) if indices.len() * columns >= LARGE => {
                let values = narrow.values.select(indices, columns);
                FeatureValues::in_four_bytes(values, columns, narrow.scaling.clone())
            }
            _ => FeatureValues::wide(self.converted(Some(indices), |x| x)),
        };
        Self { values, names: self.names.clone() }
    }
}
