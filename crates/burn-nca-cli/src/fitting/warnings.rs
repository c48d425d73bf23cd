//! What a user should know about data and fit, though neither is wrong.

use burn_nca_learn::Estimator;
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::method::Uses;

use crate::cli::FitArgs;
use crate::fitting::network::rows_may_decide;
use burn_nca_report::evaluation::{
    about_columns, about_copies as about_row_copies, about_single_rows,
};
use burn_nca_report::{Warning, WarningCode, counted};

/// About the training rows: columns without a spread, classes of one row.
///
/// None on rows that nothing can be learned from: the fit refuses them in one line.
pub fn about_data(train: &Labeled) -> Vec<Warning> {
    let counts = train.class_counts();
    if counts.iter().all(|count| *count < 2) {
        return Vec::new();
    }
    let names = train.class_names().iter().zip(&counts);
    let single_row: Vec<&str> =
        names.filter(|(_, count)| **count == 1).map(|(name, _)| name.as_str()).collect();
    let copies = about_copies(train.features(), train.groups());
    about_columns(train.features())
        .into_iter()
        .chain(about_single_rows(&single_row))
        .chain(copies)
        .collect()
}

/// About training rows that occur more than once.
pub fn about_copies(features: &Features, groups: Option<&[usize]>) -> Option<Warning> {
    let consequence = "leave-one-out scores (train), --neighbors cv and the cross-validation of settings are optimistic, \
                       for a row is measured by its copies; remove them, or name what belongs together with --groups";
    about_row_copies((features, groups), "training rows", consequence)
}

/// About a configuration for so many training rows.
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
    (closed && weighted).then(|| {
        Warning::new(
            WarningCode::Prepared,
            format!(
                "the metric of {method} counts all rows alike: weights are those of the votes alone"
            ),
        )
    })
}

/// About a number of dimensions that no option asked for.
fn about_dimension(args: &FitArgs, config: &Estimator) -> Option<Warning> {
    let (d, k) = (config.d_input, config.d_output);
    let is_searched = || config.method.info().searched.contains(&Uses::Dimensions);
    let tried = args.tuning.tune && (args.tuning.tune_dim.is_some() || is_searched());
    let open = args.dim.is_none() && args.model.warm_start.is_none() && !tried;
    let closed = config.fit.stop_at == Some(0);
    (open && !closed && config.encoder == EncoderConfig::Linear && k < d).then(|| {
        Warning::new(
            WarningCode::FewDimensions,
            format!(
                "{d} features are mapped to {}; --dim sets another number, up to {d} for the full metric",
                counted(k, "dimension")
            ),
        )
    })
}

/// About mini-batches that no option asked for.
fn about_batches(args: &FitArgs, config: &Estimator, rows: usize) -> Option<Warning> {
    // A closed form takes no batch.
    let told =
        rows_may_decide(args) && config.has_many_pairs(rows) && config.fit.stop_at != Some(0);
    (told && config.fit.optimizer.batches().is_some()).then(|| {
        Warning::new(
            WarningCode::MiniBatches,
            format!(
                "{} are many for sums over all pairs: the fit is by mini-batches (adam); --optimizer lbfgs takes all pairs, \
                 for minutes or hours",
                counted(rows, "row")
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_columns_and_classes_of_one_row_are_named() {
        let features = Features::unnamed(vec![0.0, 1.0, 0.5, 1.0, 2.0, 1.0], 2).unwrap();
        let names = ["a".to_string(), "b".to_string()].to_vec();
        let data = Labeled::new(features, vec![0, 0, 1], names).unwrap();
        let [columns, classes] = &about_data(&data)[..] else { panic!("two warnings") };
        assert_eq!(columns.code, WarningCode::ConstantColumns);
        assert!(columns.text.starts_with("1 column is constant") && columns.text.ends_with(": x2"));
        assert_eq!(classes.code, WarningCode::SingleRowClasses);
        assert!(
            classes.text.starts_with("1 class has a single training row")
                && classes.text.ends_with(": b")
        );
        assert!(about_data(&data.select(&[0, 1])).len() == 1);
    }
}
