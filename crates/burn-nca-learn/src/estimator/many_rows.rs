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
    use crate::data::{Features, Labeled};
    use crate::device;
    use crate::encoder::HiddenLayers;
    use crate::fit::{FitConfig, Precision, SgdConfig};
    use crate::method::{Lca, Mlkr, Nca};
    use crate::objective::Criterion;
    use burn_nca::Sums;

    fn takes_batches(estimator: Estimator, rows: usize) -> bool {
        matches!(estimator.for_rows(rows).fit.optimizer, OptimizerConfig::Adam(_))
    }

    #[test]
    fn a_map_of_many_pairs_is_fitted_by_mini_batches_unless_settings_say_how() {
        let of = |method: AnyMethod, k: usize| Estimator::new(8, k, method);
        assert!(takes_batches(of(Nca::new().into(), 3), 50_000));
        assert!(takes_batches(of(Mlkr::new().into(), 8), 60_000));
        assert!(!takes_batches(of(Nca::new().into(), 3), 40_000));
        assert!(!takes_batches(of(Nca::new().into(), 2), 1_000_000));
        assert!(!takes_batches(of(Lca::new().into(), 3), 60_000));
        let network = EncoderConfig::Mlp(HiddenLayers::regularized());
        assert!(!takes_batches(of(Nca::new().into(), 3).with_encoder(network), 60_000));
        let given = [
            FitConfig::new().with_sums(Some(Sums::Plain)),
            FitConfig::new().with_optimizer(OptimizerConfig::Sgd(SgdConfig::new())),
        ];
        for fit in given {
            assert!(!takes_batches(of(Nca::new().into(), 3).with_fit(fit), 60_000));
        }
    }

    #[test]
    fn a_start_without_a_step_is_evaluated_by_batches_and_named_after_what_it_is() {
        let data = burn_nca_data::bundled::iris();
        let at_start = |batch: usize| {
            let batches = StochasticConfig::new().with_batch_size(Some(batch));
            let fit = FitConfig::new()
                .with_optimizer(OptimizerConfig::Adam(batches))
                .with_precision(Precision::F64)
                .with_stop_at(Some(0));
            let nca = Nca::new().with_criterion(Criterion::G);
            Estimator::new(4, 2, nca).with_fit(fit).fit(&data, &device::host().unwrap()).unwrap()
        };
        let [exact, halves] = [150, 75].map(at_start);
        assert_eq!((exact.summary().evaluations, halves.summary().evaluations), (1, 2));
        assert_eq!(exact.applied_method().label, "LDA");
        assert_eq!(halves.applied_method(), exact.applied_method());
        // Fewer neighbors of its own class and of the others: log p_i is nearly the same.
        let [exact, halves] = [exact, halves].map(|model| model.summary().value);
        assert!((halves / exact - 1.0).abs() < 0.2, "{halves} {exact}");
    }

    #[test]
    fn a_start_whose_batches_have_no_pair_of_a_class_is_evaluated_over_all_rows() {
        let features = Features::unnamed((0..8).map(f64::from).collect(), 1).unwrap();
        let labels = (0..8).map(|row| row % 4).collect();
        let data = Labeled::from_labels(features, labels).unwrap();
        let values = (0..20).map(|seed| {
            let batches = StochasticConfig::new().with_batch_size(Some(2));
            let fit = FitConfig::new()
                .with_optimizer(OptimizerConfig::Adam(batches))
                .with_stop_at(Some(0))
                .with_seed(seed);
            let estimator = Estimator::new(1, 1, Nca::new()).with_fit(fit);
            estimator.fit(&data, &device::host().unwrap()).unwrap().summary().value
        });
        assert!(values.into_iter().all(f64::is_finite));
    }
}
