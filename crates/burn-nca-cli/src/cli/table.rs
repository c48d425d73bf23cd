//! The options of a table: how it is written, and what its columns are for.

use burn_nca_data::{Header, Missing};
use clap::Args;

use super::parse::{NameList, at_least, choice, decimal_sign, name_list, separator};

/// Whether the first line is a header.
const HEADERS: &[(&str, &str, Header)] = &[
    ("auto", "By the lines below it", Header::Auto),
    ("yes", "It holds the names of the columns", Header::Yes),
    ("no", "It is a row", Header::No),
];

/// What is done about missing values.
const MISSING: &[(&str, &str, Missing)] = &[
    ("drop", "Rows with one are left out", Missing::Drop),
    ("mean", "The mean of the training rows (of text the most frequent one)", Missing::Mean),
    ("median", "Their median (of text the most frequent one)", Missing::Median),
    ("most-frequent", "Their most frequent value", Missing::MostFrequent),
];

/// Whether rows without a class are neighbors.
const AS_NEIGHBORS: &[(&str, &str, bool)] =
    &[("ignore", "Nothing", false), ("neighbors", "In the denominators of the others", true)];

/// How a CSV file is written.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "CSV files")]
pub struct TextArgs {
    /// The separator of values: a character, or comma, semicolon, tab, bar, space (runs of spaces and tabs)
    /// [default: found by the first lines]
    #[arg(long, value_name = "CHAR", allow_hyphen_values = true, value_parser = separator)]
    pub separator: Option<char>,

    /// The decimal sign: point or comma [default: point, or as in the fit of the model]
    #[arg(long, value_name = "SIGN", value_parser = decimal_sign)]
    pub decimal: Option<burn_nca_data::DecimalSign>,

    /// The encoding, such as latin1, windows-1252, utf-16le [default: UTF-16 by its byte order mark, else UTF-8]
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,

    /// Whether the first line holds the names of the columns; without names they are x1, x2, … [default: auto, by the
    /// lines below it, or as in the fit of the model]
    #[arg(long, value_name = "auto|yes|no", hide_possible_values = true, value_parser = choice(HEADERS))]
    pub header: Option<Header>,

    /// More spellings of missing values, as in unknown,-9, in addition to the empty cell and the usual ones (NA, NaN, None, null, ?
    /// and the like); an empty word, as in '' or '"",-9', makes the usual ones words where a column is text [default: as in the fit of the model]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, value_parser = name_list)]
    pub missing_values: Option<Vec<NameList>>,
}

/// What the columns of a CSV file are for, and what is done about text and missing values.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Columns of a CSV file")]
pub struct ColumnArgs {
    /// The features, by name or pattern, as in age,x*; a name with a comma in quotation marks, as in '"width, cm",age'
    /// [default: all columns not used otherwise]
    #[arg(long, value_name = "COLUMNS", value_parser = name_list)]
    pub features: Option<Vec<NameList>>,

    /// What is done about missing values (empty, NA, NaN, null, ? and the like). Learned on the training rows, kept in
    /// the model [default: they are refused]
    #[arg(long, value_parser = choice(MISSING))]
    pub missing: Option<Missing>,

    /// Adds a feature of 0 and 1 for each column with missing values, with --missing mean, median or most-frequent.
    #[arg(long, requires = "missing")]
    pub missing_indicators: bool,

    /// Columns that become one feature of 0 and 1 per level: auto for all columns of text but those that name rows, names of
    /// others (codes, say), or both, as in auto,zip; true and false (yes and no) become one feature.
    #[arg(long, value_name = "auto|COLUMNS", value_parser = name_list)]
    pub categorical: Option<Vec<NameList>>,

    /// The most levels of a categorical column [default: 50]
    #[arg(long, value_name = "N", requires = "categorical", allow_negative_numbers = true, value_parser = at_least(1))]
    pub max_levels: Option<usize>,

    /// A column that names the rows: no feature, and carried to the output of predict and transform.
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    /// A column of numbers that says how much each row counts, in the fit and in the votes. A row of weight 0 is left out.
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,

    /// Lets each class count alike, in the fit and in the votes, however rare it is.
    #[arg(long)]
    pub balanced: bool,

    /// What rows without a class (an empty cell) are to the fit: nothing, or neighbors in the softmax of the others,
    /// right for none of them. Either way they are plotted, but excluded from all scores [default: ignore]
    #[arg(long, alias = "unlabelled", value_parser = choice(AS_NEIGHBORS))]
    pub unlabeled: Option<bool>,

    /// The class that marks rows without one, as -1 does in scikit-learn, in addition to the empty cell; in arrays, too.
    #[arg(long, alias = "unlabelled-class", value_name = "CLASS", allow_hyphen_values = true)]
    pub unlabeled_class: Option<String>,

    /// A column that says train or test, in place of --test-size.
    #[arg(long, value_name = "COLUMN", conflicts_with = "test")]
    pub split: Option<String>,

    /// A second table of the same columns, whose rows are the test rows, in place of --test-size.
    #[arg(long, value_name = "FILE")]
    pub test: Option<String>,

    /// A column of groups (the patient of a visit, say): no group is on both sides of a split or fold, and no score of
    /// the training rows, p and perplexity among them, counts rows of a row's own group. The objective of the fit does.
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
}
