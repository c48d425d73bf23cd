//! How many neighbors vote for a model's classes: a number, or a rule that finds it on the training rows.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::estimator::{Decision, TrainingTargets};
use burn_nca_learn::evaluate::{CrossValidatedK, Embedded};
use burn_nca_learn::neighbors::{PerplexityMean, fewest_others};

use crate::cli::{NeighborCount, Rule};
use crate::failure::usage;

/// The k where none is asked for, and none is saved with the model.
const NEIGHBORS: usize = 5;

/// The largest k that a cross-validation looks at.
const LARGEST: usize = 30;

/// The decision that is asked for; that of the model where none is.
pub fn decision(
    (rule, neighbors): (Option<Rule>, Option<NeighborCount>),
    model: &Fitted,
) -> Result<Decision> {
    // A k asks for the nearest.
    Ok(match rule.or(neighbors.map(|_| Rule::Knn)) {
        None => model.decision(),
        Some(Rule::Soft) => Decision::Soft,
        Some(Rule::Knn) => Decision::Nearest { neighbors: of_model(neighbors, model)? },
    })
}

/// The k for a model; that of the model, or the default, where none is asked for.
pub fn of_model(wanted: Option<NeighborCount>, model: &Fitted) -> Result<usize> {
    let by_classes = wanted.is_some_and(NeighborCount::is_rule);
    if by_classes && matches!(model.training_targets(), TrainingTargets::Numbers { .. }) {
        return Err(usage(
            "--neighbors cv and entropy choose by classes, and this model predicts numbers",
            "give a number, or leave --neighbors out for the rule soft",
        ));
    }
    let (points, labels) = (model.references(), model.reference_labels());
    Ok(match wanted {
        None => match model.decision() {
            Decision::Nearest { neighbors } => neighbors,
            Decision::Soft => NEIGHBORS.min(model.references().dims()[0]),
        },
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
