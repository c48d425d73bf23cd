//! What a user should know about data and fit, though neither is wrong.

use burn_nca_learn::Estimator;
use burn_nca_learn::data::AnyData;
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::method::Uses;

use crate::cli::FitArgs;
use crate::fitting::optimizer::rows_may_decide;
use crate::output::warning_if;
use burn_nca_report::evaluation::{about_columns, about_copies, about_single_rows};
use burn_nca_report::{Warning, counted};

/// About the training rows: columns without a spread, classes of one row, rows that occur more than once.
///
/// None on rows that nothing can be learned from: the fit refuses them in one line.
pub fn about_data(train: AnyData<'_>) -> Vec<Warning> {
    let mut single_row: Vec<&str> = Vec::new();
    if let AnyData::Classes(train) = train {
        let counts = train.class_counts();
        if counts.iter().all(|count| *count < 2) {
            return Vec::new();
        }
        let names = train.class_names().iter().zip(&counts).filter(|(_, count)| **count == 1);
        single_row.extend(names.map(|(name, _)| name.as_str()));
    }
    let (features, groups) = (train.features(), groups(train));
    let consequence = "leave-one-out scores (train), --neighbors cv and the cross-validation of settings are optimistic, \
                       for a row is measured by its copies; remove them, or name what belongs together with --groups";
    about_columns(features)
        .into_iter()
        .chain(about_single_rows(&single_row))
        .chain(about_copies((features, groups), "training rows", consequence))
        .collect()
}

pub fn groups(train: AnyData<'_>) -> Option<&[usize]> {
    match train {
        AnyData::Classes(train) => train.groups(),
        AnyData::Numbers(train) => train.groups(),
        AnyData::Pairs(_) | AnyData::Unlabeled(_) => None,
    }
}

pub fn about_config(args: &FitArgs, config: &Estimator, rows: usize) -> Vec<Warning> {
    about_dimension(args, config)
        .into_iter()
        .chain(about_batches(args, config, rows))
        .chain(about_weights(args, config.method.info().name))
        .collect()
}

/// About weights that a method in closed form does not see.
fn about_weights(args: &FitArgs, method: &str) -> Option<Warning> {
    let closed = matches!(method, "lda" | "lda-rca" | "rca" | "pca" | "whitening" | "euclidean");
    let weighted = args.columns.weights.is_some() || args.columns.balanced;
    warning_if!(
        closed && weighted,
        Prepared,
        "the metric of {method} counts all rows alike: weights are those of the votes alone"
    )
}

/// About a number of dimensions that no option asked for.
fn about_dimension(args: &FitArgs, config: &Estimator) -> Option<Warning> {
    let (d, k) = (config.d_input, config.d_output);
    let is_searched = || config.method.info().searched.contains(&Uses::Dimensions);
    let tried = args.tuning.tune && (args.tuning.tune_dim.is_some() || is_searched());
    let open = args.dim.is_none() && args.model.warm_start.is_none() && !tried;
    let closed = config.fit.stop_at == Some(0);
    warning_if!(
        open && !closed && config.encoder == EncoderConfig::Linear && k < d,
        FewDimensions,
        "{d} features are mapped to {}; --dim sets another number, up to {d} for the full metric",
        counted(k, "dimension")
    )
}

/// About mini-batches that no option asked for.
fn about_batches(args: &FitArgs, config: &Estimator, rows: usize) -> Option<Warning> {
    // A closed form takes no batch.
    let told =
        rows_may_decide(args) && config.has_many_pairs(rows) && config.fit.stop_at != Some(0);
    warning_if!(
        told && config.fit.optimizer.batches().is_some(),
        MiniBatches,
        "{} are many for sums over all pairs: the fit is by mini-batches (adam); --optimizer lbfgs takes all pairs, \
         for minutes or hours",
        counted(rows, "row")
    )
}
