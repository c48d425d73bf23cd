//! What a model was fitted with, and how it is written down.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::encoder::EncoderConfig;
use crate::error::{Error, Result};
use crate::fit::FitConfig;
use crate::method::AnyMethod;

/// What a model was fitted with.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "CardFile", try_from = "CardFile")]
pub struct ModelCard {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// The encoder's configuration; absent for a module of the user's own.
    pub encoder: Option<EncoderConfig>,
    /// The method, with its settings.
    pub method: AnyMethod,
    /// How it was fitted.
    pub fit: FitConfig,
}

/// A card as it is written: the name of the method and its settings are next to the rest.
#[derive(Clone, Serialize, Deserialize)]
struct CardFile {
    d_input: usize,
    d_output: usize,
    encoder: Option<EncoderConfig>,
    fit: FitConfig,
    #[serde(flatten)]
    method: Map<String, Value>,
}

impl From<ModelCard> for CardFile {
    fn from(card: ModelCard) -> Self {
        let method = card.method.to_map();
        let ModelCard { d_input, d_output, encoder, fit, .. } = card;
        Self { d_input, d_output, encoder, fit, method }
    }
}

impl TryFrom<CardFile> for ModelCard {
    type Error = Error;

    fn try_from(written: CardFile) -> Result<Self> {
        let CardFile { d_input, d_output, encoder, fit, method } = written;
        Ok(Self { d_input, d_output, encoder, method: AnyMethod::of_map(method)?, fit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Nca;

    fn card(method: AnyMethod) -> ModelCard {
        let encoder = Some(EncoderConfig::Linear);
        ModelCard { d_input: 3, d_output: 2, encoder, method, fit: FitConfig::new() }
    }

    #[test]
    fn a_card_survives_json_with_the_settings_of_the_method_next_to_the_rest() {
        for method in AnyMethod::all() {
            let text = serde_json::to_string(&card(method.clone())).unwrap();
            assert_eq!(serde_json::from_str::<ModelCard>(&text).unwrap().method, method, "{text}");
        }
        let written = serde_json::to_value(card(Nca::new().into())).unwrap();
        assert_eq!((&written["method"], &written["criterion"]), (&"nca".into(), &"F".into()));
    }
}
