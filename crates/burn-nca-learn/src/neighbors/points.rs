//! The rows of an embedding on the host, in f64.

use std::sync::Arc;

use burn::tensor::{DType, Tensor};
use rayon::prelude::*;

use super::ranking::Resolution;
use crate::data::{Features, host_values};
use crate::error::{Error, Result};

/// Coordinates beyond this would overflow f64 when squared and summed.
const LARGEST_COORDINATE: f64 = 1e150;

/// What counts as equal among distances of coordinates in f64, relative to them: 64 units of rounding.
const DOUBLE: f64 = 1.0 / (1u64 << 47) as f64;

/// The same of coordinates in f32: four units of rounding.
const SINGLE: f64 = 1.0 / (1u64 << 22) as f64;

/// Rows that one task goes through.
const TASK_ROWS: usize = 2048;

/// Rows of points on the host, in f64: what exact distances are taken between.
///
/// Copies and the [`Features`] they were made of share the coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// Row-major.
    values: Arc<Vec<f64>>,
    rows: usize,
    dimensions: usize,
    /// The relative difference below which two distances are equal: see [`Resolution`].
    resolution: f64,
}

impl Points {
    /// The rows of a `[n, k]` tensor; `name` names them in messages.
    pub(crate) fn read(tensor: &Tensor<2>, name: &str) -> Result<Self> {
        let [rows, dimensions] = tensor.dims();
        if dimensions == 0 {
            return Err(Error::data(format!(
                "the {name} have no dimension; at least one is needed"
            )));
        }
        let values = match rows {
            0 => Vec::new(),
            _ => host_values(tensor.clone().without_autodiff()),
        };
        let points = Self::checked(Arc::new(values), [rows, dimensions], name)?;
        let is_double = tensor.dtype() == DType::F64;
        Ok(Self { resolution: if is_double { DOUBLE } else { SINGLE }, ..points })
    }

    /// The rows of features, as they are; `name` names them in messages.
    pub(crate) fn of(features: &Features, name: &str) -> Result<Self> {
        Self::checked(features.shared(), [features.rows(), features.columns()], name)
    }

    fn checked(values: Arc<Vec<f64>>, [rows, dimensions]: [usize; 2], name: &str) -> Result<Self> {
        let unusable = |x: &f64| !x.is_finite() || x.abs() > LARGEST_COORDINATE;
        let block = TASK_ROWS * dimensions;
        let bad = values.par_chunks(block).enumerate().find_map_first(|(at, values)| {
            values.iter().position(unusable).map(|within| at * block + within)
        });
        if let Some(at) = bad {
            return Err(Error::data(format!(
                "row {} of the {name} has the coordinate {} in dimension {}; distances need finite \
                 coordinates of at most {LARGEST_COORDINATE:e}: scale the data, or fit again with a \
                 smaller step",
                at / dimensions + 1,
                values[at],
                at % dimensions + 1
            )));
        }
        Ok(Self { values, rows, dimensions, resolution: DOUBLE })
    }

    /// Number of rows, n.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of dimensions, k.
    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Row `index`.
    pub(crate) fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.dimensions..(index + 1) * self.dimensions]
    }

    /// A copy of the rows `order`, in that order.
    pub(crate) fn select(&self, order: &[usize]) -> Self {
        let rows: Vec<&[f64]> = order.iter().map(|&row| self.row(row)).collect();
        let values = rows.concat();
        Self { values: Arc::new(values), rows: order.len(), ..*self }
    }

    /// How far apart distances from a row to rows of `references` must be to differ.
    pub(crate) fn resolution(&self, row: usize, references: &Self) -> Resolution {
        let relative = self.resolution.max(references.resolution);
        Resolution::new(relative, self.row(row).iter().map(|x| x * x).sum::<f64>().sqrt())
    }

    /// The largest distance of a coordinate from that of `center`.
    pub(super) fn largest_deviation(&self, center: &[f64]) -> f64 {
        let largest = |rows: &[f64]| {
            let rows = rows.chunks_exact(self.dimensions);
            let apart = rows.flat_map(|row| row.iter().zip(center).map(|(x, c)| (x - c).abs()));
            apart.fold(0.0, f64::max)
        };
        self.blocks().map(largest).reduce(|| 0.0, f64::max)
    }

    /// The mean row; the origin when there is no row.
    pub(crate) fn mean(&self) -> Vec<f64> {
        let n = self.rows.max(1) as f64;
        let sum = |rows: &[f64]| {
            let mut sum = vec![0.0; self.dimensions];
            for row in rows.chunks_exact(self.dimensions) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / n);
            }
            sum
        };
        // Added up in the order of the blocks, so that any number of threads gives the same.
        let sums: Vec<Vec<f64>> = self.blocks().map(sum).collect();
        let mut mean = vec![0.0; self.dimensions];
        for sum in sums {
            mean.iter_mut().zip(sum).for_each(|(mean, x)| *mean += x);
        }
        mean
    }

    /// Blocks of rows.
    fn blocks(&self) -> impl IndexedParallelIterator<Item = &[f64]> {
        self.values.par_chunks(TASK_ROWS * self.dimensions)
    }
}

