//! What a user should know about data and fit, though neither is wrong.

use burn_nca::data::{Features, Labelled};
use burn_nca::evaluate::{Collapse, Spread};
use burn_nca::fit::Termination;

/// How many names a warning lists.
const SHOWN: usize = 5;

/// Remarks on the training rows: columns without a spread, classes of one row.
///
/// None on rows that nothing can be learnt from: the fit refuses them in one line.
pub fn about_data(train: &Labelled) -> Vec<String> {
    let mut remarks = Vec::new();
    let counts = train.class_counts();
    if counts.iter().all(|count| *count < 2) {
        return remarks;
    }
    remarks.extend(about_columns(train.features()));
    let names = train.class_names().iter().zip(&counts);
    let alone: Vec<&str> =
        names.filter(|(_, count)| **count == 1).map(|(name, _)| name.as_str()).collect();
    if !alone.is_empty() {
        remarks.push(format!(
            "{} a single training row, which has no neighbour of its class and adds nothing to the objective: {}",
            if alone.len() == 1 { "1 class has".to_string() } else { format!("{} classes have", alone.len()) },
            listed(&alone)
        ));
    }
    remarks
}

/// A remark on columns without a spread.
pub fn about_columns(features: &Features) -> Option<String> {
    let constant = constant_columns(features);
    let columns = match constant.len() {
        0 => return None,
        1 => "1 column is".to_string(),
        many => format!("{many} columns are"),
    };
    let listed = listed(&constant);
    Some(format!("{columns} constant in the training rows and can tell nothing apart: {listed}"))
}

/// A remark on a fit that did not converge; mini-batches end with their epochs, and early stopping is a choice.
pub fn about_termination(termination: Termination) -> Option<String> {
    let planned = [Termination::EpochsDone, Termination::HeldOut];
    let as_planned = termination.converged() || planned.contains(&termination);
    (!as_planned).then(|| termination.sentence().to_string())
}

/// A remark on an embedding that fell together.
pub fn about_spread(spread: Option<Spread>) -> Option<String> {
    let spread = spread?;
    Some(match spread.collapse()? {
        Collapse::Point => format!(
            "the embedding has collapsed to a point (total variance {:.1e}); another start, less L2 or a \
             repulsion may keep it apart",
            spread.total_variance
        ),
        Collapse::Line => format!(
            "the embedding of {} dimensions lies on a line, one direction holding nearly all of its variance",
            spread.dimensions
        ),
    })
}

fn constant_columns(features: &Features) -> Vec<&str> {
    let constant = |column: usize| {
        let mut values = (0..features.rows()).map(|row| features.row(row)[column]);
        let first = values.next();
        values.all(|value| Some(value) == first)
    };
    let names = features.names().iter().enumerate();
    names.filter(|(column, _)| constant(*column)).map(|(_, name)| name.as_str()).collect()
}

fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown}, … ({} in all)", names.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_columns_and_lonely_classes_are_named() {
        let features = Features::unnamed(vec![0.0, 1.0, 0.5, 1.0, 2.0, 1.0], 2).unwrap();
        let names = ["a".to_string(), "b".to_string()].to_vec();
        let data = Labelled::new(features, vec![0, 0, 1], names).unwrap();
        let remarks = about_data(&data);
        assert!(remarks[0].starts_with("1 column is constant") && remarks[0].ends_with(": x2"));
        assert!(
            remarks[1].starts_with("1 class has a single training row")
                && remarks[1].ends_with(": b")
        );
        assert!(about_data(&data.select(&[0, 1])).len() == 1);
    }

    #[test]
    fn only_a_fit_that_did_not_converge_is_remarked_on() {
        assert_eq!(about_termination(Termination::GradientSmall), None);
        assert!(
            about_termination(Termination::MaxIterations).unwrap().starts_with("Not converged")
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(&["a"; 7]), "a, a, a, a, a, … (7 in all)");
    }
}
