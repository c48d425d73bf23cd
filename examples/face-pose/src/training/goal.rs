//! The losses that a network can be trained for.

use crate::faces::{PIXELS, PairBatch, Pose, PoseOptions, PosedFaces};
use burn::config::Config;
use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::encoder::Encoder;
use burn_nca_learn::objective::PairLoss;

/// What a network is trained for.
#[derive(Debug)]
pub enum Goal {
    /// The faces of a pair close together, all others apart: equation 8. No pose is given.
    Pairs(PairLoss),
    /// The poses themselves, for comparison.
    Poses(PoseScale),
}

/// Rotation and height as numbers of mean 0 and variance 1 over the poses that are drawn.
#[derive(Config, Debug)]
pub struct PoseScale {
    rotation: f64,
    height: [f64; 2],
}

impl PoseScale {
    /// The scale of these ranges: a uniform distribution of half width a has deviation a / √3.
    pub fn of(options: &PoseOptions) -> Self {
        let [least, largest] = options.heights;
        let root = 3.0_f64.sqrt();
        Self::new(
            options.rotation / root,
            [0.5 * (least + largest), 0.5 * (largest - least) / root],
        )
    }

    fn scaled(&self, pose: &Pose) -> [f32; 2] {
        let [mean, deviation] = self.height;
        [(pose.rotation / self.rotation) as f32, ((pose.height - mean) / deviation) as f32]
    }

    /// The pose that a network's two outputs stand for.
    pub fn pose(&self, output: [f64; 2]) -> Pose {
        let [mean, deviation] = self.height;
        Pose { rotation: self.rotation * output[0], height: mean + deviation * output[1] }
    }
}

impl Goal {
    /// The name of the goal in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pairs(_) => "pairs",
            Self::Poses(_) => "poses",
        }
    }

    /// The loss of a batch, shape `[1]`, on the device of the network.
    ///
    /// - pairs: equation 8 over all faces of the batch, a mean over its pairs;
    /// - poses: the mean squared error of both outputs over the same faces.
    pub fn loss<E: Encoder>(&self, network: &E, batch: PairBatch, device: &Device) -> Tensor<1> {
        let pairs = batch.weights.len();
        let truth = match self {
            Self::Pairs(_) => None,
            Self::Poses(scale) => Some(truth(scale, &batch, device)),
        };
        let x = Tensor::cat(vec![pixels(batch.first, device), pixels(batch.second, device)], 0);
        let z = network.forward(x);
        match (self, truth) {
            (Self::Pairs(loss), _) => {
                let weights = TensorData::new(batch.weights, [pairs]).convert_dtype(DType::F32);
                let weights = Tensor::<1>::from_data(weights, device);
                loss.forward(z.clone().slice([0..pairs]), z.slice([pairs..2 * pairs]), weights)
            }
            (Self::Poses(_), Some(truth)) => (z - truth).square().mean(),
            (Self::Poses(_), None) => unreachable!("the truth was made above"),
        }
    }
}

fn truth(scale: &PoseScale, batch: &PairBatch, device: &Device) -> Tensor<2> {
    let poses = batch.first.poses.iter().chain(&batch.second.poses);
    let values: Vec<f32> = poses.flat_map(|pose| scale.scaled(pose)).collect();
    let rows = values.len() / 2;
    Tensor::from_data(TensorData::new(values, [rows, 2]), device)
}

/// The pixels of faces as a tensor `[n, PIXELS]`.
pub fn pixels(faces: PosedFaces, device: &Device) -> Tensor<2> {
    let rows = faces.len();
    Tensor::from_data(TensorData::new(faces.pixels, [rows, PIXELS]), device)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::faces::{FacePairs, synthetic_faces};
    use burn_nca_learn::encoder::Mlp;
    use burn_nca_learn::objective::PairLossConfig;

    use super::*;
    use crate::network::Network;

    fn batch() -> PairBatch {
        let bank = Arc::new(synthetic_faces(6, 2, 0).unwrap());
        FacePairs::new(bank, PoseOptions::default(), 0).unwrap().batch(0, 5)
    }

    fn outputs(network: &Mlp, batch: &PairBatch, device: &Device) -> Vec<[f64; 2]> {
        let x = Tensor::cat(
            vec![pixels(batch.first.clone(), device), pixels(batch.second.clone(), device)],
            0,
        );
        let values = network.forward(x).into_data().try_to_vec::<f32>().unwrap();
        values.chunks_exact(2).map(|z| [f64::from(z[0]), f64::from(z[1])]).collect()
    }

    #[test]
    fn the_loss_of_pairs_is_equation_8_over_the_batch() {
        let device = Device::flex();
        let network = Mlp::start(3, 1.0, &device);
        let batch = batch();
        let z = outputs(&network, &batch, &device);
        let square = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        let normalizer: f64 =
            z.iter().flat_map(|&c| z.iter().map(move |&d| (-square(c, d)).exp())).sum();
        let cost: f64 =
            (0..5).map(|i| batch.weights[i] * (square(z[i], z[5 + i]) + normalizer.ln())).sum();
        let goal = Goal::Pairs(PairLossConfig::new().init());
        let loss: f64 = goal.loss(&network, batch, &device).into_scalar();
        assert!((loss - cost / 5.0).abs() < 1e-5, "{loss} {}", cost / 5.0);
    }

    #[test]
    fn the_loss_of_poses_is_a_mean_square() {
        let device = Device::flex();
        let network = Mlp::start(3, 1.0, &device);
        let batch = batch();
        let scale = PoseScale::of(&PoseOptions::default());
        let poses = batch.first.poses.iter().chain(&batch.second.poses);
        let squares: f64 = outputs(&network, &batch, &device)
            .iter()
            .zip(poses)
            .map(|(z, pose)| {
                let truth = scale.scaled(pose).map(f64::from);
                (z[0] - truth[0]).powi(2) + (z[1] - truth[1]).powi(2)
            })
            .sum();
        let loss: f64 = Goal::Poses(scale).loss(&network, batch, &device).into_scalar();
        assert!((loss - squares / 20.0).abs() < 1e-5, "{loss} {}", squares / 20.0);
    }

    #[test]
    fn poses_survive_their_scale() {
        let scale = PoseScale::of(&PoseOptions::default());
        let pose = Pose { rotation: -31.0, height: 27.5 };
        let back = scale.pose(scale.scaled(&pose).map(f64::from));
        assert!((back.rotation + 31.0).abs() < 1e-4 && (back.height - 27.5).abs() < 1e-4);
        // The ends of a uniform distribution are √3 deviations from its middle.
        let end = scale.scaled(&Pose { rotation: 45.0, height: 35.0 });
        assert!(end.iter().all(|value| (value - 3.0_f32.sqrt()).abs() < 1e-6));
    }
}
