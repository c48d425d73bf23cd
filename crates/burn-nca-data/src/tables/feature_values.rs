//! The values of a table of features: in f64, or in four bytes each where that loses nothing.

use std::sync::{Arc, OnceLock};

use super::compact::Compact;

/// Values from which on a table is large: one that four bytes a value hold exactly is stored in them then.
const LARGE: usize = 1 << 20;

/// The values of a table, row-major. Copies share them.
#[derive(Clone, Debug)]
pub(super) enum FeatureValues {
    /// In f64.
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
    fn new(values: Arc<Compact>, columns: usize, scaling: Option<[Vec<f64>; 2]>) -> Self {
        Self { values, columns, scaling, wide: OnceLock::new() }
    }

    /// Writes whole rows from row `first` on, each value as `convert` makes it.
    fn write<T>(&self, first: usize, into: &mut [T], convert: impl Fn(f64) -> T) {
        let first = first * self.columns;
        match &self.scaling {
            None => self.values.write(first, into, convert),
            Some([offset, scale]) => {
                self.values.write_scaled(first, into, [offset, scale], convert);
            }
        }
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
        Self::in_four_bytes(values, columns)
    }

    /// The same in four bytes, however few.
    pub(super) fn in_four_bytes(values: Compact, columns: usize) -> Self {
        Self::Narrow(Arc::new(Narrow::new(Arc::new(values), columns, None)))
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Wide(values) => values.len(),
            Self::Narrow(narrow) => narrow.values.len(),
        }
    }

    /// Whether they are stored in four bytes each.
    pub(super) fn is_narrow(&self) -> bool {
        matches!(self, Self::Narrow(_))
    }

    /// All of them in f64; those that are stored in four bytes are held twice from here on.
    pub(super) fn all(&self) -> &[f64] {
        match self {
            Self::Wide(values) => values,
            Self::Narrow(narrow) => narrow.wide.get_or_init(|| narrow.widened()),
        }
    }

    /// All of them in f64, shared where they are stored so.
    pub(super) fn shared(&self) -> Arc<Vec<f64>> {
        match self {
            Self::Wide(values) => Arc::clone(values),
            Self::Narrow(narrow) => narrow.wide.get().map_or_else(|| narrow.widened(), Arc::clone),
        }
    }

    /// All of them, to be changed in f64; copied first where they are shared or stored in four bytes.
    pub(super) fn all_mut(&mut self) -> &mut [f64] {
        if self.is_narrow() {
            *self = Self::Wide(self.shared());
        }
        match self {
            Self::Wide(values) => {
                let values: &mut Vec<f64> = Arc::make_mut(values);
                values
            }
            // They were made wide above.
            Self::Narrow(_) => &mut [],
        }
    }

    /// The values through a scaling, which must be their first, without a copy; `None` where they are stored in f64.
    pub(super) fn affine_view(&self, offset: &[f64], scale: &[f64]) -> Option<Self> {
        match self {
            Self::Narrow(narrow) if narrow.scaling.is_none() => {
                let scaling = Some([offset.to_vec(), scale.to_vec()]);
                let values = Arc::clone(&narrow.values);
                Some(Self::Narrow(Arc::new(Narrow::new(values, narrow.columns, scaling))))
            }
            _ => None,
        }
    }

    /// One value of a table of `columns` columns.
    pub(super) fn value(&self, [row, column]: [usize; 2], columns: usize) -> f64 {
        match self {
            Self::Wide(values) => values[row * columns + column],
            Self::Narrow(narrow) => narrow.value(row, column),
        }
    }

    /// Writes whole rows of `columns` columns from row `first` on, each value as `convert` makes it.
    pub(super) fn write<T>(
        &self,
        (first, columns): (usize, usize),
        into: &mut [T],
        convert: impl Fn(f64) -> T,
    ) {
        match self {
            Self::Wide(values) => {
                let from = &values[first * columns..][..into.len()];
                into.iter_mut().zip(from).for_each(|(into, x)| *into = convert(*x));
            }
            Self::Narrow(narrow) => narrow.write(first, into, convert),
        }
    }

    /// These rows of `columns` columns, in that order.
    pub(super) fn select(&self, rows: &[usize], columns: usize) -> Self {
        let size = rows.len() * columns;
        match self {
            Self::Narrow(narrow) if size >= LARGE => {
                let values = narrow.values.select(rows, columns);
                let scaling = narrow.scaling.clone();
                Self::Narrow(Arc::new(Narrow::new(Arc::new(values), columns, scaling)))
            }
            _ => {
                let mut values = vec![0.0; size];
                for (into, &row) in values.chunks_exact_mut(columns).zip(rows) {
                    self.write((row, columns), into, |x| x);
                }
                Self::wide(values)
            }
        }
    }
}
