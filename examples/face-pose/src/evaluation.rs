//! The measures on people who were never seen.

use crate::faces::{PIXELS, Pose, PosedFaces};
use anyhow::Result;
use burn::tensor::Device;
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::Features;

use crate::banks::Banks;
use crate::measure::{Point, PolarMap, direct_error, embed, neighbor_error};
use crate::network::Network;
use crate::results::MethodError;
use crate::training::{PoseScale, pixels};

/// Faces that principal components are found on.
const PCA_FACES: usize = 2500;

/// k of the k-NN regression.
pub const NEIGHBORS: usize = 20;

/// Reference faces and test faces, the same for every method.
pub struct Evaluation<'a> {
    references: PosedFaces,
    /// The faces of the test people.
    pub tests: PosedFaces,
    device: &'a Device,
}

/// The plane of a network on these faces.
pub struct Plane {
    /// The reference faces.
    pub references: Vec<Point>,
    /// The test faces.
    pub tests: Vec<Point>,
}

impl<'a> Evaluation<'a> {
    /// Renders so many faces of the test people, and twice as many of the training people, whose poses are known to
    /// the regression.
    pub fn new(banks: &Banks, tests: usize, device: &'a Device) -> Self {
        Self { references: banks.train.faces(2 * tests), tests: banks.test.faces(tests), device }
    }

    /// The poses of the reference faces.
    pub fn reference_poses(&self) -> &[Pose] {
        &self.references.poses
    }

    /// Number of reference faces.
    pub fn reference_faces(&self) -> usize {
        self.references.len()
    }

    /// Both groups of faces through a network.
    ///
    /// # Errors
    /// A device that cannot give its results.
    pub fn plane<N: Network>(&self, network: &N) -> Result<Plane> {
        let through = |faces: &PosedFaces| embed(network, pixels(faces.clone(), self.device));
        Ok(Plane { references: through(&self.references)?, tests: through(&self.tests)? })
    }

    /// The error of k-NN regression in a plane, and its predictions for the test faces.
    ///
    /// # Errors
    /// A point that is not finite.
    pub fn neighbors(&self, method: &str, plane: &Plane) -> Result<(Vec<Pose>, MethodError)> {
        let (predicted, error) = neighbor_error(
            (&plane.references, &self.references.poses),
            (&plane.tests, &self.tests.poses),
            NEIGHBORS,
        )?;
        Ok((predicted, MethodError { method: method.to_string(), error }))
    }

    /// The error of what a supervised network predicts itself.
    pub fn direct(&self, method: &str, plane: &Plane, scale: &PoseScale) -> MethodError {
        let predicted: Vec<Pose> = plane.tests.iter().map(|point| scale.pose(*point)).collect();
        let error = direct_error(&predicted, &self.tests.poses);
        MethodError { method: method.to_string(), error }
    }

    /// The plane of the two principal components of the pixels.
    ///
    /// # Errors
    /// Eigenvectors that do not converge.
    pub fn principal_components(&self) -> Result<Plane> {
        let features = |faces: &PosedFaces, rows: usize| {
            let values = faces.pixels[..rows * PIXELS].iter().map(|&value| f64::from(value));
            Features::unnamed(values.collect(), PIXELS)
        };
        let rows = PCA_FACES.min(self.references.len());
        let pca = PcaConfig::new(2).fit(&features(&self.references, rows)?)?;
        let project = |faces: &PosedFaces| -> Result<Vec<Point>> {
            let plane = pca.projection.apply(&features(faces, faces.len())?)?;
            Ok(plane.values().chunks_exact(2).map(|point| [point[0], point[1]]).collect())
        };
        Ok(Plane { references: project(&self.references)?, tests: project(&self.tests)? })
    }

    /// The polar coordinates of a plane, fitted to the reference faces.
    pub fn polar(&self, plane: &Plane) -> Option<PolarMap> {
        PolarMap::fit(&plane.references, &self.references.poses)
    }
}
