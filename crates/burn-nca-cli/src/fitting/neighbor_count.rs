//! How many neighbors vote for a model's classes: a number, or a rule that finds it on the training rows.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::evaluate::{CrossValidatedK, Embedded};
use burn_nca_learn::neighbors::{PerplexityMean, fewest_others};

use crate::cli::NeighborCount;
use crate::failure::usage;

/// The k where none is asked for.
const NEIGHBORS: usize = 5;

/// The largest k that a cross-validation looks at.
const LARGEST: usize = 30;

/// The k for a model of classes; the default where none is asked for.
///
/// # Errors
/// An embedding that is not finite, or no other training row (of another group) for one of them.
pub fn of_classes(wanted: Option<NeighborCount>, model: &Fitted) -> Result<usize> {
    let (points, labels) = (model.references(), model.reference_labels());
    Ok(match wanted {
        None => NEIGHBORS.min(labels.len()),
        Some(NeighborCount::Given(k)) => k,
        Some(NeighborCount::CrossValidated) => {
            let groups = model.reference_groups();
            let largest = LARGEST.min(fewest_others(labels.len(), groups));
            let embedded = Embedded::new(points, labels).with_groups(groups);
            CrossValidatedK::choose(embedded, largest)?.k()
        }
        Some(NeighborCount::Entropy) => {
            model.entropy_k(PerplexityMean::Geometric)?.clamp(1, labels.len())
        }
    })
}

/// The k for a model of numbers, which takes no rule.
///
/// # Errors
/// A rule.
pub fn of_numbers(wanted: Option<NeighborCount>, rows: usize) -> Result<usize> {
    match wanted {
        None => Ok(NEIGHBORS.min(rows)),
        Some(NeighborCount::Given(k)) => Ok(k),
        Some(_) => Err(usage(
            "--neighbors cv and entropy choose by classes, and this model predicts numbers",
            "give a number, or leave --neighbors out for the rule soft",
        )),
    }
}
