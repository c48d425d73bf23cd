//! Stage 2: encoders. Those of `burn-nca`, and forms that a method learns in: what a [`TriangularMap`] or
//! [`FeatureWeights`] learned is kept as a [`LinearMap`] or a [`DiagonalMap`].

mod exchange;
mod feature_weights;
mod triangular;

pub use burn_nca::encoder::*;
pub(crate) use burn_nca::internal::{MOST_PARAMETERS, load_record, output_width};
pub(crate) use exchange::pytorch_file;
pub use exchange::{load_weights, save_safetensors};
pub use feature_weights::FeatureWeights;
pub use triangular::TriangularMap;
