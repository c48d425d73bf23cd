//! Normal deviates without a call of exp, log or cos.

use rand::{Rng, RngExt};

/// A deviate of the standard normal distribution, by Karney's algorithm N.
///
/// ```text
/// k >= 0 with probability exp(-k/2) (1 - exp(-1/2)), kept with probability exp(-k(k-1)/2);
/// x uniform in 0..1, kept with probability exp(-x(2k+x)/2);   the deviate is +-(k + x)
/// ```
/// for the three factors multiply to `exp(-(k+x)^2/2)`. Every exponential is a coin whose tosses
/// are comparisons of uniform deviates, so the result is the same on every machine (the common
/// methods call the logarithm of the system's library, whose last digit differs from one to the
/// next).
///
/// # References
/// C. F. F. Karney, Sampling Exactly from the Normal Distribution, ACM TOMS 42, 2016.
pub fn standard_normal(rng: &mut impl Rng) -> f64 {
    loop {
        let mut k = 0_u32;
        while toss(rng, 0.5) {
            k += 1;
        }
        if !(0..k * k.saturating_sub(1)).all(|_| toss(rng, 0.5)) {
            continue;
        }
        let x: f64 = rng.random();
        let base = f64::from(k);
        let exponent = x * (2.0 * base + x) / (2.0 * base + 2.0);
        if (0..=k).all(|_| toss(rng, exponent)) {
            return if rng.random() { base + x } else { -(base + x) };
        }
    }
}

/// True with probability `exp(-exponent)`, for an exponent in 0..=1 (von Neumann): a run of falling uniform deviates below it
/// is at least m long with probability `exponent^m / m!`, hence even with `Σ (-exponent)^m / m! = exp(-exponent)`.
fn toss(rng: &mut impl Rng, exponent: f64) -> bool {
    let mut bound = exponent;
    let mut even = true;
    loop {
        let next: f64 = rng.random();
        if next >= bound {
            return even;
        }
        bound = next;
        even = !even;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn moments_and_tails_are_those_of_the_normal_distribution() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let n = 400_000;
        let sample: Vec<f64> = (0..n).map(|_| standard_normal(&mut rng)).collect();
        let mean_of = |power: i32| sample.iter().map(|z| z.powi(power)).sum::<f64>() / f64::from(n);
        // Five standard errors: sqrt(1, 2, 15, 96 / n) x 5 for the powers 1 to 4.
        for (power, expected, bound) in
            [(1, 0.0, 0.008), (2, 1.0, 0.0112), (3, 0.0, 0.031), (4, 3.0, 0.078)]
        {
            let moment = mean_of(power);
            assert!((moment - expected).abs() < bound, "moment {power}: {moment}");
        }
        // P(|z| <= 0.5, 1, 2, 3), to five standard errors.
        for (limit, expected) in
            [(0.5, 0.382_924_9), (1.0, 0.682_689_5), (2.0, 0.954_499_7), (3.0, 0.997_300_2)]
        {
            let share = sample.iter().filter(|z| z.abs() <= limit).count() as f64 / f64::from(n);
            let error = (expected * (1.0 - expected) / f64::from(n)).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "|z| <= {limit}: {share}");
        }
    }
}
