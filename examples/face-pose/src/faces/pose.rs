//! The poses that faces are drawn in.

use burn_nca_learn::{Error, Result};
use rand::{Rng, RngExt};

use super::elementary::exp_minus;
use burn_nca_data::generate::standard_normal;

/// The pose of a face in its window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Clockwise turn in degrees; 0 is upright.
    pub rotation: f64,
    /// Height of the face in pixels of the window.
    pub height: f64,
}

/// The poses that are drawn, and the noise between the two of a pair.
///
/// ```text
/// θ uniform in ±rotation,  h uniform in heights;   θ' = θ + Δθ,  h' = h + Δh
/// Δθ ~ N(0, rotation_noise²),  Δh ~ N(0, height_noise²)
/// w  = exp(-Δθ² / (2 rotation_noise²) - Δh² / (2 height_noise²))     density of the noise over its maximum
/// ```
/// The defaults are those of the paper. A photograph that fills its frame must not show its border, from which
/// the pose could be read: there, noise that would show it is drawn again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOptions {
    /// Largest turn to either side, in degrees.
    pub rotation: f64,
    /// Least and largest height, in pixels of the window.
    pub heights: [f64; 2],
    /// Standard deviation of the turn within a pair, in degrees.
    pub rotation_noise: f64,
    /// Standard deviation of the height within a pair, in pixels.
    pub height_noise: f64,
    /// Whether every other face, by chance, is mirrored left to right before it is turned.
    pub mirror: bool,
}

impl Default for PoseOptions {
    fn default() -> Self {
        Self {
            rotation: 45.0,
            heights: [25.0, 35.0],
            rotation_noise: 1.22,
            height_noise: 1.5,
            mirror: false,
        }
    }
}

impl PoseOptions {
    /// Refuses ranges that are empty and noise that is negative.
    pub(super) fn check(&self) -> Result<()> {
        let [least, largest] = self.heights;
        if !(0.0..=90.0).contains(&self.rotation) {
            return Err(Error::setting(format!(
                "the largest rotation is {} degrees; give one from 0 to 90",
                self.rotation
            )));
        }
        if !(least >= 1.0 && largest >= least && largest.is_finite()) {
            return Err(Error::setting(format!(
                "the heights are {least} to {largest} pixels; give two of at least 1, the smaller first"
            )));
        }
        for (name, value) in [("rotation", self.rotation_noise), ("height", self.height_noise)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::setting(format!(
                    "the noise of the {name} is {value}; give a standard deviation above 0"
                )));
            }
        }
        Ok(())
    }

    /// A pose within the ranges.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Pose {
        let [least, largest] = self.heights;
        Pose {
            rotation: self.rotation * (2.0 * rng.random::<f64>() - 1.0),
            height: least + (largest - least) * rng.random::<f64>(),
        }
    }

    /// A pose near `pose` for which `fits` holds, and the weight of the pair.
    pub(super) fn draw_near(
        &self,
        pose: Pose,
        fits: impl Fn(Pose) -> bool,
        rng: &mut impl Rng,
    ) -> (Pose, f64) {
        loop {
            let [turn, growth] = [standard_normal(rng), standard_normal(rng)];
            let near = Pose {
                rotation: pose.rotation + self.rotation_noise * turn,
                height: pose.height + self.height_noise * growth,
            };
            if near.height >= 1.0 && near.rotation.abs() <= 180.0 && fits(near) {
                return (near, exp_minus(0.5 * (turn * turn + growth * growth)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn poses_fill_their_ranges_and_noise_has_its_deviation() {
        let options = PoseOptions::default();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut squares, mut weights) = ([0.0; 2], 0.0);
        let mut extremes = [0.0_f64, 0.0, 99.0, 0.0];
        let n = 20_000;
        for _ in 0..n {
            let pose = options.draw(&mut rng);
            let (near, weight) = options.draw_near(pose, |_| true, &mut rng);
            let (turn, growth) = (near.rotation - pose.rotation, near.height - pose.height);
            let by_hand = (-(turn / 1.22).powi(2) / 2.0 - (growth / 1.5).powi(2) / 2.0).exp();
            assert!((weight - by_hand).abs() < 1e-9);
            squares[0] += turn * turn;
            squares[1] += growth * growth;
            weights += weight;
            extremes[0] = extremes[0].min(pose.rotation);
            extremes[1] = extremes[1].max(pose.rotation);
            extremes[2] = extremes[2].min(pose.height);
            extremes[3] = extremes[3].max(pose.height);
        }
        let deviation = squares.map(|sum| (sum / f64::from(n)).sqrt());
        assert!((deviation[0] - 1.22).abs() < 0.03 && (deviation[1] - 1.5).abs() < 0.04);
        // E exp(-z²/2) of a standard normal z is 1/√2, for both noises together 1/2.
        assert!((weights / f64::from(n) - 0.5).abs() < 0.012, "{weights}");
        let near = [-45.0, 45.0, 25.0, 35.0].iter().zip(extremes);
        assert!(near.clone().all(|(bound, found)| (bound - found).abs() < 0.05), "{extremes:?}");
        assert!(extremes[0] >= -45.0 && extremes[2] >= 25.0 && extremes[3] <= 35.0);
    }

    #[test]
    fn options_that_make_no_sense_are_refused_with_the_cure() {
        let good = PoseOptions::default();
        let error = |options: PoseOptions| options.check().unwrap_err().to_string();
        assert!(good.check().is_ok());
        assert!(error(PoseOptions { rotation: -1.0, ..good }).contains("from 0 to 90"));
        assert_eq!(
            error(PoseOptions { heights: [35.0, 25.0], ..good }),
            "the heights are 35 to 25 pixels; give two of at least 1, the smaller first"
        );
        let message = error(PoseOptions { height_noise: 0.0, ..good });
        assert_eq!(message, "the noise of the height is 0; give a standard deviation above 0");
        assert!(error(PoseOptions { rotation_noise: f64::NAN, ..good }).contains("is NaN"));
    }
}
