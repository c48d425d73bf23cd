//! What the columns of a fit's table were for: from the options, and kept with the model.

use burn_nca_data::TextFormat;
use burn_nca_learn::data::{Categorical, Missing, PreparationConfig};
use serde::{Deserialize, Serialize};

use crate::cli::FitArgs;
use crate::cli::parse::{NameList, joined};
use crate::cli::table::TextArgs;
use crate::output::short_name;

const AUTO: &str = "auto";

/// What the columns of a table are for, and what is done about text and missing values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Columns {
    /// The features, by name or pattern; all that are left without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Vec<String>>,
    pub format: TextFormat,
    pub missing: Missing,
    pub missing_indicators: bool,
    pub categorical: Categorical,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_levels: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    pub balanced: bool,
    /// Whether rows without a class are neighbors in the fit.
    #[serde(rename = "unlabelled_neighbors", skip_serializing_if = "std::ops::Not::not")]
    pub unlabeled_neighbors: bool,
    /// The class that marks rows without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlabeled_class: Option<String>,
    /// The column that says train or test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<String>,
}

impl Columns {
    pub fn of_fit(args: &FitArgs) -> Self {
        let columns = args.columns.clone();
        Self {
            features: columns.features.as_deref().map(joined),
            format: with_given(TextFormat::default(), &args.source.text),
            missing: columns.missing.unwrap_or_default(),
            missing_indicators: columns.missing_indicators,
            categorical: categories(columns.categorical.as_deref()),
            max_levels: columns.max_levels,
            id: columns.id,
            weights: columns.weights,
            balanced: columns.balanced,
            unlabeled_class: columns.unlabeled_class,
            unlabeled_neighbors: columns.unlabeled == Some(true),
            split: columns.split,
            test: columns.test,
            groups: columns.groups,
        }
    }

    /// Whether the table is read with its text and missing values, rather than as numbers at once.
    pub fn need_raw_table(&self) -> bool {
        let roles = [&self.id, &self.weights, &self.split, &self.test, &self.groups];
        self.missing != Missing::Refuse
            || self.categorical != Categorical::None
            || roles.iter().any(|role| role.is_some())
    }

    /// `, id name, weights w, by groups of patient`; empty where no column has a role.
    pub fn clause(&self) -> String {
        let roles = [
            ("id", &self.id),
            ("weights", &self.weights),
            ("split by", &self.split),
            ("tested on", &self.test),
            ("groups of", &self.groups),
        ];
        let named = roles.into_iter().filter_map(|(role, name)| Some((role, name.as_deref()?)));
        let mut text: String =
            named.map(|(role, name)| format!(", {role} {}", short_name(name))).collect();
        if self.balanced {
            text.push_str(", classes balanced");
        }
        if let Some(class) = &self.unlabeled_class {
            text.push_str(&format!(", {} for no class", short_name(class)));
        }
        if self.unlabeled_neighbors {
            text.push_str(", rows without a class as neighbors");
        }
        text
    }

    pub fn preparation(&self) -> PreparationConfig {
        let default = PreparationConfig::default();
        PreparationConfig {
            missing: self.missing,
            indicators: self.missing_indicators,
            categorical: self.categorical.clone(),
            max_levels: self.max_levels.unwrap_or(default.max_levels),
        }
    }
}

/// The columns that are categories, where some are named or asked for.
fn categories(lists: Option<&[NameList]>) -> Categorical {
    let Some(lists) = lists else { return Categorical::None };
    let (autos, names): (Vec<String>, Vec<String>) =
        joined(lists).into_iter().partition(|name| name == AUTO);
    match (autos.is_empty(), names.is_empty()) {
        (true, _) => Categorical::Columns(names),
        (false, true) => Categorical::Auto,
        (false, false) => Categorical::AutoAnd(names),
    }
}

/// A format with what the options say otherwise.
pub fn with_given(format: TextFormat, given: &TextArgs) -> TextFormat {
    TextFormat {
        separator: given.separator.or(format.separator),
        decimal: given.decimal.unwrap_or(format.decimal),
        encoding: given.encoding.clone().or(format.encoding),
        header: given.header.unwrap_or(format.header),
        missing: given.missing_values.as_deref().map(joined).or(format.missing),
    }
}
