//! XOR of two features with noise and irrelevant features.

use crate::{Error, Features, Labeled, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::normal::standard_normal;
use super::{check_count, check_deviation, check_size};

/// The size and the noise of [`noisy_xor`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoisyXorOptions {
    /// Number of rows.
    pub rows: usize,
    /// Correlation alpha of the noise of the two inputs of a pair, from -1 to 1.
    pub correlation: f64,
    /// Standard deviations of the noise on inputs 1-2 and on inputs 3-4.
    pub noise: [f64; 2],
    /// Standard deviation of inputs 5-8, which carry no information about the class.
    pub irrelevant: f64,
}

impl Default for NoisyXorOptions {
    /// 1100 rows (the paper's 100 for training and 1000 for the test), uncorrelated noise of 0.3
    /// and 0.5, irrelevant inputs of 2.
    fn default() -> Self {
        Self { rows: 1100, correlation: 0.0, noise: [0.3, 0.5], irrelevant: 2.0 }
    }
}

/// The noisy exclusive-or of the VSM and GVSM papers: 8 inputs, 2 classes.
///
/// ```text
/// a, b = 0 or 1;   class = a xor b
/// inputs 1, 2 = a + s e1,  b + s (alpha e1 + sqrt(1 - alpha^2) e2),   s = noise[0]
/// inputs 3, 4 = the same bits with fresh noise,                       s = noise[1]
/// inputs 5-8  = irrelevant e
/// ```
/// with e standard normal: so the noise of a pair has correlation alpha. (The paper says of inputs
/// 5-8 "random zero mean values": normal is our reading.) Rows are independent, so the first m are
/// a training set and the others a test set.
///
/// # Errors
/// No row or more than 2^24, a correlation outside -1..1, or a standard deviation that is negative or not finite.
///
/// # References
/// D. G. Lowe, Similarity Metric Learning for a Variable-Kernel Classifier, Neural Computation 7,
/// 1995; J. J. Naudé, M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel
/// Classifier, section 6.
///
/// # Examples
/// ```
/// use burn_nca_data::generate::{NoisyXorOptions, noisy_xor};
///
/// let data = noisy_xor(NoisyXorOptions { correlation: 0.95, ..NoisyXorOptions::default() }, 42)?;
/// assert_eq!((data.rows(), data.features().columns(), data.classes()), (1100, 8, 2));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
pub fn noisy_xor(options: NoisyXorOptions, seed: u64) -> Result<Labeled> {
    check_count("the number of rows", options.rows)?;
    check_size(options.rows, 8)?;
    check_deviation("the noise of inputs 1-2", options.noise[0])?;
    check_deviation("the noise of inputs 3-4", options.noise[1])?;
    check_deviation("the spread of inputs 5-8", options.irrelevant)?;
    let alpha = options.correlation;
    if !(-1.0..=1.0).contains(&alpha) {
        return Err(Error::setting(format!(
            "the correlation of the noise is {alpha}; give a number from -1 to 1, such as 0.5"
        )));
    }
    let rest = (1.0 - alpha * alpha).sqrt();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut values = Vec::with_capacity(8 * options.rows);
    let mut labels = Vec::with_capacity(options.rows);
    for _ in 0..options.rows {
        let bits: [bool; 2] = [rng.random(), rng.random()];
        let [a, b] = bits.map(|bit| f64::from(u8::from(bit)));
        for deviation in options.noise {
            let (first, second) = (standard_normal(&mut rng), standard_normal(&mut rng));
            values.push(a + deviation * first);
            values.push(b + deviation * (alpha * first + rest * second));
        }
        values.extend([0; 4].map(|_| options.irrelevant * standard_normal(&mut rng)));
        labels.push(usize::from(bits[0] != bits[1]));
    }
    let names = (1..=8).map(|input| format!("input{input}")).collect();
    Labeled::new(Features::new(values, names)?, labels, vec!["0".into(), "1".into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_the_class_is_the_exclusive_or_of_the_bits() {
        let options = NoisyXorOptions { noise: [0.0; 2], ..NoisyXorOptions::default() };
        let data = noisy_xor(options, 5).unwrap();
        for (row, label) in data.labels().iter().enumerate() {
            let inputs = data.features().row(row);
            assert_eq!(inputs[..2], inputs[2..4]);
            assert_eq!((inputs[0] + inputs[1]) % 2.0, *label as f64);
        }
        let ones = data.class_counts()[1];
        assert!(ones.abs_diff(550) < 84, "{ones}");
    }
}
