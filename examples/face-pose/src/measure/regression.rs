//! Errors of predicted poses.

use crate::faces::Pose;
use anyhow::Result;
use burn::tensor::{Device, Tensor, TensorData};
use burn_nca_learn::neighbors::nearest;
use serde::{Deserialize, Serialize};

use super::Point;

/// Mean absolute errors of predicted poses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseError {
    /// Of the rotation, in degrees.
    pub degrees: f64,
    /// Of the height, in pixels.
    pub pixels: f64,
}

/// The error of poses that a network predicts itself.
///
/// # Panics
/// If there is not one prediction a pose, or no pose.
pub fn direct_error(predicted: &[Pose], truth: &[Pose]) -> PoseError {
    assert!(!truth.is_empty() && predicted.len() == truth.len(), "every pose has a prediction");
    let mean = |error: fn(&Pose, &Pose) -> f64| {
        let sum: f64 = predicted.iter().zip(truth).map(|(one, other)| error(one, other)).sum();
        sum / truth.len() as f64
    };
    PoseError {
        degrees: mean(|one, other| (one.rotation - other.rotation).abs()),
        pixels: mean(|one, other| (one.height - other.height).abs()),
    }
}

/// The poses of `queries` as the means over their k nearest references in the plane, and their error.
///
/// Free of any form of the map: it need not be polar, only near where poses are near.
///
/// # Errors
/// k of 0 or above the number of references, or a point that is not finite.
pub fn neighbor_error(
    (references, reference_poses): (&[Point], &[Pose]),
    (queries, truth): (&[Point], &[Pose]),
    k: usize,
) -> Result<(Vec<Pose>, PoseError)> {
    let device = burn_nca_learn::device::host().unwrap_or_default();
    let neighbors = nearest(&tensor(queries, &device), &tensor(references, &device), k, None)?;
    let predicted: Vec<Pose> = (0..queries.len())
        .map(|row| {
            let near = neighbors.indices(row).iter().map(|&place| reference_poses[place as usize]);
            let (rotation, height) =
                near.fold((0.0, 0.0), |sum, pose| (sum.0 + pose.rotation, sum.1 + pose.height));
            Pose { rotation: rotation / k as f64, height: height / k as f64 }
        })
        .collect();
    let error = direct_error(&predicted, truth);
    Ok((predicted, error))
}

fn tensor(points: &[Point], device: &Device) -> Tensor<2> {
    let values: Vec<f32> = points.iter().flatten().map(|&value| value as f32).collect();
    Tensor::from_data(TensorData::new(values, [points.len(), 2]), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(rotation: f64, height: f64) -> Pose {
        Pose { rotation, height }
    }

    #[test]
    fn errors_by_hand() {
        let error = direct_error(
            &[pose(10.0, 30.0), pose(-5.0, 26.0)],
            &[pose(13.0, 30.5), pose(-6.0, 25.0)],
        );
        assert_eq!(error, PoseError { degrees: 2.0, pixels: 0.75 });
    }

    #[test]
    fn neighbors_in_the_plane_predict_their_mean_pose() {
        let references = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 9.0]];
        let poses = [pose(0.0, 25.0), pose(10.0, 27.0), pose(-4.0, 29.0), pose(40.0, 35.0)];
        let queries = [[0.6, 0.1], [9.0, 8.0]];
        let truth = [pose(6.0, 26.0), pose(44.0, 35.0)];
        // One neighbor: (10, 27) and (40, 35).
        let (_, one) = neighbor_error((&references, &poses), (&queries, &truth), 1).unwrap();
        assert_eq!(one, PoseError { degrees: 4.0, pixels: 0.5 });
        // Two: (5, 26) of the first two, and (25, 31) of (9, 9) and (1, 0), whose squared distances from (9, 8)
        // are 1 and 128; that of (0, 1) is 130.
        let (predicted, _) = neighbor_error((&references, &poses), (&queries, &truth), 2).unwrap();
        assert_eq!(predicted, [pose(5.0, 26.0), pose(25.0, 31.0)]);
        assert!(neighbor_error((&references, &poses), (&queries, &truth), 5).is_err());
    }
}
