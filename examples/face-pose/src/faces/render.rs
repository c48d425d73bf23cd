//! A face of a bank in a pose, as standardized pixels.

use image::{GrayImage, Luma};
use imageproc::geometric_transformations::{Interpolation, warp_into_with};

use super::bank::{FaceBank, Framing};
use super::elementary::sin_cos;
use super::pose::Pose;

/// Width and height of the window that a posed face is seen through, in pixels.
pub const WINDOW: usize = 35;

/// Pixels of a posed face.
pub const PIXELS: usize = WINDOW * WINDOW;

/// Samples along each side of a pixel. A face is made up to 1.3 times smaller; two samples a side keep detail
/// that the window cannot hold from turning into false patterns.
const SAMPLES: usize = 2;

impl FaceBank {
    /// Whether a face in this pose leaves a part of the window empty that a photograph should fill.
    ///
    /// ```text
    /// the outermost sample is (W/2 - 1/4) (H/h) (|cos θ| + |sin θ|) source pixels from the middle, along an axis
    /// ```
    /// with W the window, H the nominal height in the source and h that of the pose. An isolated face is
    /// before a uniform ground and has no border to show.
    pub fn shows_border(&self, pose: Pose) -> bool {
        if self.framing() != Framing::Filled {
            return false;
        }
        let (sine, cosine) = sin_cos(pose.rotation.to_radians());
        let outermost = 0.5 * WINDOW as f64 - 0.5 / SAMPLES as f64;
        let reach = outermost * self.nominal_height() / pose.height * (sine.abs() + cosine.abs());
        // Bilinear interpolation wants a pixel on every side of the sample.
        reach >= 0.5 * (self.size() - 1) as f64 - 1e-3
    }

    /// Renders face `face` in this pose as [`PIXELS`] values of mean 0 and standard deviation 1, row by row.
    ///
    /// The source is sampled four times a pixel by bilinear interpolation, and the four are averaged. A picture
    /// of one gray has no deviation: its values are 0.
    ///
    /// # Panics
    /// If the bank has no such face, the pose is turned by more than 180 degrees or has no height, or `pixels`
    /// does not hold [`PIXELS`] values.
    pub fn render(&self, face: usize, pose: Pose, mirrored: bool, pixels: &mut [f32]) {
        assert_eq!(pixels.len(), PIXELS, "a posed face has {PIXELS} pixels");
        assert!(pose.height > 0.0, "a height of {} is not positive", pose.height);
        let fine = self.sample(face, pose, mirrored);
        average(&fine, pixels);
        standardize(pixels);
    }

    /// The window at [`SAMPLES`] times its resolution.
    fn sample(&self, face: usize, pose: Pose, mirrored: bool) -> GrayImage {
        let (sine, cosine) = sin_cos(pose.rotation.to_radians());
        let step = self.nominal_height() / pose.height / SAMPLES as f64;
        let flip = if mirrored { -1.0 } else { 1.0 };
        let side = (WINDOW * SAMPLES) as u32;
        let middle = 0.5 * f64::from(side - 1);
        let source_middle = 0.5 * (self.size() - 1) as f64;
        // Source point of the window's first sample, and the steps along a row and down a column.
        let across = [flip * step * cosine, -step * sine].map(|step| step as f32);
        let down = [flip * step * sine, step * cosine].map(|step| step as f32);
        let corner = [
            source_middle - flip * step * middle * (cosine + sine),
            source_middle - step * middle * (cosine - sine),
        ]
        .map(|place| place as f32);
        let mut fine = GrayImage::new(side, side);
        let mapping = |x: f32, y: f32| {
            (corner[0] + across[0] * x + down[0] * y, corner[1] + across[1] * x + down[1] * y)
        };
        let ground = Luma([self.ground()]);
        warp_into_with(self.image(face), mapping, Interpolation::Bilinear, ground, &mut fine);
        fine
    }
}

fn average(fine: &GrayImage, pixels: &mut [f32]) {
    let samples = fine.as_raw();
    let width = WINDOW * SAMPLES;
    for (pixel, value) in pixels.iter_mut().enumerate() {
        let corner = pixel / WINDOW * SAMPLES * width + pixel % WINDOW * SAMPLES;
        let sum: u32 = (0..SAMPLES * SAMPLES)
            .map(|part| u32::from(samples[corner + part / SAMPLES * width + part % SAMPLES]))
            .sum();
        // A sum of four bytes is exact in f32.
        *value = sum as f32;
    }
}

