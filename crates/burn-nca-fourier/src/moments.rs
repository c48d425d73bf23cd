//! What is averaged in a sum besides the kernel.

use crate::sets::Group;

/// What is averaged under the weights of the pairs, `p_ij = exp(-||q_i - r_j||² - s_i)`.
#[derive(Clone, Copy, Debug)]
pub enum Moments<'a> {
    /// Nothing.
    None,
    /// The squared distances.
    Squares,
    /// Values of the references in c columns, `[m, c]`.
    Values(&'a [f64], usize),
}

impl Moments<'_> {
    /// Number of means of each query.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Squares => 1,
            Self::Values(_, columns) => *columns,
        }
    }

    pub(crate) fn columns(&self) -> usize {
        if let Self::Values(_, columns) = self { *columns } else { 0 }
    }

    /// The values of the references of a group, `[m, c]`.
    pub(crate) fn values(&self, group: &Group) -> &[f64] {
        match self {
            Self::Values(values, columns) => {
                &values[group.references.start * columns..group.references.end * columns]
            }
            _ => &[],
        }
    }
}

/// Values less the mean of their column, by the largest of it: from -1 to 1.
pub(crate) struct Scaled {
    pub(crate) values: Vec<f64>,
    /// Mean and largest deviation of each column.
    columns: Vec<(f64, f64)>,
}

impl Scaled {
    pub(crate) fn new(values: &[f64], c: usize) -> Self {
        let rows = || values.chunks_exact(c);
        let of_column = |column: usize| {
            let mean = rows().map(|row| row[column]).sum::<f64>() / rows().len().max(1) as f64;
            let most = rows().map(|row| (row[column] - mean).abs()).fold(0.0, f64::max);
            (mean, if most > 0.0 { most } else { 1.0 })
        };
        let mut scaled = Self { values: Vec::new(), columns: (0..c).map(of_column).collect() };
        scaled.values = rows().flat_map(|row| scaled.scale(row)).collect();
        scaled
    }

    pub(crate) fn scale(&self, row: &[f64]) -> impl Iterator<Item = f64> {
        row.iter().zip(&self.columns).map(|(value, (mean, most))| (value - mean) / most)
    }

    pub(crate) fn unscale(&self, row: &mut [f64]) {
        row.iter_mut()
            .zip(&self.columns)
            .for_each(|(value, (mean, most))| *value = mean + most * *value);
    }

    /// The gradient by scaled values, from that by values.
    pub(crate) fn slopes(&self, gradient: &[f64]) -> impl Iterator<Item = f64> {
        gradient.iter().zip(&self.columns).map(|(gradient, (_, most))| gradient * most)
    }
}
