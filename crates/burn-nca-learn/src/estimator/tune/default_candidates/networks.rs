//! The networks among the default candidates, where they take seconds: modern NCA, and one in the place of the map.

use super::{BUDGET, COMPARED_ROWS};
use crate::data::{ScalingKind, TrainingData};
use crate::encoder::{EncoderConfig, HiddenLayers};
use crate::estimator::Estimator;
use crate::estimator::tune::Candidate;
use crate::estimator::tune::costs::network_seconds;
use crate::fit::{Penalty, Start};
use crate::method::AnyMethod;
use crate::objective::Criterion;

/// Rows from which a network has something to learn from.
const ROWS_OF_A_NETWORK: usize = 500;

/// Dimensions of a network where any will do.
const DIMENSIONS_OF_A_NETWORK: usize = 8;

/// The products of one pass of modern NCA over the compared rows, above which no fold would end in time, and over all
/// rows, above which the fit of what was chosen would take minutes.
const PRODUCTS_OF_A_PASS: [usize; 2] = [1_000_000_000, 3_000_000_000];

/// Whether settings and rows leave another encoder free.
fn is_free<D: TrainingData>(config: &Estimator, data: &D) -> bool {
    let is_plain = config.encoder == EncoderConfig::Linear && config.fit.sums.is_none();
    is_plain && data.unlabeled().is_none()
}

/// Modern NCA by this name, where there is such a method and these settings and rows leave it free.
pub(super) fn modern<D: TrainingData>(
    name: &str,
    config: &Estimator,
    data: &D,
) -> Option<Candidate> {
    let method = AnyMethod::named(name).ok()?;
    // A pair of rows costs two products a dimension, a row the embedding of its features and the block.
    let pass = |rows: usize| rows * (256 * rows + 1280 * config.d_input + 65_000);
    let rows = data.features().rows();
    let passes = [rows.min(COMPARED_ROWS), rows].map(pass);
    let quick = (0..2).all(|at| passes[at] < PRODUCTS_OF_A_PASS[at]);
    let free = is_free(config, data) && quick;
    let d_output = method.default_dimension(data.as_any_data()).filter(|_| free)?;
    Some(Candidate {
        method: Some(method),
        l2: 0.0,
        penalty: None,
        start: Start::Auto,
        start_perplexity: None,
        ..Candidate::of_fit(&config.fit, d_output)
    })
}

/// A network, for enough rows to learn from, where a fold of it takes seconds and a fit of all rows no minutes; and
/// these settings leave it free. Its numbers are set in units of standardized features.
pub(super) fn network<D: TrainingData>(
    config: &Estimator,
    data: &D,
    any_dimension: bool,
) -> Option<Candidate> {
    let (fit, rows, layers) = (&config.fit, data.features().rows(), HiddenLayers::regularized());
    let seconds = |rows| network_seconds(&layers, config.d_input, rows);
    let is_usual = fit.scaling == ScalingKind::Standardize && fit.start == Start::Auto;
    let quick = seconds(rows.min(COMPARED_ROWS)) < 0.7 * BUDGET && seconds(rows) < 6.0 * BUDGET;
    let taken = is_free(config, data) && is_usual && quick && rows >= ROWS_OF_A_NETWORK;
    let d_output =
        if any_dimension { config.d_input.min(DIMENSIONS_OF_A_NETWORK) } else { config.d_output };
    taken.then(|| Candidate {
        network: Some(layers),
        criterion: config.method.settings().contains_key("criterion").then_some(Criterion::G),
        l2: 0.0,
        penalty: Some(Penalty::Weights),
        start_perplexity: None,
        ..Candidate::of_fit(fit, d_output)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::NcaConfig;
    use crate::estimator::tune::TuneConfig;

    #[test]
    fn modern_nca_is_compared_last_where_it_takes_seconds() {
        let modern = |rows: usize, d: usize, any_dimension: bool| {
            let (config, data) = (NcaConfig::recommended(d, d), table([rows, d], 2));
            let tune = TuneConfig::default_candidates(&config, &data, any_dimension).unwrap();
            tune.candidates.unwrap().iter().any(|one| one.method.is_some())
        };
        assert!(modern(100, 5, true) && modern(3000, 64, true) && modern(60, 2000, true));
        assert!(!modern(100, 5, false) && !modern(1200, 784, true) && !modern(5000, 5, true));
    }

    #[test]
    fn a_network_is_compared_where_rows_are_enough_and_a_fit_takes_seconds() {
        let place = |rows: usize, d: usize, k: Option<usize>, scaling: ScalingKind| {
            let data = table([rows, d], 3);
            let mut config = NcaConfig::recommended(d, k.unwrap_or(d));
            config.fit.scaling = scaling;
            let tune = TuneConfig::default_candidates(&config, &data, k.is_none()).unwrap();
            let all = tune.candidates.unwrap();
            let at = all.iter().position(|one| one.network.is_some())?;
            let next = all.get(at + 1).map(|one| one.is_closed());
            Some((all[at].d_output, next))
        };
        let standard = ScalingKind::Standardize;
        // Before the other settings of a map to two dimensions; else last.
        assert_eq!(place(500, 20, Some(2), standard), Some((2, Some(false))));
        assert_eq!(place(5000, 64, Some(2), standard), Some((2, Some(false))));
        assert_eq!(place(500, 20, None, standard), Some((8, None)));
        assert_eq!(place(499, 20, Some(2), standard), None);
        assert_eq!(place(5000, 784, Some(2), standard), None);
        assert_eq!(place(500, 20, Some(2), ScalingKind::MinMax), None);
    }
}