/// The squared Euclidean distance `Σ_k (a_k - b_k)²`, by differences.
///
/// Symmetric to the last bit, and exactly 0 between equal points.
pub(crate) fn sq_distance(a: &[f64], b: &[f64]) -> f64 {
    let (a_blocks, a_rest) = a.as_chunks::<4>();
    let (b_blocks, b_rest) = b.as_chunks::<4>();
    // Four independent sums let the compiler use vector instructions.
    let mut sums = [0.0; 4];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += (a - b) * (a - b);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// Queries and references on the host that fit each other.
pub(super) fn read_both(queries: &Tensor<2>, references: &Tensor<2>) -> Result<[Points; 2]> {
    fitting([Points::read(queries, "queries")?, Points::read(references, "references")?])
}

/// Queries and references that fit each other.
pub(super) fn fitting(both: [Points; 2]) -> Result<[Points; 2]> {
    check_dimensions(both[0].dimensions, both[1].dimensions)?;
    Ok(both)
}

/// Checks that queries and references have the same dimensions.
pub(crate) fn check_dimensions(queries: usize, references: usize) -> Result<()> {
    if queries != references {
        return Err(Error::data(format!(
            "the queries have {queries} dimensions, the references {references}; embed both with the same map"
        )));
    }
    Ok(())
}

/// Checks `own`, the reference row that each query is.
pub(super) fn check_own(own: Option<&[usize]>, queries: usize, references: usize) -> Result<()> {
    let Some(own) = own else { return Ok(()) };
    if own.len() != queries {
        return Err(Error::data(format!(
            "{} own rows for {queries} queries; name one reference row a query",
            own.len()
        )));
    }
    match own.iter().position(|&row| row >= references) {
        Some(query) => Err(Error::data(format!(
            "query {query} is said to be reference row {}, but there are {references} references, \
             counted from 0; name the row that is the query itself",
            own[query]
        ))),
        None => Ok(()),
    }
}

/// Checks that every reference row has a group, where there are groups.
pub(super) fn check_groups(groups: Option<&[usize]>, references: usize) -> Result<()> {
    match groups.filter(|groups| groups.len() != references) {
        None => Ok(()),
        Some(groups) => Err(Error::data(format!(
            "{} groups for {references} references; give the group of each reference",
            groups.len()
        ))),
    }
}

/// Checks that every reference row has a label below `classes`.
pub(super) fn check_labels(labels: &[usize], references: usize, classes: usize) -> Result<()> {
    if labels.len() != references {
        return Err(Error::data(format!(
            "{} labels for {references} references; give one label a reference row",
            labels.len()
        )));
    }
    match labels.iter().position(|&label| label >= classes) {
        Some(row) => Err(Error::data(format!(
            "reference row {row} has label {}, but there are {classes} classes, counted from 0; \
             give the number of classes",
            labels[row]
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::tensor;
    use super::*;
    use crate::baseline::fixture::assert_refused;

    #[test]
    fn squared_distances_are_those_of_the_definition_at_every_length() {
        for length in 0..12 {
            let a: Vec<f64> = (0..length).map(|k| k as f64).collect();
            let b: Vec<f64> = (0..length).map(|k| 3.0 * k as f64 + 1.0).collect();
            let expected: f64 = (0..length).map(|k| (2.0 * k as f64 + 1.0).powi(2)).sum();
            assert_eq!(sq_distance(&a, &b), expected);
            assert_eq!(sq_distance(&b, &a), expected);
            assert_eq!(sq_distance(&a, &a), 0.0);
        }
    }

    #[test]
    fn a_coordinate_that_is_not_finite_is_named() {
        let points = tensor(&[0.0, 1.0, 2.0, f64::NAN], 2);
        let refused = "row 2 of the queries has the coordinate NaN in dimension 2";
        assert_refused(Points::read(&points, "queries"), &[refused]);
    }
}
