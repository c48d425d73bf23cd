//! The search for settings.

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_learn::NcaConfig;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};
use burn_nca_learn::fit::{FitConfig, START_PERPLEXITY, Start};
use burn_nca_learn::objective::Criterion;

use super::same_on_any_threads;

#[test]
fn a_search_for_settings() {
    let config = NcaConfig::new(4, 2).with_fit(FitConfig::new().with_optimizer(lbfgs(5)));
    let estimator = config.estimator();
    let tune = TuneConfig::new()
        .with_folds(3)
        .with_criteria(vec![Criterion::F, Criterion::G])
        .with_l2(Some(vec![0.01]))
        .with_starts(Some(vec![Start::Pca, Start::Lda]))
        .with_start_perplexities(vec![None, Some(START_PERPLEXITY)])
        .with_steps(vec![0, 2]);
    same_on_any_threads("search", || {
        let found = estimator
            .search(&tune, &burn_nca_data::bundled::iris(), &Device::flex(), TuneSession::new())
            .unwrap();
        assert_eq!(found.trials.len(), 8);
        let mut trials = found.trials;
        trials.iter_mut().for_each(|trial| trial.seconds = 0.0);
        let choice = found.choice.unwrap();
        // Numbers in the shortest text that gives them back.
        (serde_json::to_string(&trials).unwrap(), choice.trial, choice.stop_at)
    });
}
