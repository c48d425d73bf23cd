//! The bundled digits as images: 1797 of 8 x 8 pixels, 30 % of each class held out.

use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca_data::bundled;
use burn_nca_learn::data::{Labeled, TensorFeatures, stratified_split};

/// Images `[n, 8, 8]` from 0 to 1, and their classes.
pub struct Part {
    pub images: Tensor<3>,
    pub labels: Vec<usize>,
}

/// What is trained on, and what is tested with.
pub struct Digits {
    pub train: Part,
    pub test: Part,
}

impl Digits {
    pub fn load(device: &Device) -> burn_nca_learn::Result<Self> {
        let all = bundled::digits();
        let split = stratified_split(all.labels(), 0.3, 0)?;
        let part = |rows: &[usize]| Part::of(&all.select(rows), device);
        Ok(Self { train: part(&split.train), test: part(&split.test) })
    }
}

impl Part {
    fn of(data: &Labeled, device: &Device) -> Self {
        let pixels = data.features().to_tensor(device, DType::F32).div_scalar(16.0);
        Self { images: pixels.reshape([data.rows(), 8, 8]), labels: data.labels().to_vec() }
    }

    /// The images and classes of some rows, for training.
    pub fn batch(&self, rows: &[usize]) -> (Tensor<3>, Tensor<1, Int>) {
        let device = self.images.device();
        let ints = |values: Vec<i32>| Tensor::<1, Int>::from_ints(values.as_slice(), &device);
        let places = ints(rows.iter().map(|&row| row as i32).collect());
        let labels = ints(rows.iter().map(|&row| self.labels[row] as i32).collect());
        (self.images.clone().select(0, places).autodiff(), labels)
    }
}
