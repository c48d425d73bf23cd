//! What a model was fitted with, and how it is written down.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::data::AgreementWidth;
use crate::encoder::EncoderConfig;
use crate::error::{Error, Result};
use crate::fit::FitConfig;
use crate::method::{AnyMethod, Mlkr, SoftNca};
use crate::objective::Criterion;

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
        Ok(Self { d_input, d_output, encoder, method: method_of(method)?, fit })
    }
}

/// The objective of numbers, as cards of earlier versions have it in place of a method.
#[derive(Deserialize)]
enum Regression {
    Mlkr,
    Soft { criterion: Criterion, width: AgreementWidth },
}

/// The method of a card; those of earlier versions have no name, but settings that tell.
fn method_of(mut settings: Map<String, Value>) -> Result<AnyMethod> {
    let regression = settings.remove("regression");
    let name = match (settings.remove("method"), regression) {
        (Some(Value::String(name)), _) => name,
        (None, Some(objective)) => {
            let unread = |error| Error::setting(format!("regression: {error}"));
            return Ok(match serde_json::from_value(objective).map_err(unread)? {
                Regression::Mlkr => Mlkr::new().into(),
                Regression::Soft { criterion, width } => SoftNca { criterion, width }.into(),
            });
        }
        (None, None) if settings.contains_key("criterion") => "nca".into(),
        (None, None) if settings.contains_key("include_self") => "pairs".into(),
        _ => return Err(Error::setting("no method is named")),
    };
    AnyMethod::of_settings(&name, settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Nca, PairNca};

    fn card(method: AnyMethod) -> ModelCard {
        let encoder = Some(EncoderConfig::Linear);
        ModelCard { d_input: 3, d_output: 2, encoder, method, fit: FitConfig::new() }
    }

    #[test]
    fn a_card_survives_json_and_keeps_the_names_of_before() {
        for method in AnyMethod::all() {
            let text = serde_json::to_string(&card(method.clone())).unwrap();
            assert_eq!(serde_json::from_str::<ModelCard>(&text).unwrap().method, method, "{text}");
        }
        let written = serde_json::to_value(card(Nca::new().into())).unwrap();
        assert_eq!((&written["method"], &written["criterion"]), (&"nca".into(), &"F".into()));
    }

    #[test]
    fn a_card_without_a_method_is_of_the_objective_it_names() {
        let width = AgreementWidth::Given(2.5);
        let soft = SoftNca { criterion: Criterion::G, width };
        for (method, settings) in [
            (
                Nca { criterion: Criterion::G, repulsion: 0.5 }.into(),
                r#""criterion":"G","repulsion":0.5"#,
            ),
            (Mlkr::new().into(), r#""regression":"Mlkr""#),
            (soft.into(), r#""regression":{"Soft":{"criterion":"G","width":{"Given":2.5}}}"#),
            (PairNca::new().into(), r#""include_self":true"#),
        ] {
            let fit = serde_json::to_string(&FitConfig::new()).unwrap();
            let text = format!(
                r#"{{"d_input":3,"d_output":2,"encoder":"Linear",{settings},"fit":{fit}}}"#
            );
            let read: ModelCard = serde_json::from_str(&text).unwrap();
            let method: AnyMethod = method;
            assert_eq!(read.method, method);
        }
    }
}
