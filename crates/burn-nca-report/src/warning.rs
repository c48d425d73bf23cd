//! What a reader must know before trusting the numbers: on stderr, in the JSON and on the page, from one list.

use serde::{Deserialize, Serialize};

/// One thing to know, with a code for programs and a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Which one it is; stable from version to version.
    pub code: WarningCode,
    /// The sentence.
    pub text: String,
    /// What to do about it, where the text does not say it: on its own line of a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The warnings there are; in JSON in snake case, such as `constant_columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// Columns with the same value in all training rows.
    ConstantColumns,
    /// Classes of a single training row.
    SingleRowClasses,
    /// Fewer dimensions than features, which the user did not ask for.
    FewDimensions,
    /// The fit ended before an optimum, and not as planned.
    NotConverged,
    /// The embedding has practically no extent.
    CollapsedToPoint,
    /// The embedding of several dimensions lies on a line, and that costs accuracy.
    CollapsedToLine,
    /// A linear map to few dimensions, and that costs accuracy.
    LinearMap,
    /// Rows that the model was fitted on are among those it is measured on.
    TrainingRows,
    /// Rows that occur more than once among the training rows, or among those that a model is measured on.
    RepeatedRows,
    /// Groups that rows cannot be held out by, or classes that are in one of them only.
    FewGroups,
    /// The table is large, and the numbers about it are those of a sample of its rows.
    Sampled,
    /// The table is large, and mini-batches fit it that no option asked for.
    MiniBatches,
    /// Methods that the metric was not compared with, for want of time.
    NotCompared,
    /// The fit is not replayed, for want of time.
    NotReplayed,
    /// The replay lacks steps that an interrupted run has not kept.
    ReplayIncomplete,
    /// The state of the fit could not be written while it ran.
    CheckpointNotWritten,
    /// What was done to the table: values filled in, text turned into features, rows left out.
    Prepared,
    /// How a file was read, where that may be in doubt: its first line, lines above it.
    ReadAs,
    /// Rows without a class, which were kept out of the fit.
    RowsWithoutClass,
    /// A target of many whole numbers that was read as classes.
    NumbersAsClasses,
    /// Classes whose names hold line ends, as a stray quotation mark makes them.
    MultilineClasses,
    /// Classes, levels or groups whose names differ in case or in spaces only.
    SimilarClasses,
    /// A class -1 in addition to classes from 0, as libraries mark rows without a class.
    ClassMinusOne,
    /// Features that only number the rows.
    Identifiers,
    /// Columns that are copies of others.
    DuplicateColumns,
    /// Numbers such as -999, which mark missing values.
    PlaceholderValues,
    /// Single values far beyond all others of their column.
    FeatureOutliers,
    /// Columns of days written as 20240131.
    DatesAsNumbers,
    /// Features that determine the target exactly, as a copy of it does.
    TargetCopy,
    /// A numeric target whose variance is that of a few rows.
    TargetOutliers,
    /// A numeric target of one value in all held-out rows.
    ConstantTarget,
    /// Fewer training rows than features.
    FewRows,
    /// One that a later version of the program knows.
    #[serde(other)]
    Unknown,
}

impl Warning {
    /// A warning of this code.
    pub fn new(code: WarningCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), hint: None }
    }

    /// The warning with what to do about it.
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// The text, and the hint after it.
    pub fn sentence(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}; {hint}", self.text),
            None => self.text.clone(),
        }
    }

    /// Whether it is reported as soon as it is known: about data and settings before the fit, about the checkpoint during
    /// it.
    pub fn is_told_at_once(&self) -> bool {
        !matches!(
            self.code,
            WarningCode::NotConverged
                | WarningCode::CollapsedToPoint
                | WarningCode::CollapsedToLine
                | WarningCode::LinearMap
                | WarningCode::TrainingRows
                | WarningCode::NotCompared
                | WarningCode::NotReplayed
                | WarningCode::Unknown
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stable_and_later_ones_do_not_harm() {
        let warning = Warning::new(WarningCode::CollapsedToPoint, "flat");
        let text = serde_json::to_string(&warning).unwrap();
        assert_eq!(text, r#"{"code":"collapsed_to_point","text":"flat"}"#);
        let later: Warning = serde_json::from_str(r#"{"code":"of_2030","text":"new"}"#).unwrap();
        assert_eq!(later, Warning::new(WarningCode::Unknown, "new"));
    }
}
