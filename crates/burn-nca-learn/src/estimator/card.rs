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
