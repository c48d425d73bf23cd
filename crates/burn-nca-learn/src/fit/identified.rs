//! What a fit of these settings and data is recognized by.

use serde::Serialize;

use super::{Fingerprint, FitIdentity};
use crate::data::AnyData;

/// The version of what settings are recognized by: it grows where a setting changes its meaning, so that a fit under the
/// old one is refused and not continued under the new.
const VERSION: u32 = 1;

/// Settings as an identity holds them: their JSON, under a version.
fn settings_text(settings: &impl Serialize) -> String {
    serde_json::to_string(&(VERSION, settings)).expect("settings are objects of numbers and names")
}

/// The identity of a fit of these data with these settings.
pub(crate) fn identity(data: AnyData<'_>, settings: &impl Serialize) -> FitIdentity {
    let targets = match data {
        AnyData::Classes(data) => {
            let labels = Fingerprint::new().indices(data.labels());
            let targets = counted(labels, data.weights(), data.groups());
            match data.unlabeled() {
                Some(others) => targets.text("unlabeled").rows(others),
                None => targets,
            }
        }
        AnyData::Numbers(data) => {
            let targets = data.targets();
            let numbers = Fingerprint::new().indices(&[targets.columns()]);
            let numbers = numbers.numbers(targets.values());
            counted(numbers, data.weights(), data.groups())
        }
        AnyData::Pairs(data) => {
            let ends: Vec<usize> = data.pairs().iter().flat_map(|(a, b, _)| [a, b]).collect();
            let weights: Vec<f64> = data.pairs().iter().map(|(_, _, weight)| weight).collect();
            Fingerprint::new().indices(&ends).numbers(&weights)
        }
        AnyData::Unlabeled(_) => Fingerprint::new(),
    };
    let features = data.features();
    let shape = [features.rows(), features.columns()];
    FitIdentity {
        settings: settings_text(settings),
        features: Fingerprint::new().indices(&shape).rows(features).finish(),
        targets: targets.finish(),
    }
}

/// Targets with how much each row counts, and its group.
fn counted(targets: Fingerprint, weights: Option<&[f64]>, groups: Option<&[usize]>) -> Fingerprint {
    let targets = match weights {
        Some(weights) => targets.numbers(weights),
        None => targets,
    };
    match groups {
        Some(groups) => targets.text("groups").indices(groups),
        None => targets,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Criterion;

    #[test]
    fn settings_are_recognized_by_their_serialized_names_under_a_version() {
        assert_eq!(settings_text(&(Criterion::G, 0.1)), "[1,[\"G\",0.1]]");
    }
}
