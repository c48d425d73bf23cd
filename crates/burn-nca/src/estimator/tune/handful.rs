//! The handful of candidates that a fit compares by default, and the tables where that costs seconds.

use super::{Candidate, TuneConfig};
use crate::data::Labeled;
use crate::encoder::EncoderConfig;
use crate::estimator::NcaConfig;
use crate::fit::{Penalty, START_PERPLEXITY, Start};
use crate::objective::Criterion;

/// Tables of more rows take the usual settings as they are.
const MOST_ROWS: usize = 5000;

/// The rows that candidates are compared on, where there are more.
const COMPARED_ROWS: usize = 1200;

/// Folds of the comparison.
const FOLDS: usize = 5;

/// Folds are cut anew up to so many times: few rows leave more to luck, and cost less.
const MOST_REPEATS: usize = 3;

/// The rows of all cuts together.
const REPEATED_ROWS: f64 = 1600.0;

/// The products `n² d k` of all cuts together, to which the seconds of a fit are in proportion.
const REPEATED_PRODUCTS: f64 = 4e8;

/// The standard errors that what is learned has to lead over Euclidean distance by: those of a significant difference.
const OVER_EUCLID: f64 = 2.0;

/// Seconds of the comparison.
const BUDGET: f64 = 10.0;

impl TuneConfig {
    /// A comparison of a handful of settings: what `nca fit` does where it is told nothing.
    ///
    /// No setting serves every table. By a cross-validation of five folds, 3-NN, cut three times up to 533 rows and
    /// twice up to 800 (once where features are many), these are compared: the usual settings
    /// ([`NcaConfig::recommended_for`]), no learning (Euclidean distance for a full map), LDA, and f, f from a start of
    /// perplexity 15 and g without a penalty. The most accurate replaces the usual settings with a lead of one standard
    /// error, and what is learned has to lead over no learning by half of one, by two over Euclidean distance
    /// ([`Choice`](super::Choice)). It takes at most ten seconds, and what is not finished by then is not compared.
    ///
    /// `None` where there is nothing to choose: more than 5000 rows, fewer than two classes with a row for each fold,
    /// or a network, whose fits take too long. Larger tables are compared on 1200 of their rows; classes with fewer
    /// rows than folds are left out of the comparison.
    pub fn handful(config: &NcaConfig, data: &Labeled) -> Option<Self> {
        let classes = data.class_counts().iter().filter(|count| **count >= FOLDS).count();
        let network = matches!(config.encoder, EncoderConfig::Mlp { .. });
        if data.rows() > MOST_ROWS || classes < 2 || network {
            return None;
        }
        let (d, k) = (config.d_input, config.d_output);
        let [n, columns, dimensions] = [data.rows(), d, k].map(|count| count.max(1) as f64);
        let products = n * n * columns * dimensions;
        let cuts = (REPEATED_ROWS / n).min(REPEATED_PRODUCTS / products);
        let usual = Self::new();
        let lead = if k == d { OVER_EUCLID } else { usual.learning_margin };
        Some(
            usual
                .with_folds(FOLDS)
                .with_repeats((cuts as usize).clamp(1, MOST_REPEATS))
                .with_candidates(Some(candidates(config, data)))
                .with_steps(vec![0])
                .with_neighbors(3)
                .with_most_rows(Some(COMPARED_ROWS))
                .with_leave_out_small_classes(true)
                .with_margin(1.0)
                .with_learning_margin(lead)
                .with_budget(Some(BUDGET)),
        )
    }
}

fn candidates(config: &NcaConfig, data: &Labeled) -> Vec<Candidate> {
    let (d, k) = (config.d_input, config.d_output);
    let usual = Candidate::of(config);
    let plain = Candidate {
        criterion: Some(Criterion::F),
        l2: 0.0,
        penalty: None,
        start_perplexity: None,
        ..usual.clone()
    };
    let mut all = vec![usual.clone()];
    let classes = data.class_counts().iter().filter(|count| **count > 0).count();
    if config.encoder == EncoderConfig::Linear && k == d && classes <= d {
        // Auto is LDA here, with a little shrinkage where the scatter within classes is singular.
        all.push(Candidate {
            start: Start::Auto,
            start_perplexity: None,
            d_output: classes - 1,
            stop_at: Some(0),
            ..plain.clone()
        });
    }
    let scaled = Candidate { start_perplexity: Some(START_PERPLEXITY), ..plain.clone() };
    all.push(scaled.clone());
    all.push(plain);
    all.push(Candidate { criterion: Some(Criterion::G), penalty: Some(Penalty::Spread), ..scaled });
    let usual_again = |candidate: &Candidate| *candidate == usual;
    let mut seen = false;
    all.retain(|candidate| !usual_again(candidate) || !std::mem::replace(&mut seen, true));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;

    fn data(labels: Vec<usize>) -> Labeled {
        let values = (0..labels.len() * 3).map(|at| (at * at % 17) as f64).collect();
        Labeled::from_labels(Features::unnamed(values, 3).unwrap(), labels).unwrap()
    }

    #[test]
    fn the_usual_settings_come_first_and_nothing_stands_twice() {
        let data = data((0..30).map(|row| row % 3).collect());
        let config = NcaConfig::recommended(3, 3);
        let tune = TuneConfig::handful(&config, &data).unwrap();
        let all = tune.candidates.unwrap();
        assert_eq!(all[0], Candidate::of(&config));
        assert!(all.iter().any(|one| one.is_closed() && one.d_output == 2), "LDA");
        assert!(all.iter().any(|one| *one == Candidate::of(&NcaConfig::new(3, 3))), "plain NCA");
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{one}");
        }
        // To two dimensions LDA is the start already.
        let low = TuneConfig::handful(&NcaConfig::recommended(3, 2), &data).unwrap();
        assert!(low.candidates.unwrap().iter().all(|one| !one.is_closed()));
    }

    #[test]
    fn few_rows_are_cut_more_often_and_euclidean_distance_is_left_for_a_clear_lead() {
        let tune = |rows: usize, d: usize, k: usize| {
            let values = (0..rows * d).map(|at| (at * at % 17) as f64).collect();
            let labels = (0..rows).map(|row| row % 3).collect();
            let data = Labeled::from_labels(Features::unnamed(values, d).unwrap(), labels).unwrap();
            let tune = TuneConfig::handful(&NcaConfig::recommended(d, k), &data).unwrap();
            (tune.repeats, tune.learning_margin)
        };
        assert_eq!(tune(150, 4, 4), (3, 2.0));
        assert_eq!(tune(700, 8, 8), (2, 2.0));
        assert_eq!(tune(900, 8, 8), (1, 2.0));
        assert_eq!(tune(300, 90, 90), (1, 2.0));
        assert_eq!(tune(150, 4, 2), (3, 0.5));
    }

    #[test]
    fn nothing_is_compared_where_folds_cannot_be_cut() {
        let config = NcaConfig::recommended(3, 3);
        assert!(TuneConfig::handful(&config, &data(vec![0, 0, 0, 0, 0, 1, 1])).is_none());
        let one_small_class = (0..23).map(|row| if row < 3 { 2 } else { row % 2 }).collect();
        assert!(TuneConfig::handful(&config, &data(one_small_class)).is_some());
    }
}
