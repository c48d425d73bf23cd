//! The candidates that a fit compares by default, and the tables where that costs seconds.

mod networks;

use super::{Candidate, TuneConfig};
use crate::data::{Labeled, RegressionData};
use crate::encoder::EncoderConfig;
use crate::estimator::{Estimator, NcaConfig};
use crate::fit::{Penalty, START_PERPLEXITY, Start};
use crate::method::AnyMethod;
use crate::objective::Criterion;
pub(super) use networks::network_seconds;
use networks::{modern, network};

/// The rows that candidates are compared on, where there are more.
const COMPARED_ROWS: usize = 1200;

/// The products `n² d k` of those rows for numbers, whose fits take more steps, and the fewest rows.
const PRODUCTS_OF_NUMBERS: f64 = 1.5e8;
const FEWEST_COMPARED_ROWS: usize = 300;

/// Folds of the comparison.
const FOLDS: usize = 5;

/// The fewest rows with a number each of which a comparison says something.
const FEWEST_NUMBERS: usize = 4 * FOLDS;

/// The most repetitions of the cross-validation: few rows leave more to luck, and cost less.
const MOST_REPEATS: usize = 3;

/// The rows of all repetitions together.
const REPEATED_ROWS: f64 = 1600.0;

/// The products `n² d k` of all repetitions together, to which the seconds of a fit are in proportion.
const REPEATED_PRODUCTS: f64 = 4e8;

/// Seconds of the comparison.
const BUDGET: f64 = 10.0;

impl TuneConfig {
    /// The comparison of default candidates: what `nca fit` does without options.
    ///
    /// Five-fold cross-validation of 3-NN, repeated three times up to 533 rows and twice up to 800 (once where features are
    /// many), compares: the closed forms Euclidean distance, LDA and PCA, as far as they have the dimensions; the default
    /// settings ([`NcaConfig::recommended_for`]); and f, f from a start of perplexity 15 and g without a penalty.
    /// [`Choice`](super::Choice) says which is chosen, [`TuneConfig::budget`] what is left out after ten seconds.
    ///
    /// From 500 rows on a network ([`HiddenLayers::regularized`]) is compared too, on some of the folds: after the default
    /// settings, of the dimensions of the configuration. With `any_dimension` Euclidean distance of all features, LDA to all
    /// its directions and, last, modern NCA ([`Modern`](crate::method::Modern), by its own rule; not in a browser, nor where
    /// it would take minutes) and the network, then of eight dimensions, are compared. From 1200 rows on modern NCA comes
    /// second; from some 3,300 on it is a mean of three networks, with 600 neighbors besides a batch.
    ///
    /// `None` where there is nothing to choose: fewer than two classes with a row for each fold, or a network that was asked
    /// for. At most 1200 rows are compared on, without classes that have fewer rows than folds.
    ///
    /// [`HiddenLayers::regularized`]: crate::encoder::HiddenLayers::regularized
    pub fn default_candidates(
        config: &NcaConfig,
        data: &Labeled,
        any_dimension: bool,
    ) -> Option<Self> {
        let compared = data.class_counts().into_iter().filter(|count| *count >= FOLDS);
        let (classes, rows) = (compared.clone().count(), compared.sum::<usize>());
        let is_map = !matches!(config.encoder, EncoderConfig::Mlp(_));
        if classes < 2 || !is_map {
            return None;
        }
        let sizes = [data.rows(), config.d_input, config.d_output];
        let mut all = candidates(config, [classes, rows], any_dimension);
        let estimator = config.estimator().into_any();
        let network = network(&estimator, data, any_dimension);
        let default = all.iter().position(|one| !one.is_closed());
        let second = default.map_or(all.len(), |at| at + 1);
        let modern = modern("modern", &estimator, data).filter(|_| any_dimension);
        add(&mut all, (data.rows() > COMPARED_ROWS).then_some(second), modern);
        // What few dimensions hold is decided by it more than by the settings of a map.
        add(&mut all, (!any_dimension).then_some(second), network);
        Some(
            in_seconds(sizes, all)
                .with_steps(Vec::new())
                .with_neighbors(3)
                .with_leave_out_small_classes(true),
        )
    }

