//! Random distortions of digits, each drawn from its own seed.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::arguments::Augmentation;
use crate::digits::{PIXELS, SIDE};

/// The largest rotation, in radians (15 degrees).
const ROTATION: f32 = 0.26;
/// The largest change of width and height.
const SCALING: f32 = 0.15;
/// The largest shear.
const SHEAR: f32 = 0.15;
/// The largest shift, in pixels.
const SHIFT: f32 = 2.0;
/// The largest bending of a knot, in pixels.
const BENDING: f32 = 2.2;
/// Knots of the bending along a side; between them it is interpolated.
const KNOTS: usize = 6;

/// Where each pixel of a distorted digit is read from.
///
/// ```text
/// source(p) = c + M (p - c) + t + b(p)
/// ```
/// c is the center, M a rotation times a scaling and a shear, t a shift; b is a bending that is bilinear
/// between the knots of a 6 x 6 grid. All are uniform within the bounds above.
struct Distortion {
    matrix: [[f32; 2]; 2],
    shift: [f32; 2],
    knots: Option<[[[f32; KNOTS]; KNOTS]; 2]>,
}

impl Distortion {
    fn draw(kind: Augmentation, rng: &mut ChaCha8Rng) -> Self {
        let mut within = |bound: f32| rng.random_range(-bound..=bound);
        let (sine, cosine) = within(ROTATION).sin_cos();
        let (width, height) = (1.0 + within(SCALING), 1.0 + within(SCALING));
        let shear = within(SHEAR);
        let matrix = [
            [cosine * width, (cosine * shear - sine) * height],
            [sine * width, (sine * shear + cosine) * height],
        ];
        let shift = [within(SHIFT), within(SHIFT)];
        let knots = (kind == Augmentation::Elastic).then(|| {
            [(); 2].map(|()| [[(); KNOTS]; KNOTS].map(|row| row.map(|()| within(BENDING))))
        });
        Self { matrix, shift, knots }
    }

    /// Where the pixel in column `x` and row `y` is read from, as `[column, row]`.
    fn source(&self, x: usize, y: usize) -> [f32; 2] {
        let center = (SIDE - 1) as f32 / 2.0;
        let (dx, dy) = (x as f32 - center, y as f32 - center);
        let mut source = [0, 1].map(|axis| {
            let [by_x, by_y] = self.matrix[axis];
            center + by_x * dx + by_y * dy + self.shift[axis]
        });
        if let Some(knots) = &self.knots {
            let place = |pixel: usize| {
                let at = pixel as f32 * (KNOTS - 1) as f32 / (SIDE - 1) as f32;
                let lower = (at as usize).min(KNOTS - 2);
                (lower, at - lower as f32)
            };
            let ((column, right), (row, down)) = (place(x), place(y));
            for (source, knots) in source.iter_mut().zip(knots) {
                let along = |row: usize| {
                    knots[row][column] * (1.0 - right) + knots[row][column + 1] * right
                };
                *source += along(row) * (1.0 - down) + along(row + 1) * down;
            }
        }
        source
    }
}

/// A distorted copy of a digit, in the units of its pixels; black beyond its border.
pub fn distorted(image: &[u8], kind: Augmentation, rng: &mut ChaCha8Rng) -> Vec<f32> {
    if kind == Augmentation::None {
        return image.iter().copied().map(f32::from).collect();
    }
    let distortion = Distortion::draw(kind, rng);
    let mut out = Vec::with_capacity(PIXELS);
    for y in 0..SIDE {
        for x in 0..SIDE {
            out.push(brightness(image, distortion.source(x, y)));
        }
    }
    out
}

/// The brightness between the four pixels around a place.
fn brightness(image: &[u8], [x, y]: [f32; 2]) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (right, down) = (x - left, y - top);
    let pixel = |column: f32, row: f32| {
        let inside = 0.0..SIDE as f32;
        if inside.contains(&column) && inside.contains(&row) {
            f32::from(image[row as usize * SIDE + column as usize])
        } else {
            0.0
        }
    };
    let upper = pixel(left, top) * (1.0 - right) + pixel(left + 1.0, top) * right;
    let lower = pixel(left, top + 1.0) * (1.0 - right) + pixel(left + 1.0, top + 1.0) * right;
    upper * (1.0 - down) + lower * down
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn square() -> Vec<u8> {
        let lit = |at: usize| (10..18).contains(&(at / SIDE)) && (10..18).contains(&(at % SIDE));
        (0..PIXELS).map(|at| if lit(at) { 200 } else { 0 }).collect()
    }

    #[test]
    fn a_place_on_a_pixel_is_that_pixel_and_beyond_the_border_is_black() {
        let image = square();
        assert_eq!(brightness(&image, [12.0, 13.0]), 200.0);
        assert_eq!(brightness(&image, [9.5, 13.0]), 100.0);
        assert_eq!(brightness(&image, [-3.0, 40.0]), 0.0);
    }

    #[test]
    fn one_seed_gives_one_distortion_that_keeps_the_digit_in_sight() {
        let image = square();
        for kind in [Augmentation::Affine, Augmentation::Elastic] {
            for seed in 0..50 {
                let draw = |seed| distorted(&image, kind, &mut ChaCha8Rng::seed_from_u64(seed));
                let light: f32 = draw(seed).iter().sum();
                let share = light / (64.0 * 200.0);
                assert!((0.5..2.0).contains(&share), "{kind:?}, seed {seed}: {share} of the light");
                assert_eq!(draw(seed), draw(seed));
                assert_ne!(draw(seed), draw(seed + 1));
            }
        }
        let plain = distorted(&image, Augmentation::None, &mut ChaCha8Rng::seed_from_u64(0));
        assert!(plain.iter().zip(&image).all(|(a, b)| *a == f32::from(*b)));
    }
}
