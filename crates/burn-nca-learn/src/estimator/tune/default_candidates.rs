//! The candidates that a fit compares by default, and the tables where that costs seconds.

mod networks;

use super::{Candidate, TuneConfig};
use crate::data::{Labeled, RegressionData};
use crate::encoder::EncoderConfig;
use crate::estimator::{Estimator, NcaConfig};
use crate::fit::{Penalty, START_PERPLEXITY, Start};
use crate::method::AnyMethod;
use crate::objective::Criterion;
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
    /// No setting is best on every table. Five-fold cross-validation of 3-NN, repeated three times up to 533 rows and
    /// twice up to 800 (once where features are many), compares: the closed forms Euclidean distance, LDA and PCA, as far
    /// as they have the dimensions; the default settings ([`NcaConfig::recommended_for`]); and f, f from a start of
    /// perplexity 15 and g without a penalty. The highest mean accuracy is chosen, of equal ones the simplest, and modern
    /// NCA unless another leads it clearly ([`Choice`](super::Choice)). The comparison takes at most ten seconds: the
    /// candidate that is tried then is compared on the folds that are finished, if they are two or more, and those after
    /// it are not compared.
    ///
    /// From 500 rows on a network ([`HiddenLayers::regularized`](crate::encoder::HiddenLayers::regularized)) is compared
    /// too, on some of the folds: after the default settings, of the dimensions of the configuration. With `any_dimension`
    /// Euclidean distance of all features, LDA to all its directions and, last, modern NCA
    /// ([`Modern`](crate::method::Modern), by its own rule; not in a browser, nor where it would take minutes) and the
    /// network, then of eight dimensions, are compared, whatever the dimensions of the configuration. From 1200 rows on modern
    /// NCA comes second; from some 3,300 on it is a mean of three networks, with 600 neighbors besides a batch.
    ///
    /// `None` where there is nothing to choose: fewer than two classes with a row for each fold, or a network that was asked
    /// for. Tables of more than 1200 rows are compared on as many of them; classes with fewer rows than folds are left out of
    /// the comparison.
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
    /// Five-fold cross-validation, repeated as for classes, by the R² of the soft rule: the settings of the configuration,
    /// and smaller penalties (0.003, 0.001, none), from the start as it is and from one of perplexity 15, each measured
    /// after 0 (the start itself), 1, 2, 3, 5, 8, ... steps and at its end. The choice is as for classes, by the mean R². From
    /// 500 rows on a network is compared second. With `any_dimension` modern NCA
    /// ([`ModernRegression`](crate::method::ModernRegression), not in a browser, nor where it would take minutes) and the
    /// network, then of eight dimensions, are compared as for classes. The comparison takes at most ten seconds.
    ///
    /// `None` where nothing is compared: another method than MLKR, a network, fewer than 20 rows. Tables of more than 1200 rows
    /// are compared on as many of them, on fewer (300 at least) where columns are more than ten. Where the chosen settings are
    /// fitted by mini-batches ([`Estimator::for_rows`]), fits are measured at their end alone.
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

    fn data(labels: Vec<usize>) -> Labeled {
        let values = (0..labels.len() * 3).map(|at| (at * at % 17) as f64).collect();
        Labeled::from_labels(Features::unnamed(values, 3).unwrap(), labels).unwrap()
    }

    /// The closed forms that are compared, with their dimensions.
    fn closed(config: &NcaConfig, data: &Labeled, any_dimension: bool) -> Vec<(String, usize)> {
        let tune = TuneConfig::default_candidates(config, data, any_dimension).unwrap();
        let closed = tune.candidates.unwrap().into_iter().filter(Candidate::is_closed);
        closed.map(|one| (one.closed_form().to_string(), one.d_output)).collect()
    }

    #[test]
    fn the_default_settings_follow_the_closed_forms_and_no_candidate_comes_twice() {
        let data = data((0..30).map(|row| row % 3).collect());
        for config in [NcaConfig::recommended(3, 3), NcaConfig::new(3, 2)] {
            let tune = TuneConfig::default_candidates(&config, &data, false).unwrap();
            let all = tune.candidates.unwrap();
            let first = all.iter().find(|one| !one.is_closed());
            assert_eq!(first, Some(&Candidate::of(&config)));
            for (at, one) in all.iter().enumerate() {
                assert!(!all[..at].contains(one), "{one}");
            }
        }
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
        let fewest = FEWEST_NUMBERS;
        let tune = compared(fewest, config.clone()).unwrap();
        assert_eq!((tune.folds, tune.repeats, tune.budget), (5, 3, Some(10.0)));
        let wide = compared(fewest, mlkr(200)).unwrap();
        assert_eq!((tune.most_rows, wide.most_rows), (Some(1200), Some(500)));
        let mut all = tune.candidates.unwrap();
        assert_eq!((all[0].l2, all[0].start_perplexity), (l2, None));
        let modern = all.pop().unwrap();
        assert!(all[1..].iter().all(|one| one.l2 < l2 && one.d_output == 2));
        assert_eq!((modern.l2, modern.method.is_some()), (0.0, true));
        // Mini-batches count epochs, which no compared fit does; two dimensions have Fourier series.
        let steps = |k| compared(50_000, mlkr(k)).unwrap().steps.is_empty();
        assert_eq!((steps(2), steps(3)), (false, true));
        for (rows, config) in [
            (fewest - 1, config.clone()),
            (30, config.clone().with_encoder(EncoderConfig::Mlp(vec![4].into()))),
            (30, Estimator::new(3, 2, SoftNca::new()).into_any()),
        ] {
            assert!(compared(rows, config).is_none(), "{rows}");
        }
    }

    #[test]
    fn closed_forms_have_the_dimensions_that_are_asked_for_unless_any_will_do() {
        let data = data((0..30).map(|row| row % 3).collect());
        let of = |name: &str, dimension: usize| (name.to_string(), dimension);
        let full = NcaConfig::recommended(3, 3);
        assert_eq!(closed(&full, &data, false), [of("Euclidean", 3)]);
        assert_eq!(closed(&full, &data, true), [of("Euclidean", 3), of("LDA", 2)]);
        let low = NcaConfig::recommended(3, 2);
        assert_eq!(closed(&low, &data, false), [of("LDA", 2), of("PCA", 2)]);
        let any = [of("Euclidean", 3), of("LDA", 2), of("PCA", 2)];
        assert_eq!(closed(&low, &data, true), any);
        let diagonal = full.with_encoder(EncoderConfig::Diagonal);
        assert_eq!(closed(&diagonal, &data, true), [of("Euclidean", 3)]);
    }

    #[test]
    fn the_cross_validation_of_few_rows_is_repeated_more_often() {
        let repeats = |rows: usize, d: usize, k: usize| {
            let (config, data) = (NcaConfig::recommended(d, k), table([rows, d], 3));
            TuneConfig::default_candidates(&config, &data, true).unwrap().repeats
        };
        let sizes = [(150, 4, 4), (700, 8, 8), (900, 8, 8), (300, 90, 90), (150, 4, 2)];
        assert_eq!(sizes.map(|(rows, d, k)| repeats(rows, d, k)), [3, 2, 1, 1, 3]);
    }

    #[test]
    fn nothing_is_compared_where_the_classes_are_smaller_than_the_folds() {
        let config = NcaConfig::recommended(3, 3);
        let compared = |labels| TuneConfig::default_candidates(&config, &data(labels), true);
        assert!(compared(vec![0, 0, 0, 0, 0, 1, 1]).is_none());
        let one_small_class = (0..23).map(|row| if row < 3 { 2 } else { row % 2 }).collect();
        assert!(compared(one_small_class).is_some());
    }
}