    /// The comparison of default candidates for numbers: what `nca fit --task regression` does without options.
    ///
    /// As for classes, by the R² of the soft rule: the settings of the configuration, and smaller penalties (0.003, 0.001,
    /// none), from the start as it is and from one of perplexity 15, each measured after 0 (the start itself), 1, 2, 3, 5, 8,
    /// ... steps and at its end. From 500 rows on a network is compared second. With `any_dimension` modern NCA
    /// ([`ModernRegression`](crate::method::ModernRegression)) and the network of eight dimensions are compared as for classes.
    ///
    /// `None` where nothing is compared: another method than MLKR, a network, fewer than 20 rows. At most 1200 rows are compared
    /// on, fewer (300 at least) where columns are more than ten. Where the chosen settings are fitted by mini-batches
    /// ([`Estimator::for_rows`]), fits are measured at their end alone.
    pub fn default_candidates_for_numbers(
        config: &Estimator,
        data: &RegressionData,
        any_dimension: bool,
    ) -> Option<Self> {
        let rows = data.features().rows();
        let is_map = !matches!(config.encoder, EncoderConfig::Mlp(_));
        let is_mlkr = matches!(config.method, AnyMethod::Mlkr(_));
        if !(is_mlkr && is_map && rows >= FEWEST_NUMBERS) {
            return None;
        }
        let default = Candidate::of_fit(&config.fit, config.d_output);
        let mut all = vec![default.clone()];
        for (l2, start_perplexity) in NUMBERS {
            all.push(Candidate { l2, start_perplexity, ..default.clone() });
        }
        let modern = modern("modern-regression", config, data).filter(|_| any_dimension);
        let network = network(config, data, any_dimension);
        add(&mut all, (rows > COMPARED_ROWS).then_some(1), modern);
        add(&mut all, (!any_dimension).then_some(1), network);
        let products = (config.d_input * config.d_output).max(1) as f64;
        let compared = (PRODUCTS_OF_NUMBERS / products).sqrt() as usize;
        let compared = compared.clamp(FEWEST_COMPARED_ROWS, COMPARED_ROWS);
        let tune =
            in_seconds([rows, config.d_input, config.d_output], all).with_most_rows(Some(compared));
        // Steps of the compared fits say nothing of epochs.
        Some(if config.has_many_pairs(rows) { tune.with_steps(Vec::new()) } else { tune })
    }
}

/// The penalties and perplexities of the start that are compared for numbers, the most promising first.
const NUMBERS: [(f64, Option<f64>); 5] = [
    (0.0, Some(START_PERPLEXITY)),
    (0.001, None),
    (0.0, None),
    (0.001, Some(START_PERPLEXITY)),
    (0.003, Some(START_PERPLEXITY)),
];

/// Adds a candidate, if there is one, at this place, where the budget does not leave it out, or last.
fn add(all: &mut Vec<Candidate>, place: Option<usize>, candidate: Option<Candidate>) {
    let at = place.unwrap_or(all.len());
    all.splice(at..at, candidate);
}

/// A comparison of these candidates that takes seconds with n rows, d features and k dimensions.
fn in_seconds(sizes: [usize; 3], candidates: Vec<Candidate>) -> TuneConfig {
    let [n, columns, dimensions] = sizes.map(|count| count.max(1) as f64);
    let products = n * n * columns * dimensions;
    let repeats = (REPEATED_ROWS / n).min(REPEATED_PRODUCTS / products);
    TuneConfig::new()
        .with_folds(FOLDS)
        .with_repeats((repeats as usize).clamp(1, MOST_REPEATS))
        .with_candidates(Some(candidates))
        .with_most_rows(Some(COMPARED_ROWS))
        .with_budget(Some(BUDGET))
}

/// The closed forms, which take a moment, the default settings, other settings of NCA.
fn candidates(config: &NcaConfig, compared: [usize; 2], any_dimension: bool) -> Vec<Candidate> {
    let default = Candidate::of(config);
    let plain = Candidate {
        criterion: Some(Criterion::F),
        l2: 0.0,
        penalty: None,
        start_perplexity: None,
        ..default.clone()
    };
    let scaled = Candidate { start_perplexity: Some(START_PERPLEXITY), ..plain.clone() };
    let without_penalty = Candidate {
        criterion: Some(Criterion::G),
        penalty: Some(Penalty::Spread),
        ..scaled.clone()
    };
    let closed = closed_forms(config, compared, any_dimension).into_iter();
    let closed = closed.map(|(start, d_output)| Candidate {
        start,
        d_output,
        stop_at: Some(0),
        ..scaled.clone()
    });
    let mut all: Vec<Candidate> = closed.collect();
    for candidate in [default, scaled, plain, without_penalty] {
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    }
    all
}

