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

#[doc(hidden)]
pub use self::{
    agreements::AgreementRule, features::column_numbers, labeled::ClassSpread,
    labeled::KnownSpread, labeled::check_class_names, labeled::check_weights,
    letters::are_same_letters, letters::is_decomposed, name_key::difference, rounding::ROUNDING,
    rounding::rounding_levels, scaling::mean_and_variance, sparse_rows::SparseRows,
    split::rows_by_class,
};
pub use agreement_width::AgreementWidth;
pub use agreements::Agreements;
pub use features::{Features, WithoutClass};
pub use features_builder::FeaturesBuilder;
pub use folds::{random_folds, stratified_folds};
pub use groups::{grouped_folds, grouped_split};
pub use labeled::Labeled;
pub use labeled_pairs::{LabeledPair, LabeledPairs};
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
pub use scaling::{Scaling, ScalingKind};
pub use sparse_features::SparseFeatures;
pub use split::{Split, random_split, stratified_split};
pub use training::{AnyData, Task, TrainingData, TrainingTargets};
