//! What the objective is about: the class of each row, and its nearest rows of that class before learning.

use std::ops::Range;
use std::sync::Arc;

use burn::tensor::{Bool, DType, Device, Int, Tensor, TensorData};
use burn_nca_learn::data::{Labeled, TensorFeatures};
use burn_nca_learn::neighbors::nearest_others;
use burn_nca_learn::objective::DataTarget;

/// The target neighbors of n rows, k of each, prepared once for many evaluations.
#[derive(Clone, Debug)]
pub struct TargetNeighbors {
    data: Arc<Labeled>,
    k: usize,
    /// `[n, k]`; a row of a small class repeats itself.
    neighbors: Tensor<2, Int>,
    /// 1 where a neighbor is one, 0 where the row repeats itself, `[n, k]`.
    present: Tensor<2>,
    labels: Tensor<1, Int>,
}

impl TargetNeighbors {
    /// The k nearest rows of each row's own class, by the Euclidean distance of the features.
    pub fn new(data: Labeled, k: usize, device: &Device) -> burn_nca_learn::Result<Self> {
        let device = &device.clone().inner();
        let n = data.rows();
        let mut neighbors: Vec<i32> =
            (0..n).flat_map(|row| std::iter::repeat_n(row as i32, k)).collect();
        let mut present = vec![0f32; n * k];
        for class in 0..data.classes() {
            let rows: Vec<usize> = (0..n).filter(|&row| data.labels()[row] == class).collect();
            let found = k.min(rows.len().saturating_sub(1));
            if found == 0 {
                continue;
            }
            let points = data.select(&rows).features().to_tensor(device, DType::F64);
            let nearest = nearest_others(&points, found)?;
            for (at, &row) in rows.iter().enumerate() {
                for (j, &other) in nearest.indices(at).iter().enumerate() {
                    neighbors[row * k + j] = rows[other as usize] as i32;
                    present[row * k + j] = 1.0;
                }
            }
        }
        let labels: Vec<i32> = data.labels().iter().map(|&label| label as i32).collect();
        Ok(Self {
            data: Arc::new(data),
            k,
            neighbors: Tensor::from_data(TensorData::new(neighbors, [n, k]), device),
            present: Tensor::from_data(TensorData::new(present, [n, k]), device),
            labels: Tensor::from_data(TensorData::new(labels, [n]), device),
        })
    }

    /// The neighbors of some rows, and which of them are present, `[b, k]` each.
    pub fn neighbors(&self, rows: &Range<usize>, dtype: DType) -> (Tensor<2, Int>, Tensor<2>) {
        let present = self.present.clone().slice([rows.clone()]).cast(dtype);
        (self.neighbors.clone().slice([rows.clone()]), present)
    }

    /// Where some rows and all rows are of one class, `[b, n]`.
    pub fn same_class(&self, rows: &Range<usize>) -> Tensor<2, Bool> {
        let (b, n) = (rows.len(), self.points());
        let own = self.labels.clone().slice([rows.clone()]).reshape([b, 1]).expand([b, n]);
        own.equal(self.labels.clone().reshape([1, n]).expand([b, n]))
    }
}

impl DataTarget for TargetNeighbors {
    fn points(&self) -> usize {
        self.data.rows()
    }

    /// The target neighbors of a mini-batch are those within it.
    ///
    /// # Panics
    /// If there is no row.
    fn subset(&self, rows: &[usize]) -> Self {
        Self::new(self.data.select(rows), self.k, &self.labels.device())
            .expect("rows of a data set that was searched before can be searched")
    }
}
