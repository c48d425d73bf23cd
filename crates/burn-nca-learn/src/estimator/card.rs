//! What a model was fitted with, and how it is written down.

use serde::{Deserialize, Serialize};

use crate::encoder::EncoderConfig;
use crate::fit::FitConfig;
use crate::method::AnyMethod;

/// What a model was fitted with; the name of the method and its settings are written next to the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelCard {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// The encoder's configuration; absent for a module of the user's own.
    pub encoder: Option<EncoderConfig>,
    /// How it was fitted.
    pub fit: FitConfig,
    /// The method, with its settings.
    #[serde(flatten)]
    pub method: AnyMethod,
}
