//! Target neighbors and impostors: the pairs that a metric is learned from.

use burn::tensor::{DType, Device, Tensor};

use crate::data::LabeledPair;
use crate::error::{Error, Result};
use crate::neighbors::{NearestConfig, Points, sq_distance, within};

/// Pairs with impostors that a fit may have; each takes some 100 bytes.
const MOST_IMPOSTORS: usize = 1 << 23;

/// Each row's nearest of its class, its targets.
pub(crate) struct Neighborhoods<'a> {
    labels: &'a [usize],
    targets: Vec<Vec<usize>>,
    device: &'a Device,
}

impl<'a> Neighborhoods<'a> {
    /// The `k` nearest of each row's class, or all where there are fewer.
    ///
    /// # Shapes
    /// - x: `[n, d]`, where targets are near: the input, or a batch as it is embedded
    /// - labels: n classes, counted from 0
    ///
    /// # Errors
    /// Coordinates that no distance can be taken of.
    pub fn new(x: &Tensor<2>, labels: &'a [usize], k: usize, device: &'a Device) -> Result<Self> {
        let classes = labels.iter().max().map_or(0, |largest| largest + 1);
        let mut rows_of = vec![Vec::new(); classes];
        labels.iter().enumerate().for_each(|(row, class)| rows_of[*class].push(row));
        let mut targets = vec![Vec::new(); labels.len()];
        for rows in rows_of.into_iter().filter(|rows| rows.len() > 1) {
            let own = crate::objective::transfer::int_tensor(&rows, device);
            let near = NearestConfig::new(k.min(rows.len() - 1))
                .search_others(&x.clone().select(0, own))?;
            for (at, &row) in rows.iter().enumerate() {
                targets[row] = near.indices(at).iter().map(|near| rows[*near as usize]).collect();
            }
        }
        Ok(Self { labels, targets, device })
    }

    /// Number of rows that have a target.
    pub fn num_with_target(&self) -> usize {
        self.targets.iter().filter(|targets| !targets.is_empty()).count()
    }

    /// The pairs of each row that has impostors: its targets (y = 1), and the rows of other classes that are as near
    /// as the farthest of them (y = 0). A tie counts.
    ///
    /// # Shapes
    /// - z: `[n, k]`, the rows in the input or embedded
    ///
    /// # Errors
    /// Coordinates that no distance can be taken of, or more impostors than fit into memory.
    pub fn pairs(&self, z: &Tensor<2>) -> Result<Vec<LabeledPair>> {
        let points = Points::read(z, "rows")?;
        // Ties of a grid differ by rounding once its columns are scaled.
        let slack = if z.dtype() == DType::F64 { 1e-9 } else { 1e-5 };
        let radius = |(row, targets): (usize, &Vec<usize>)| {
            let distances = targets.iter().map(|to| sq_distance(points.row(row), points.row(*to)));
            distances.fold(-1.0, f64::max) * (1.0 + slack)
        };
        let radii: Vec<f64> = self.targets.iter().enumerate().map(radius).collect();
        let other = |a: usize, b: usize| self.labels[a] != self.labels[b];
        let found = within(&points, &points, &radii, other, MOST_IMPOSTORS, self.device);
        let Some(impostors) = found else {
            return Err(Error::data(format!(
                "the rows have more than {MOST_IMPOSTORS} neighbors of other classes as near as their targets; \
                 give fewer rows or fewer targets, or reduce the features by PCA first"
            )));
        };
        let mut pairs = Vec::new();
        for (anchor, impostors) in impostors.iter().enumerate().filter(|(_, near)| !near.is_empty())
        {
            let alike = self.targets[anchor].iter().map(|to| LabeledPair::alike(anchor, *to));
            pairs.extend(alike);
            let near = impostors.iter().map(|row| LabeledPair::different(anchor, *row as usize));
            pairs.extend(near);
        }
        Ok(pairs)
    }

    /// The mean squared distance of a row to its targets.
    pub fn sq_length(&self, z: &Tensor<2>) -> Result<f64> {
        let points = Points::read(z, "rows")?;
        let (mut sum, mut count) = (0.0, 0);
        for (row, targets) in self.targets.iter().enumerate() {
            let to = targets.iter().map(|to| sq_distance(points.row(row), points.row(*to)));
            sum += to.sum::<f64>();
            count += targets.len();
        }
        Ok(sum / count.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::batch::testing::tensor;

    #[test]
    fn targets_are_of_the_class_and_impostors_are_as_near_ties_included() {
        // Class 0 at 0, 1, 5; class 1 at -1, 7, 8; a class of one row at 20.
        let (device, labels) = (Device::flex(), [0, 0, 0, 1, 1, 1, 2]);
        let x = tensor(&[0.0, 1.0, 5.0, -1.0, 7.0, 8.0, 20.0], 1);
        let found = Neighborhoods::new(&x, &labels, 1, &device).unwrap();
        assert_eq!(found.num_with_target(), 6);
        assert_eq!(found.targets, [vec![1], vec![0], vec![1], vec![4], vec![5], vec![4], vec![]]);
        let pairs = found.pairs(&x).unwrap();
        let [alike, different] = [LabeledPair::alike, LabeledPair::different];
        // Row 0 is as far from row 3 as from its target: a tie. Row 1 has none within 1.
        let expected = vec![
            alike(0, 1),
            different(0, 3),
            alike(2, 1),
            different(2, 4),
            different(2, 5),
            alike(3, 4),
            different(3, 0),
            different(3, 1),
            different(3, 2),
        ];
        assert_eq!(pairs, expected);
        let length = found.sq_length(&x).unwrap();
        assert!((length - (1.0 + 1.0 + 16.0 + 64.0 + 1.0 + 1.0) / 6.0).abs() < 1e-12);
    }
}
