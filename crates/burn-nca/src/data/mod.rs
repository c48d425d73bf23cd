//! Stage 1: data. Rows of features, labels, scaling and splits, all on the host in f64.

mod features;
mod labelled;
mod scaling;
mod split;

pub use features::Features;
pub(crate) use features::host_values;
pub use labelled::Labelled;
pub use scaling::{Scaling, ScalingKind};
pub use split::{Split, stratified_split};
