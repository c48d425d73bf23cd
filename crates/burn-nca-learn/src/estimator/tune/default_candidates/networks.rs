//! The networks among the default candidates, where they take seconds: modern NCA, and one in the place of the map.

use super::{BUDGET, COMPARED_ROWS};
use crate::data::{AnyData, ScalingKind, TrainingData};
use crate::encoder::{EncoderConfig, HiddenLayers};
use crate::estimator::Estimator;
use crate::estimator::tune::Candidate;
use crate::fit::{Penalty, Start, StochasticConfig};
use crate::method::AnyMethod;
use crate::objective::Criterion;

/// Rows from which a network has something to learn from.
const ROWS_OF_A_NETWORK: usize = 500;

/// Dimensions of a network where any will do.
const DIMENSIONS_OF_A_NETWORK: usize = 8;

/// The products of one pass of modern NCA over the compared rows, above which no fold would end in time, and over all
/// rows, above which its fit would take minutes.
const PRODUCTS_OF_A_PASS: [f64; 2] = [1e9, 3e9];

/// Modern NCA for more rows than that is a mean of so many networks, and a batch has so many neighbors besides its own rows.
const FEWER_MEMBERS: usize = 3;
const FEWER_NEIGHBORS: f64 = 600.0;

/// The most rows of a batch of it.
const MOST_OF_A_BATCH: f64 = 1024.0;

/// The products of one pass of it above which its fit would take more than two minutes of two cores.
const PRODUCTS_OF_FEWER: f64 = 1.6e10;

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
    let rows = data.features().rows();
    // A pair of rows costs two products a dimension, a row the embedding of its features and the block.
    let pass = |rows: f64, neighbors: f64| {
        rows * (256.0 * neighbors + 1280.0 * config.d_input as f64 + 65_000.0)
    };
    let [compared, all] = [rows.min(COMPARED_ROWS), rows].map(|rows| rows as f64);
    let is_many = pass(all, all) >= PRODUCTS_OF_A_PASS[1];
    // Numbers take twice the passes.
    let times = if matches!(data.as_any_data(), AnyData::Numbers(_)) { 2.0 } else { 1.0 };
    let of_fewer = times * pass(all, FEWER_NEIGHBORS + MOST_OF_A_BATCH);
    let quick = pass(compared, compared) < PRODUCTS_OF_A_PASS[0]
        && !(is_many && of_fewer >= PRODUCTS_OF_FEWER);
    let method = AnyMethod::named(name).ok().filter(|_| is_free(config, data) && quick)?;
    let d_output = method.default_dimension(data.as_any_data())?;
    let fewer = [
        ("members", FEWER_MEMBERS.to_string()),
        ("candidates", format!("{:.3}", FEWER_NEIGHBORS / all)),
    ];
    let fewer = fewer.map(|(name, value)| (name.to_string(), value));
    Some(Candidate {
        method: Some(method),
        settings: fewer.into_iter().filter(|_| is_many).collect(),
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

/// Seconds of one core that the fit of a network to so many rows of d features takes, about, on a machine of today.
///
/// ```text
/// 600 steps of b rows:   3 b Σ_l d_(l-1) d_l products of the layers,   b² kernels,   and Burn's own part
/// ```
pub(in super::super) fn network_seconds(layers: &HiddenLayers, d: usize, rows: usize) -> f64 {
    let batches = StochasticConfig::of_network(rows);
    let batch = batches.batch_rows(rows) as f64;
    let inputs = std::iter::once(&d).chain(&layers.sizes);
    let weights: usize = inputs.zip(&layers.sizes).map(|(inputs, units)| inputs * units).sum();
    let step = 7e-4 + batch * (2e-10 * weights as f64 + 6e-9 * batch);
    batches.epochs_of(rows) as f64 * (rows as f64 / batch).round() * step
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;
    use crate::NcaConfig;
    use crate::estimator::tune::TuneConfig;

    #[test]
    fn modern_nca_of_many_rows_is_compared_second_by_fewer_members() {
        let compared = |rows: usize, d: usize, any_dimension: bool| {
            let (config, data) = (NcaConfig::recommended(d, d), table([rows, d], 2));
            let tune = TuneConfig::default_candidates(&config, &data, any_dimension).unwrap();
            let all = tune.candidates.unwrap();
            let at = all.iter().position(|one| one.method.is_some())?;
            let default = all.iter().position(|one| !one.is_closed()).unwrap();
            assert_eq!(at == default + 1, rows > COMPARED_ROWS);
            let settings = all[at].settings.iter();
            Some(settings.map(|(name, of)| format!("{name}={of}")).collect::<Vec<_>>())
        };
        for (rows, d) in [(100, 5), (3000, 64), (60, 2000)] {
            assert_eq!(compared(rows, d, true), Some(Vec::new()));
        }
        let fewer = ["candidates=0.120", "members=3"].map(String::from);
        assert_eq!(compared(5000, 5, true), Some(fewer.to_vec()));
        for (rows, d, any_dimension) in [(100, 5, false), (1200, 784, true), (40_000, 5, true)] {
            assert_eq!(compared(rows, d, any_dimension), None);
        }
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
