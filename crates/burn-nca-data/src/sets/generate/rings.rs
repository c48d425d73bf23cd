//! Concentric rings in noise, the artificial data of the NCA paper.

use crate::{Features, Labeled, Result};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::normal::standard_normal;
use super::{check_count, check_deviation, check_size};

/// The size and the noise of [`rings`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingsOptions {
    /// Number of rings, each a class.
    pub classes: usize,
    /// Points on each ring.
    pub rows_per_class: usize,
    /// Standard deviation of a point's distance from its circle (circles are 1 apart).
    pub radial_noise: f64,
    /// Standard deviation of the third column, which carries no information about the class.
    pub noise: f64,
}

impl Default for RingsOptions {
    /// Five rings of 100 points, radial noise 0.1, third column 5: more than twice the spread of
    /// the rings in the plane, so that both principal components cannot lie there.
    fn default() -> Self {
        Self { classes: 5, rows_per_class: 100, radial_noise: 0.1, noise: 5.0 }
    }
}

/// Concentric rings in the first two of three columns, noise in the third.
///
/// ```text
/// (x, y) = r u,  r = c + 1 + radial_noise e,  u uniform on the unit circle;   noise = noise e'
/// ```
/// for class c = 0, 1, …, with e, e' standard normal. The set of figure 2 of the paper, which gives
/// no numbers; those of the defaults are ours. In the plane the variance of a column is half the
/// mean square radius (5.5 for five rings): above that, PCA keeps the noise. Rows are ordered class by
/// class.
///
/// # Errors
/// No class, no row, more than 2^27 values, or a standard deviation that is negative or not finite.
///
/// # References
/// J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004, figure 2.
///
/// # Examples
/// ```
/// use burn_nca_data::generate::{RingsOptions, rings};
///
/// let data = rings(RingsOptions { rows_per_class: 20, ..RingsOptions::default() }, 42)?;
/// assert_eq!(data.class_counts(), [20; 5]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
pub fn rings(options: RingsOptions, seed: u64) -> Result<Labeled> {
    check_count("the number of classes", options.classes)?;
    check_count("the number of rows per class", options.rows_per_class)?;
    check_size(options.classes.saturating_mul(options.rows_per_class), 3)?;
    check_deviation("the radial noise", options.radial_noise)?;
    check_deviation("the noise of the third column", options.noise)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::with_capacity(3 * options.classes * options.rows_per_class);
    let mut labels = Vec::with_capacity(options.classes * options.rows_per_class);
    for class in 0..options.classes {
        for _ in 0..options.rows_per_class {
            let radius = (class + 1) as f64 + options.radial_noise * standard_normal(&mut rng);
            let [x, y] = direction(&mut rng);
            values.extend([radius * x, radius * y, options.noise * standard_normal(&mut rng)]);
            labels.push(class);
        }
    }
    let names = ["x", "y", "noise"].map(String::from).to_vec();
    let class_names = (1..=options.classes).map(|ring| format!("ring {ring}")).collect();
    Labeled::new(Features::new(values, names)?, labels, class_names)
}

/// A point of the unit circle, uniform, without sines: a point of the disc, pushed to its rim.
fn direction(rng: &mut impl Rng) -> [f64; 2] {
    loop {
        let [x, y] = [0; 2].map(|_| 2.0 * rng.random::<f64>() - 1.0);
        let square = x * x + y * y;
        // Near the middle the direction would have few digits.
        if (1e-6..=1.0).contains(&square) {
            let norm = square.sqrt();
            return [x / norm, y / norm];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_uniform() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut eighths = [0_u32; 8];
        for _ in 0..80_000 {
            let [x, y] = direction(&mut rng);
            assert!((x * x + y * y - 1.0).abs() < 1e-14);
            let place = usize::from(x > 0.0) + 2 * usize::from(y > 0.0);
            eighths[place + 4 * usize::from(x.abs() > y.abs())] += 1;
        }
        // Five standard errors of each count are 468.
        assert!(eighths.iter().all(|count| count.abs_diff(10_000) < 468), "{eighths:?}");
    }
}
