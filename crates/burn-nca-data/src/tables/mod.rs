//! Rows of features, labels, soft agreements, pairs, scaling, preparation and splits, all on the host in f64.

mod agreement_width;
mod agreements;
mod compact;
mod feature_values;
mod features;
mod features_builder;
mod folds;
mod groups;
mod labeled;
mod labeled_pairs;
mod letters;
mod name_key;
mod pairs;
mod preparation;
mod raw_table;
mod regression;
mod rounding;
mod scaling;
mod sparse_features;
mod sparse_rows;
mod split;
mod training;
mod training_kinds;

pub use agreement_width::AgreementWidth;
#[doc(hidden)]
pub use agreements::AgreementRule;
pub use agreements::Agreements;
#[doc(hidden)]
pub use features::column_numbers;
pub use features::{Features, WithoutClass};
pub use features_builder::FeaturesBuilder;
pub use folds::{random_folds, stratified_folds};
pub use groups::{grouped_folds, grouped_split};
pub use labeled::Labeled;
#[doc(hidden)]
pub use labeled::{ClassSpread, KnownSpread, check_class_names, check_weights};
pub use labeled_pairs::{LabeledPair, LabeledPairs};
#[doc(hidden)]
pub use letters::{are_same_letters, is_decomposed};
#[doc(hidden)]
pub use name_key::difference;
#[cfg(feature = "readers")]
pub(crate) use name_key::{decimal, distinct_names};
pub use name_key::{meant_name, name_key};
pub use pairs::{Coincidences, Pairs};
#[cfg(feature = "readers")]
pub(crate) use preparation::is_number;
pub use preparation::{
    Categorical, Missing, Preparation, PreparationConfig, Prepared, is_date, number_hints,
};
pub use raw_table::{RawColumn, RawTable, RawValues, TextValues};
pub use regression::RegressionData;
#[doc(hidden)]
pub use rounding::{ROUNDING, rounding_levels};
#[doc(hidden)]
pub use scaling::mean_and_variance;
pub use scaling::{Scaling, ScalingKind};
pub use sparse_features::SparseFeatures;
#[doc(hidden)]
pub use sparse_rows::SparseRows;
#[doc(hidden)]
pub use split::rows_by_class;
pub use split::{Split, random_split, stratified_split};
pub use training::{AnyData, Task, TrainingData, TrainingTargets};
