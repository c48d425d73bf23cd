//! The scale of a start: how far an embedding is to be stretched for its kernel to count a given number of neighbors.

use burn::tensor::Tensor;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::data::host_values;

/// A perplexity that served on every table that was measured: more than a single neighbor, far from all of them.
pub const START_PERPLEXITY: f64 = 15.0;

/// The perplexity that a map of so many rows starts at: [`START_PERPLEXITY`], in up to five dimensions a thirtieth of the
/// rows, of those that [`perplexity_factor`] looks among, where that is more.
///
/// In few dimensions classes lie over each other, and what a row sees in the end is a good part of all rows: 10,000 images of
/// MNIST in two dimensions have g = -12105 after 60 steps from 15 neighbors, -7492 from here, and -7467 after 200.
pub fn start_perplexity(rows: usize, d_output: usize) -> f64 {
    let share = rows.min(MOST_REFERENCES) as f64 / 30.0;
    if d_output > 5 { START_PERPLEXITY } else { START_PERPLEXITY.max(share) }
}

/// The most rows that are looked among for neighbors.
const MOST_REFERENCES: usize = 50_000;

/// The most distances that are kept.
const MOST_DISTANCES: usize = 4_000_000;

/// The logarithm of the perplexity is found to this.
const TOLERANCE: f64 = 1e-3;

/// The factor that an embedding is to be multiplied by for its kernel to count this many neighbors.
///
/// ```text
/// exp(1/m Σ_i H_i) = perplexity,   H_i = -Σ_j p_ij log p_ij,   p_ij ∝ exp(-s² ||z_i - z_j||²),   p_ii = 0
/// ```
/// Where the distances are large, every row has a single neighbor and the gradient nearly vanishes; where they are small, all
/// rows weigh the same. With this factor the result of a fit does not depend on the units of the features either.
///
/// The mean is over a seeded sample of m rows (64 to 512), the sum over j over all rows, or over 50 000 of them. A fit
/// by mini-batches sees the neighbors within a batch: give the points of as many rows as a batch has.
///
/// The perplexity is kept between what is possible and half the number of rows: rows with several nearest neighbors
/// at one distance (a grid) never count fewer. Rows at the same place do not count as neighbors of each other.
/// `None` where no scale makes a difference (all points in one place, fewer than three rows) or a coordinate is not
/// finite.
///
/// # Shapes
/// - points: `[n, k]`, on any device
pub fn perplexity_factor(points: &Tensor<2>, perplexity: f64, seed: u64) -> Option<f64> {
    let [n, k] = points.dims();
    if n < 3 || k == 0 {
        return None;
    }
    let values = host_values(points.clone().without_autodiff());
    if values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let mut rows: Vec<usize> = (0..n).collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let references = &rows[..n.min(MOST_REFERENCES)];
    let queries = &rows[..n.min((MOST_DISTANCES / references.len()).clamp(64, 512))];
    let row = |at: usize| &values[at * k..(at + 1) * k];
    let mut distances: Vec<Vec<f64>> = queries
        .par_iter()
        .map(|&query| sq_distances(row(query), references.iter().map(|&other| row(other))))
        .filter(|distances| distances.len() > 1)
        .collect();
    let unit = mean(&distances, |d| d.iter().sum::<f64>() / d.len() as f64)?;
    let fewest = mean(&distances, |d| (nearest(d) as f64).ln())?;
    let most = mean(&distances, |d| (d.len() as f64).ln())?;
    // A little more than the least possible, where the scale no longer matters.
    let lowest = fewest + 0.2;
    let target = perplexity.ln().min(most - std::f64::consts::LN_2).max(lowest);
    if target >= most || !(unit > 0.0 && unit.is_finite()) {
        return None;
    }
    // Probabilities depend on differences of distances alone.
    for row in &mut distances {
        let nearest = row.iter().copied().fold(f64::INFINITY, f64::min);
        row.iter_mut().for_each(|distance| *distance -= nearest);
    }
    let precision = precision_of(
        target,
        |precision| mean(&distances, |d| entropy(d, precision)).unwrap_or(0.0),
        unit.recip(),
    )?;
    Some(precision.sqrt())
}

/// Squared distances to the points elsewhere than the first.
fn sq_distances<'a>(point: &[f64], others: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let sq_distance =
        |other: &[f64]| -> f64 { point.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum() };
    others.map(sq_distance).filter(|distance| *distance > 0.0).collect()
}

/// The number of nearest neighbors, those as near to rounding included.
fn nearest(distances: &[f64]) -> usize {
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    distances.iter().filter(|distance| **distance <= least * (1.0 + 1e-6)).count()
}

