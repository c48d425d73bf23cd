//! Target neighbors and impostors: the pairs that a metric is learned from.

use burn::tensor::{DType, Tensor};

use crate::data::LabeledPair;
use crate::error::{Error, Result};
use crate::neighbors::{Points, sq_distance, within};
use crate::objective::TargetNeighbors;

/// Pairs with impostors that a fit may have; each takes some 100 bytes.
const MOST_IMPOSTORS: usize = 1 << 23;

impl TargetNeighbors {
    /// The pairs of each row that has impostors, in the input or embedded, `[n, k]`: its targets (y = 1), and the rows of other
    /// classes that are as near as the farthest of them (y = 0). A tie counts.
    ///
    /// # Errors
    /// Coordinates that no distance can be taken of, or more impostors than fit into memory.
    pub(crate) fn labeled_pairs(&self, z: &Tensor<2>) -> Result<Vec<LabeledPair>> {
        let points = Points::read(z, "rows")?;
        // Ties of a grid differ by rounding once its columns are scaled.
        let slack = if z.dtype() == DType::F64 { 1e-9 } else { 1e-5 };
        let radius =
            |row: usize| self.sq_lengths(&points, row).fold(-1.0, f64::max) * (1.0 + slack);
        let radii: Vec<f64> = (0..points.rows()).map(radius).collect();
        let other = |a: usize, b: usize| self.differ(a, b);
        let found = within(&points, &points, &radii, other, MOST_IMPOSTORS, &self.device);
        let Some(impostors) = found else {
            return Err(Error::data(format!(
                "the rows have more than {MOST_IMPOSTORS} neighbors of other classes as near as their targets; \
                 give fewer rows or fewer targets, or reduce the features by PCA first"
            )));
        };
        let mut pairs = Vec::new();
        for (anchor, near) in impostors.iter().enumerate().filter(|(_, near)| !near.is_empty()) {
            let targets = self.of_row(anchor).iter();
            pairs.extend(targets.map(|row| LabeledPair::alike(anchor, *row as usize)));
            pairs.extend(near.iter().map(|row| LabeledPair::different(anchor, *row as usize)));
        }
        Ok(pairs)
    }

    /// The mean squared distance of a row to its targets.
    pub(crate) fn sq_length(&self, z: &Tensor<2>) -> Result<f64> {
        let points = Points::read(z, "rows")?;
        let (mut sum, mut count) = (0.0, 0);
        for row in 0..points.rows() {
            sum += self.sq_lengths(&points, row).sum::<f64>();
            count += self.of_row(row).len();
        }
        Ok(sum / count.max(1) as f64)
    }

    /// The squared distances of a row to its targets.
    fn sq_lengths(&self, points: &Points, row: usize) -> impl Iterator<Item = f64> {
        let targets = self.of_row(row).iter();
        targets.map(move |to| sq_distance(points.row(row), points.row(*to as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::batch::testing::tensor;

    #[test]
    fn targets_are_of_the_class_and_impostors_are_as_near_ties_included() {
        // Class 0 at 0, 1, 5; class 1 at -1, 7, 8; a class of one row at 20.
        let labels = [0, 0, 0, 1, 1, 1, 2];
        let x = tensor(&[0.0, 1.0, 5.0, -1.0, 7.0, 8.0, 20.0], 1);
        let found = TargetNeighbors::new(&x, &labels, 1).unwrap();
        let targets = [0, 1, 2, 3, 4, 5, 6].map(|row| found.of_row(row));
        assert_eq!(targets, [&[1][..], &[0], &[1], &[4], &[5], &[4], &[]]);
        let pairs = found.labeled_pairs(&x).unwrap();
        let of = |alike: bool| {
            let some = pairs.iter().filter(move |pair| pair.coincide == alike);
            some.map(|pair| (pair.anchor, pair.other)).collect::<Vec<_>>()
        };
        assert_eq!(of(true), [(0, 1), (2, 1), (3, 4)]);
        // Row 0 is as far from row 3 as from its target: a tie. Row 1 has none within 1.
        assert_eq!(of(false), [(0, 3), (2, 4), (2, 5), (3, 0), (3, 1), (3, 2)]);
        let length = found.sq_length(&x).unwrap();
        assert!((length - (1.0 + 1.0 + 16.0 + 64.0 + 1.0 + 1.0) / 6.0).abs() < 1e-12);
    }
}
