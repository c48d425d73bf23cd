//! Rows of features, labels, soft agreements, pairs, scaling, preparation and splits, all on the host in f64.

mod agreement_width;
mod agreements;
mod class_spread;
mod coincidences;
mod compact;
mod feature_values;
mod features;
mod features_builder;
mod folds;
mod groups;
mod labeled;
mod labeled_pairs;
mod letters;
mod moments;
mod name_key;
mod pairs;
mod preparation;
mod raw_table;
mod regression;
mod rounding;
mod scaling;
mod scaling_kind;
mod sparse_features;
mod sparse_rows;
mod split;
mod training;
mod training_kinds;
mod training_targets;
mod weights;
mod without_class;

pub use agreement_width::AgreementWidth;
#[doc(hidden)]
pub use agreements::AgreementRule;
pub use agreements::Agreements;
#[doc(hidden)]
pub use class_spread::{ClassSpread, KnownSpread};
pub use coincidences::Coincidences;
pub use features::Features;
#[doc(hidden)]
pub use features::column_numbers;
pub use features_builder::FeaturesBuilder;
pub use folds::{random_folds, stratified_folds};
pub use groups::{grouped_folds, grouped_split};
pub use labeled::Labeled;
#[doc(hidden)]
pub use labeled::check_class_names;
pub use labeled_pairs::{LabeledPair, LabeledPairs};
#[doc(hidden)]
pub use letters::{are_same_letters, is_decomposed};
#[doc(hidden)]
pub use moments::mean_and_variance;
#[doc(hidden)]
pub use name_key::difference;
#[cfg(feature = "readers")]
pub(crate) use name_key::distinct_names;
pub use name_key::{compare_numbers, meant_name, name_key};
pub use pairs::Pairs;
#[cfg(feature = "readers")]
pub(crate) use preparation::is_number;
pub use preparation::{
    Categorical, Missing, Preparation, PreparationConfig, Prepared, is_date, number_hints,
};
pub use raw_table::{RawColumn, RawTable, RawValues, TextValues};
pub use regression::RegressionData;
#[doc(hidden)]
pub use rounding::{ROUNDING, rounding_levels};
pub use scaling::Scaling;
pub use scaling_kind::ScalingKind;
pub use sparse_features::SparseFeatures;
#[doc(hidden)]
pub use sparse_rows::SparseRows;
#[doc(hidden)]
pub use split::rows_by_class;
pub use split::{Split, random_split, stratified_split};
pub use training::{AnyData, Task, TrainingData};
pub use training_targets::TrainingTargets;
#[doc(hidden)]
pub use weights::check_weights;
pub use without_class::WithoutClass;