/// The entropy of `p_j ∝ exp(-precision d_j)`; the least distance is 0.
fn entropy(distances: &[f64], precision: f64) -> f64 {
    let (mut sum, mut first) = (0.0, 0.0);
    for distance in distances {
        let exponent = precision * distance;
        let weight = (-exponent).exp();
        sum += weight;
        first += weight * exponent;
    }
    sum.ln() + first / sum
}

/// The mean over the queries, added in their order: the same on any number of threads.
fn mean(distances: &[Vec<f64>], of: impl Fn(&[f64]) -> f64 + Sync) -> Option<f64> {
    let values: Vec<f64> = distances.par_iter().map(|distances| of(distances)).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The precision at which a falling entropy has this value, by bisection from a first guess.
fn precision_of(target: f64, entropy: impl Fn(f64) -> f64, guess: f64) -> Option<f64> {
    let (mut low, mut high) = (guess, guess);
    let above = entropy(guess) > target;
    for _ in 0..200 {
        if above {
            (low, high) = (high, high * 4.0);
        } else {
            (low, high) = (low / 4.0, low);
        }
        let at = entropy(if above { high } else { low });
        if (at > target) != above {
            break;
        }
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        let found = entropy(middle);
        if (found - target).abs() < TOLERANCE {
            return Some(middle);
        }
        if found > target { low = middle } else { high = middle }
    }
    let middle = (low * high).sqrt();
    (middle.is_finite() && middle > 0.0).then_some(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::fixture::{log_shares, others, perplexity, tensor};

    /// A scatter without ties: golden-ratio steps.
    fn scatter(n: usize, k: usize) -> Vec<f64> {
        (0..n * k).map(|at| ((at * at + 3 * at) as f64 * 0.618_033_988_749).fract()).collect()
    }

    /// exp of the mean entropy of eq. 1 once the points are scaled for a perplexity, by nested loops.
    fn found(values: &[f64], k: usize, asked: f64) -> f64 {
        let factor = perplexity_factor(&tensor(values, k), asked, 1).unwrap();
        let scaled: Vec<f64> = values.iter().map(|value| factor * value).collect();
        let n = values.len() / k;
        let entropy = |i: usize| perplexity(&log_shares(&scaled, k, i, others(i))).ln();
        ((0..n).map(entropy).sum::<f64>() / n as f64).exp()
    }

    #[test]
    fn the_scaled_points_have_the_perplexity_asked_for_as_far_as_it_is_possible() {
        for unit in [1.0, 1e-6, 1e6] {
            let values: Vec<f64> = scatter(150, 3).iter().map(|value| unit * value).collect();
            for asked in [3.0, 15.0, 60.0] {
                let found = found(&values, 3, asked);
                assert!((found / asked - 1.0).abs() < 0.01, "{unit} {asked} {found}");
            }
        }
        // A sample of many rows is near all of them.
        let many = found(&scatter(4000, 2), 2, 15.0);
        assert!((many / 15.0 - 1.0).abs() < 0.1, "{many}");
        // 8 rows: no more than half of the others.
        assert!((found(&scatter(8, 2), 2, 15.0) / 3.5 - 1.0).abs() < 0.01);
        // A grid of 5 x 5 x 5 x 5, each point twice: 4 to 8 nearest neighbors, more than the 2 asked for.
        let row = |at: usize| (0..4).map(move |c| (at / 5_usize.pow(c) % 5) as f64);
        let grid: Vec<f64> = (0..1250).flat_map(row).collect();
        assert!(perplexity_factor(&tensor(&grid, 4), 2.0, 1).is_some_and(|factor| factor < 10.0));
    }

    #[test]
    fn nothing_is_scaled_where_no_scale_makes_a_difference() {
        // Of the last, every two are as far apart.
        let far = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let tables = [(&[1.0; 20][..], 2), (&[1.0, 2.0], 1), (&[1.0, f64::NAN, 2.0, 3.0], 1)];
        for (values, k) in tables.into_iter().chain([(&far[..], 3)]) {
            assert_eq!(perplexity_factor(&tensor(values, k), 15.0, 1), None);
        }
    }

    #[test]
    fn many_rows_in_few_dimensions_start_with_more_neighbors() {
        let sizes = [(150, 2), (6000, 2), (6000, 5), (6000, 6), (1_000_000, 2)];
        let found = sizes.map(|(rows, d_output)| start_perplexity(rows, d_output));
        assert_eq!(found, [15.0, 200.0, 200.0, 15.0, start_perplexity(50_000, 2)]);
    }
}
