//! How much each column contributes to the learned distance.

use serde::{Deserialize, Serialize};

use crate::json::null_as_nan;
use crate::number::{counted, percent, significant};
use crate::{Report, Section};
use burn_nca_program::Table;
use burn_nca_program::html::{note, place, section};
use burn_nca_program::terminal::{Terminal, wrapped};

/// The most bars drawn.
const SHOWN: usize = 30;

/// The most features listed on a terminal.
const LISTED: usize = 15;

/// A weight of no more than this share of the largest is none.
const NEGLIGIBLE: f64 = 0.02;

/// The methods whose result is a list of features.
const SELECTING: [&str; 2] = ["ncfs", "fsrnca"];

/// The weight of every column, in their order; empty for a nonlinear encoder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureWeights(pub Vec<FeatureWeight>);

/// What one column contributes to the learned distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// The column's name.
    pub column: String,
    /// Norm of the column of A: how far one unit of the feature, as the metric sees it, moves a point.
    #[serde(deserialize_with = "null_as_nan")]
    pub weight: f64,
    /// Its square over the trace of Q = AᵀA, so that all shares sum to 1.
    #[serde(deserialize_with = "null_as_nan")]
    pub share: f64,
}

/// A feature of a ranked list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedFeature {
    /// The column's name.
    pub feature: String,
    /// Its weight, as in [`FeatureWeight::weight`].
    #[serde(deserialize_with = "null_as_nan")]
    pub weight: f64,
}

impl FeatureWeights {
    /// What a method of feature selection found, largest first; empty for any other method.
    pub fn ranked(&self, method: &str) -> Vec<RankedFeature> {
        if !SELECTING.contains(&method) {
            return Vec::new();
        }
        let ranked =
            |of: &FeatureWeight| RankedFeature { feature: of.column.clone(), weight: of.weight };
        let mut weights: Vec<RankedFeature> = self.0.iter().map(ranked).collect();
        weights.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        weights
    }
}

impl Section for FeatureWeights {
    fn page(&self, _report: &Report) -> String {
        let finite = self.0.iter().filter(|feature| feature.weight.is_finite());
        let mut weights: Vec<&FeatureWeight> = finite.collect();
        weights.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        let Some(largest) = weights.first().map(|feature| feature.weight.abs()) else {
            return String::new();
        };
        let table = Table::of("weights", weights.iter().take(SHOWN).copied())
            .names("feature", 32, |feature| feature.column.clone())
            .drawing("bar", "", move |feature| {
                let length = if largest > 0.0 { feature.weight.abs() / largest } else { 0.0 };
                format!("<span style=\"width:{}\"></span>", place(length))
            })
            .number("weight", |feature| significant(feature.weight, 3))
            .number("share", |feature| percent(Some(feature.share)));
        let rest = match weights.get(SHOWN..).unwrap_or_default() {
            [] => String::new(),
            others => format!(
                " The {SHOWN} largest of {}; the others share {}.",
                weights.len(),
                percent(Some(others.iter().map(|feature| feature.share).sum()))
            ),
        };
        let remark = format!(
            "Weight: the norm of the feature's column of A, after scaling. Share: its part of the squared metric, the trace \
             of AᵀA.{rest}"
        );
        section("weights", "Feature importance", &(note(&remark) + &table.html()))
    }

    fn text(&self, report: &Report, terminal: Terminal) -> String {
        let weights = &report.weights;
        let Some(first) = weights.first() else { return String::new() };
        let kept = weights.iter().filter(|of| of.weight > NEGLIGIBLE * first.weight).count();
        let listed: Vec<(&RankedFeature, usize)> =
            weights[..kept].iter().zip(1..).take(LISTED).collect();
        let table = Table::of("weights", &listed)
            .number("", |(_, place)| place.to_string())
            .names("feature", 32, |(of, _)| of.feature.clone())
            .number("weight", |(of, _)| significant(of.weight, 3));
        let more =
            if kept > LISTED { format!(", of which the first {LISTED}") } else { String::new() };
        let found = format!(
            "{} of {} have a weight of more than {} of the largest{more}:",
            counted(kept, "feature"),
            weights.len(),
            percent(Some(NEGLIGIBLE))
        );
        wrapped(&found, terminal) + &table.plain(terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_ranks_what_feature_selection_found() {
        let mut report = Report::example();
        let text = |report: &Report| report.feature_weights.text(report, Terminal::PLAIN);
        assert!(text(&report).is_empty());
        report.feature_weights.0[0].weight = 1e-6;
        assert!(report.feature_weights.ranked("nca").is_empty());
        report.weights = report.feature_weights.ranked("ncfs");
        let text = text(&report);
        assert!(text.starts_with("3 features of 4 have a weight of more than 2.0 %"), "{text}");
        let place = |name: &str| text.find(name);
        assert!(place("petal width") < place("petal length") && place("sepal length").is_none());
    }

    #[test]
    fn beyond_thirty_features_the_rest_is_summed_up() {
        let mut report = Report::example();
        let names: Vec<String> = (0..64).map(|n| format!("f{n}")).collect();
        report.feature_weights = FeatureWeights::of_norms(&names, vec![1.0; 64]);
        let html = report.feature_weights.page(&report);
        assert_eq!(html.matches("<td class=\"bar\"").count(), 30);
        assert!(html.contains("The 30 largest of 64; the others share 53.1 %."), "{html}");
    }
}