fn standardize(pixels: &mut [f32]) {
    let n = pixels.len() as f64;
    let mean = pixels.iter().map(|&value| f64::from(value)).sum::<f64>() / n;
    let square = |value: &f32| (f64::from(*value) - mean) * (f64::from(*value) - mean);
    let deviation = (pixels.iter().map(square).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    for value in pixels {
        *value = ((f64::from(*value) - mean) * scale) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faces::PoseOptions;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    fn bank(framing: Framing, paint: impl Fn(u32, u32) -> u8) -> FaceBank {
        let image = GrayImage::from_fn(64, 64, |x, y| Luma([paint(x, y)]));
        FaceBank::new(vec![image.clone(), image], vec![0, 1], 32.0, framing).unwrap()
    }

    fn rendered(bank: &FaceBank, rotation: f64, height: f64) -> Vec<f32> {
        let mut pixels = vec![0.0; PIXELS];
        bank.render(0, Pose { rotation, height }, false, &mut pixels);
        pixels
    }

    /// Where the light of a picture is, from its middle, in pixels right and down.
    fn center_of_light(pixels: &[f32]) -> [f64; 2] {
        let least = pixels.iter().copied().fold(f32::INFINITY, f32::min);
        let (mut sum, mut at) = (0.0, [0.0; 2]);
        for (index, value) in pixels.iter().enumerate() {
            let light = f64::from(value - least);
            sum += light;
            at[0] += light * ((index % WINDOW) as f64 - 17.0);
            at[1] += light * ((index / WINDOW) as f64 - 17.0);
        }
        at.map(|place| place / sum)
    }

    #[test]
    fn a_spot_turns_clockwise_and_moves_with_the_scale() {
        // A spot 10 source pixels above the middle.
        let spot = |x: u32, y: u32| {
            let (dx, dy) = (f64::from(x) - 31.5, f64::from(y) - 21.5);
            if dx * dx + dy * dy < 16.0 { 250 } else { 10 }
        };
        let bank = bank(Framing::Filled, spot);
        for (rotation, height) in [(0.0, 32.0), (45.0, 25.0), (-30.0, 35.0), (45.0, 35.0)] {
            let found = center_of_light(&rendered(&bank, rotation, height));
            let radius = 10.0 * height / 32.0;
            let turn = f64::to_radians(rotation);
            let expected = [radius * turn.sin(), -radius * turn.cos()];
            assert!(
                (found[0] - expected[0]).abs() < 0.1 && (found[1] - expected[1]).abs() < 0.1,
                "{rotation} {height}: {found:?} {expected:?}"
            );
        }
    }

    #[test]
    fn pixels_have_mean_zero_and_deviation_one() {
        let bank = bank(Framing::Filled, |x, y| (3 * x + y) as u8);
        let pixels = rendered(&bank, 20.0, 28.0);
        let mean = pixels.iter().map(|v| f64::from(*v)).sum::<f64>() / PIXELS as f64;
        let square = pixels.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / PIXELS as f64;
        assert!(mean.abs() < 1e-6 && (square - 1.0).abs() < 1e-6, "{mean} {square}");
        let plain = super::tests::bank(Framing::Filled, |_, _| 77);
        assert!(rendered(&plain, 20.0, 28.0).iter().all(|value| *value == 0.0));
    }

    #[test]
    fn no_border_shows_at_any_pose_of_a_photograph_with_a_nominal_height_of_half_its_side() {
        // A white picture; what lies outside would be black.
        let image = GrayImage::from_pixel(64, 64, Luma([255]));
        let bank = FaceBank::new(vec![image; 2], vec![0, 1], 32.0, Framing::Filled).unwrap();
        let options = PoseOptions::default();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let fits = |pose: Pose| !bank.shows_border(pose);
        let corners = [-45.0, 0.0, 45.0]
            .iter()
            .flat_map(|&rotation| [25.0, 35.0].map(|height| Pose { rotation, height }));
        let drawn: Vec<Pose> = (0..300)
            .flat_map(|_| {
                let pose = options.draw(&mut rng);
                [pose, options.draw_near(pose, fits, &mut rng).0]
            })
            .collect();
        for pose in corners.chain(drawn) {
            assert!(!bank.shows_border(pose), "{pose:?}");
            let fine = bank.sample(0, pose, false);
            assert!(fine.as_raw().iter().all(|&value| value == 255), "{pose:?}");
        }
        assert!(bank.shows_border(Pose { rotation: 45.0, height: 24.0 }));
    }

    #[test]
    fn the_rule_for_borders_is_that_of_the_pixels() {
        let image = GrayImage::from_pixel(64, 64, Luma([255]));
        let bank = FaceBank::new(vec![image; 2], vec![0, 1], 32.0, Framing::Filled).unwrap();
        for step in 0..200 {
            let pose = Pose {
                rotation: f64::from(step % 20) * 5.0 - 45.0,
                height: 17.0 + 0.05 * f64::from(step),
            };
            let black = bank.sample(0, pose, false).as_raw().contains(&0);
            assert!(!black || bank.shows_border(pose), "{pose:?}");
        }
    }

    #[test]
    fn an_isolated_face_stands_before_its_ground() {
        let bank = bank(Framing::Isolated { ground: 200 }, |x, y| {
            if (20..44).contains(&x) && (16..48).contains(&y) { 30 } else { 200 }
        });
        let pose = Pose { rotation: 45.0, height: 15.0 };
        assert!(!bank.shows_border(pose));
        let pixels = rendered(&bank, pose.rotation, pose.height);
        let corners = [0, WINDOW - 1, PIXELS - WINDOW, PIXELS - 1].map(|pixel| pixels[pixel]);
        assert!(corners.iter().all(|&value| value == corners[0]) && corners[0] > 0.0);
    }

    #[test]
    fn a_mirrored_face_is_turned_after_it_is_mirrored() {
        // Light on the left side of the source.
        let bank = bank(Framing::Filled, |x, _| if x < 32 { 200 } else { 50 });
        let mut mirrored = vec![0.0; PIXELS];
        bank.render(0, Pose { rotation: 30.0, height: 30.0 }, true, &mut mirrored);
        let found = center_of_light(&mirrored);
        // Mirrored, the light is on the right; turned clockwise by 30 degrees, lower right.
        assert!(found[0] > 1.0 && found[1] > 0.5, "{found:?}");
    }
}