/// The closed forms that so many classes and rows allow, with their dimensions.
fn closed_forms(
    config: &NcaConfig,
    [classes, rows]: [usize; 2],
    any_dimension: bool,
) -> Vec<(Start, usize)> {
    let (d, k) = (config.d_input, config.d_output);
    let mut forms = Vec::new();
    if k == d || any_dimension {
        forms.push((Start::Identity, d));
    }
    if config.encoder == EncoderConfig::Linear {
        let directions = (classes - 1).min(d);
        let lda = if any_dimension { directions } else { k };
        if lda <= directions {
            // The automatic start is LDA here, shrunk a little where the scatter within classes is singular.
            forms.push((Start::Auto, lda));
        }
        let fold = rows.min(COMPARED_ROWS) * (FOLDS - 1) / FOLDS;
        if k < d && k + 1 < fold {
            forms.push((Start::Pca, k));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Features;

    /// Equal rows of d features, of so many classes.
    pub(super) fn table([rows, d]: [usize; 2], classes: usize) -> Labeled {
        let features = Features::unnamed(vec![0.5; rows * d], d).unwrap();
        Labeled::from_labels(features, (0..rows).map(|row| row % classes).collect()).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_smaller_penalties() {
        use crate::method::{Mlkr, SoftNca};
        let compared = |rows: usize, config: Estimator| {
            let features = table([rows, 3], 1).features().clone();
            let targets = (0..rows).map(|row| row as f64).collect();
            let data = RegressionData::new(features, "t", targets).unwrap();
            TuneConfig::default_candidates_for_numbers(&config, &data, true)
        };
        let mlkr = |k| Estimator::recommended(3, k, Mlkr::new()).into_any();
        let (config, l2) = (mlkr(2), mlkr(2).fit.l2);
        let tune = compared(FEWEST_NUMBERS, config.clone()).unwrap();
        assert_eq!((tune.folds, tune.repeats, tune.budget), (5, 3, Some(10.0)));
        let wide = compared(FEWEST_NUMBERS, mlkr(200)).unwrap();
        assert_eq!((tune.most_rows, wide.most_rows), (Some(1200), Some(500)));
        let mut all = tune.candidates.unwrap();
        assert_eq!((all[0].l2, all[0].start_perplexity), (l2, None));
        let modern = all.pop().unwrap();
        assert!(all[1..].iter().all(|one| one.l2 < l2 && one.d_output == 2));
        assert_eq!((modern.l2, modern.method.is_some()), (0.0, true));
        // Mini-batches count epochs, which no compared fit does; two dimensions have Fourier series.
        let steps = |k| compared(50_000, mlkr(k)).unwrap().steps.is_empty();
        assert_eq!((steps(2), steps(3)), (false, true));
        assert!(compared(FEWEST_NUMBERS - 1, config.clone()).is_none());
        assert!(compared(30, config.with_encoder(EncoderConfig::mlp(&[4]))).is_none());
        assert!(compared(30, Estimator::new(3, 2, SoftNca::new()).into_any()).is_none());
    }

    #[test]
    fn closed_forms_have_the_dimensions_that_are_asked_for_unless_any_will_do() {
        let data = table([30, 3], 3);
        let full = NcaConfig::recommended(3, 3);
        let low = NcaConfig::recommended(3, 2);
        let diagonal = full.clone().with_encoder(EncoderConfig::Diagonal);
        let [euclidean, lda, pca] = [("Euclidean", 3), ("LDA", 2), ("PCA", 2)];
        for (config, any_dimension, expected) in [
            (&full, false, vec![euclidean]),
            (&full, true, vec![euclidean, lda]),
            (&low, false, vec![lda, pca]),
            (&low, true, vec![euclidean, lda, pca]),
            (&diagonal, true, vec![euclidean]),
        ] {
            let tune = TuneConfig::default_candidates(config, &data, any_dimension).unwrap();
            let all = tune.candidates.unwrap();
            let closed = all.iter().filter(|one| one.is_closed());
            let closed: Vec<_> = closed.map(|one| (one.closed_form(), one.d_output)).collect();
            assert_eq!(closed, expected);
            // The default settings follow, and no candidate comes twice.
            assert_eq!(all[closed.len()], Candidate::of(config));
            assert!((1..all.len()).all(|at| !all[..at].contains(&all[at])), "{all:?}");
        }
    }

    #[test]
    fn few_rows_are_repeated_more_often_and_small_classes_not_compared() {
        let compared = |[rows, d]: [usize; 2], k: usize, classes: usize| {
            let config = NcaConfig::recommended(d, k);
            TuneConfig::default_candidates(&config, &table([rows, d], classes), true)
        };
        for (size, k, repeats) in [
            ([150, 4], 4, 3),
            ([700, 8], 8, 2),
            ([900, 8], 8, 1),
            ([300, 90], 90, 1),
            ([150, 4], 2, 3),
        ] {
            assert_eq!(compared(size, k, 3).unwrap().repeats, repeats, "{size:?} {k}");
        }
        assert!(compared([9, 3], 3, 2).is_none() && compared([14, 3], 3, 3).is_some());
    }
}
