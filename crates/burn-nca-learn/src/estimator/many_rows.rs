//! Tables of so many rows that sums over all pairs take minutes.

use super::Estimator;
use crate::encoder::EncoderConfig;
use crate::fit::{OptimizerConfig, StochasticConfig};
use crate::method::AnyMethod;

/// The most products `n² k` of a sum over pairs where no setting says how to take it: a fit takes up to a minute of two cores.
const MOST_PRODUCTS: f64 = 5e9;

impl Estimator {
    /// Whether sums over all pairs of n rows would take minutes or hours: of a map of NCA or MLKR to three dimensions or more,
    /// where `n² k` is above 5·10⁹ (22,000 rows to 10 dimensions, 12,500 to 32). Fewer dimensions have Fourier series; other
    /// encoders and methods are left as they are.
    pub fn has_many_pairs(&self, rows: usize) -> bool {
        let is_map = matches!(self.encoder, EncoderConfig::Linear | EncoderConfig::Diagonal);
        let sums_pairs = matches!(self.method, AnyMethod::Nca(_) | AnyMethod::Mlkr(_));
        let products = (rows as f64).powi(2) * self.d_output as f64;
        is_map && sums_pairs && self.d_output > 2 && products > MOST_PRODUCTS
    }

    /// The same with an optimizer for so many rows: mini-batches ([`StochasticConfig`]) in the place of L-BFGS where it
    /// [has many pairs](Self::has_many_pairs), unless the settings say how to sum them ([`FitConfig::sums`]).
    ///
    /// On tables of up to 28,000 rows mini-batches are as good: accuracy within 0.3 points on letter, pendigits and optdigits,
    /// R² within 0.01 on five of six sets of numbers.
    ///
    /// [`FitConfig::sums`]: crate::fit::FitConfig::sums
    #[must_use]
    pub fn for_rows(mut self, rows: usize) -> Self {
        let open =
            matches!(self.fit.optimizer, OptimizerConfig::Lbfgs(_)) && self.fit.sums.is_none();
        if open && self.has_many_pairs(rows) {
            let batches = StochasticConfig::new();
            // What the rows decide is written down.
            let (epochs, batch) = (batches.epochs_of(rows), batches.batch_rows(rows));
            let batches = batches.with_epochs(Some(epochs)).with_batch_size(Some(batch));
            self.fit.optimizer = OptimizerConfig::Adam(batches);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{FitConfig, SgdConfig};
    use burn_nca::Sums;

    fn takes_batches(estimator: Estimator, rows: usize) -> bool {
        matches!(estimator.for_rows(rows).fit.optimizer, OptimizerConfig::Adam(_))
    }

    #[test]
    fn a_map_of_many_pairs_is_fitted_by_mini_batches_unless_settings_say_how() {
        let of = |name: &str, k: usize| Estimator::new(8, k, AnyMethod::named(name).unwrap());
        for (name, k, rows, expected) in [
            ("nca", 3, 50_000, true),
            ("mlkr", 8, 60_000, true),
            ("nca", 3, 40_000, false),
            ("nca", 2, 1_000_000, false),
            ("lca", 3, 60_000, false),
        ] {
            assert_eq!(takes_batches(of(name, k), rows), expected, "{name} {k} {rows}");
        }
        let nca = || of("nca", 3);
        let by = |optimizer| FitConfig::new().with_optimizer(optimizer);
        for given in [
            nca().with_encoder(EncoderConfig::mlp(&[8])),
            nca().with_fit(FitConfig::new().with_sums(Some(Sums::Plain))),
            nca().with_fit(by(OptimizerConfig::Sgd(SgdConfig::new()))),
        ] {
            assert!(!takes_batches(given, 60_000));
        }
    }
}
