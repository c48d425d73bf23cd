//! What a user should know about a fitted model, though it is not wrong.

use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::FitSummary;
use burn_nca_learn::evaluate::{Collapse, Spread};
use burn_nca_learn::fit::Termination;

use burn_nca_program::short_name;

use crate::{Warning, WarningCode, counted};

/// How many names a warning lists.
const SHOWN: usize = 5;

/// About columns that are constant but for rounding.
pub fn about_columns(features: &Features) -> Option<Warning> {
    let constant = features.constant_columns().into_iter();
    about_constant(&constant.map(|column| features.names()[column].as_str()).collect::<Vec<_>>())
}

/// About constant columns of these names.
pub fn about_constant(names: &[&str]) -> Option<Warning> {
    let (columns, carry) = match names.len() {
        0 => return None,
        1 => ("1 column is".to_string(), "carries"),
        many => (format!("{many} columns are"), "carry"),
    };
    let text = format!(
        "{columns} constant (but for rounding) in the training rows and {carry} no information: {}",
        listed(names)
    );
    Some(Warning::new(WarningCode::ConstantColumns, text))
}

/// About classes of a single training row, by their names.
pub fn about_single_rows(single_row: &[&str]) -> Option<Warning> {
    let classes = match single_row.len() {
        0 => return None,
        1 => "1 class has".to_string(),
        many => format!("{many} classes have"),
    };
    let listed = listed(single_row);
    Some(Warning::new(
        WarningCode::SingleRowClasses,
        format!(
            "{classes} a single training row: no neighbor can be right for it, so it counts as wrong and adds \
             nothing to the objective: {listed}"
        ),
    ))
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| short_name(name)).collect();
    let shown = shown.join(", ");
    if names.len() > SHOWN { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

/// About a fit that did not converge; mini-batches end with their epochs, and early stopping is a choice, as are zero
/// iterations.
pub fn about_termination(summary: &FitSummary) -> Option<Warning> {
    let termination = summary.termination;
    let none_asked = termination == Termination::MaxIterations && summary.iterations == 0;
    let planned = termination.converged() || termination.is_planned() || none_asked;
    (!planned).then(|| {
        Warning::new(WarningCode::NotConverged, termination.sentence().trim_end_matches('.'))
    })
}

/// About an embedding that fell together; `shortfall` says what that costs compared with a baseline, if it does.
///
/// A line is no fault in itself: two classes need no more, and a numeric target often lies along one.
pub fn about_spread(spread: Option<Spread>, shortfall: Option<String>) -> Option<Warning> {
    let spread = spread?;
    match (spread.collapse()?, shortfall) {
        (Collapse::Point, _) => Some(Warning::new(
            WarningCode::CollapsedToPoint,
            format!(
                "the embedding has collapsed to a point (total variance {:.1e}): the weights exp(-distance²) of all \
                 neighbors are alike; a smaller L2 penalty or another start may keep it apart",
                spread.total_variance
            ),
        )),
        (Collapse::Line, Some(shortfall)) => Some(Warning::new(
            WarningCode::CollapsedToLine,
            format!(
                "the embedding of {} dimensions lies on a line, and that costs accuracy: {shortfall}; a \
                 smaller L2 penalty or another start may spread it",
                spread.dimensions
            ),
        )),
        (Collapse::Line, None) => None,
    }
}

/// Dimensions that a picture has.
const FEW_DIMENSIONS: usize = 3;

/// Training rows from which a network has something to learn from.
const ROWS_OF_A_NETWORK: usize = 500;

/// About a learned linear map of classes to two or three dimensions that loses accuracy compared with a baseline.
pub fn about_map(model: &Fitted, shortfall: Option<&str>) -> Option<Warning> {
    let card = model.card();
    let (d, k) = (card.d_input, card.d_output);
    let is_linear = matches!(card.encoder, None | Some(EncoderConfig::Linear));
    let learned = is_linear && model.summary().iterations > 0 && !model.class_names().is_empty();
    let rows = model.references().dims()[0];
    let few = k < d && k <= FEW_DIMENSIONS && rows >= ROWS_OF_A_NETWORK;
    shortfall.filter(|_| learned && few).map(|shortfall| {
        let text = format!(
            "a linear map of {d} features to {} loses accuracy: {shortfall}; a network (encoder mlp) may keep more, as do more \
             dimensions",
            counted(k, "dimension")
        );
        Warning::new(WarningCode::LinearMap, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_map_is_warned_of_where_a_network_may_keep_more() {
        use burn_nca_data::bundled::digits;
        use burn_nca_learn::NcaConfig;
        use burn_nca_learn::fit::{LbfgsConfig, OptimizerConfig};

        let about = |rows: usize, steps: usize, told: Option<&str>| {
            let rows: Vec<usize> = (0..rows).collect();
            let mut config = NcaConfig::recommended(64, 2);
            let solver = LbfgsConfig::new().with_max_iterations(steps);
            config.fit.optimizer = OptimizerConfig::Lbfgs(solver);
            let device = burn_nca_learn::device::host().unwrap();
            about_map(&config.fit(&digits().select(&rows), &device).unwrap(), told)
        };
        let worse = Some("1-NN is worse");
        let text = about(600, 1, worse).unwrap().text;
        assert!(text.contains("64 features to 2 dimensions loses accuracy: 1-NN is"), "{text}");
        for (rows, steps, told) in [(600, 1, None), (600, 0, worse), (300, 1, worse)] {
            assert_eq!(about(rows, steps, told), None);
        }
    }

    #[test]
    fn a_line_is_warned_of_only_where_it_costs_accuracy() {
        let spread = |total_variance, rank| {
            Some(Spread { total_variance, effective_rank: Some(rank), dimensions: 2 })
        };
        assert_eq!(about_spread(spread(3.0, 1.01), None), None);
        let warning = about_spread(spread(3.0, 1.01), Some("5-NN is worse".into())).unwrap();
        assert!(warning.text.contains("lies on a line") && warning.text.contains("5-NN is worse"));
        assert_eq!(about_spread(spread(3.0, 1.9), Some("worse".into())), None);
    }
}
