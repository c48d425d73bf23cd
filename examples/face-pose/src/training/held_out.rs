//! The held-out loss that early stopping watches.

use crate::faces::{FacePairs, PairBatch, PosedFaces};
use anyhow::Result;
use burn::tensor::Device;
use burn_nca_learn::encoder::Encoder;

use super::goal::{Goal, pixels};
use crate::measure::{PolarMap, correlation, embed};

/// Batches of held-out pairs; one batch has as many pairs as a batch of training, since the normalizer of
/// equation 8 grows with it.
const BATCHES: usize = 4;

/// Pairs and faces of people that no step is made on: they say when to stop, and which step was the best.
pub struct HeldOut {
    batches: Vec<PairBatch>,
    faces: PosedFaces,
}

/// What a check of the held-out faces gives.
pub struct Scores {
    /// The mean loss of the batches.
    pub loss: f64,
    /// As in [`Check`](super::Check).
    pub rotation: f64,
    /// As in [`Check`](super::Check).
    pub size: f64,
}

impl HeldOut {
    /// The first pairs of this sampler, and the first single faces, on which the correlations are measured.
    pub fn new(source: &FacePairs, pairs: usize, faces: usize) -> Self {
        let batch = |number: usize| source.batch((number * pairs) as u64, pairs);
        Self { batches: (0..BATCHES).map(batch).collect(), faces: source.faces(faces) }
    }

    /// Looks at the held-out faces through a network.
    ///
    /// # Errors
    /// A device that cannot give its results.
    pub fn scores<E: Encoder>(&self, network: &E, goal: &Goal, device: &Device) -> Result<Scores> {
        let mut loss = 0.0;
        for batch in &self.batches {
            loss += goal.loss(network, batch.clone(), device).into_scalar::<f64>();
        }
        let outputs = embed(network, pixels(self.faces.clone(), device))?;
        let (rotation, size) = match goal {
            Goal::Pairs(_) => {
                let scores = PolarMap::fit(&outputs, &self.faces.poses)
                    .map(|map| map.scores(&outputs, &self.faces.poses));
                scores.map_or((0.0, 0.0), |scores| (scores.angle, scores.radius))
            }
            Goal::Poses(_) => {
                let column = |of: usize| outputs.iter().map(|z| z[of]).collect::<Vec<_>>();
                let poses = &self.faces.poses;
                let rotations: Vec<f64> = poses.iter().map(|pose| pose.rotation).collect();
                let heights: Vec<f64> = poses.iter().map(|pose| pose.height).collect();
                (correlation(&column(0), &rotations), correlation(&column(1), &heights))
            }
        };
        Ok(Scores { loss: loss / BATCHES as f64, rotation, size })
    }
}
