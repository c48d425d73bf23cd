//! The settings of a fit as names and values that people read, from the configuration in the report.

use burn_nca_learn::method::{AnyMethod, Uses};
use serde_json::Value;

/// The places in the configuration that have a name of their own; a place is written `encoder.hidden`.
const NAMES: [(&str, &str); 24] = [
    ("d_input", "features"),
    ("d_output", "dimensions"),
    ("encoder", "map"),
    ("encoder.Mlp.hidden", "hidden layers"),
    ("encoder.Mlp.activation", "activation"),
    ("criterion", "objective"),
    ("repulsion", "repulsion of classes"),
    ("include_self", "each row counts as a positive of itself"),
    ("fit.start.Random.scale", "scale of the random start"),
    ("fit.start_perplexity", "perplexity of the start"),
    ("fit.l2", "L2 penalty"),
    ("fit.penalty", "penalty on"),
    ("fit.optimizer.Lbfgs.max_iterations", "L-BFGS, maximum iterations"),
    ("fit.optimizer.Lbfgs.tolerance_gradient", "L-BFGS, tolerance of the gradient"),
    ("fit.optimizer.Lbfgs.tolerance_progress", "L-BFGS, tolerance of progress"),
    ("fit.optimizer.Lbfgs.history", "L-BFGS, history"),
    ("fit.optimizer.Lbfgs.max_line_search", "L-BFGS, maximum evaluations per step"),
    ("fit.early_stopping.share", "early stopping, share held out"),
    ("fit.early_stopping.patience", "early stopping, patience"),
    ("fit.stop_at", "number of steps"),
    ("fit.precision", "number type"),
    ("decision.rule", "rule of predictions"),
    ("decision.neighbors", "neighbors of predictions"),
    ("fit.blocks.memory_mib", "memory for one pass, MiB"),
];

/// Where the settings are that methods share, and that one may have no use for.
const SHARED: [(&str, Uses); 6] = [
    ("fit.start", Uses::Start),
    ("fit.l2", Uses::L2),
    ("fit.penalty", Uses::L2),
    ("fit.optimizer", Uses::Optimizer),
    ("fit.blocks", Uses::Optimizer),
    ("fit.early_stopping", Uses::EarlyStopping),
];

/// The settings that are set and that the method uses, in the order of the configuration.
pub fn settings(value: &Value) -> Vec<(String, String)> {
    let mut flat = Vec::new();
    flatten("", value, &mut flat);
    let method = value["method"].as_str().and_then(|name| AnyMethod::named(name).ok());
    let uses = method.map(|method| method.info().uses);
    let is_used = |(place, _): &(String, String)| {
        let shared = SHARED.iter().find(|(of, _)| place.starts_with(of));
        shared.is_none_or(|(_, of)| uses.is_none_or(|uses| uses.contains(of)))
    };
    flat.into_iter().filter(is_used).map(|(place, text)| (named(&place), text)).collect()
}

fn flatten(place: &str, value: &Value, flat: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (field, value) in fields {
                let inner =
                    if place.is_empty() { field.clone() } else { format!("{place}.{field}") };
                flatten(&inner, value, flat);
            }
        }
        // What is not set has no effect.
        Value::Null => {}
        // The choices of the library are names such as `MinMax`; one is written in files as it was at first.
        Value::String(text) => {
            flat.push((place.to_owned(), in_words(&text.replace("Standardise", "Standardize"))));
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().take(12).map(Value::to_string).collect();
            flat.push((place.to_owned(), items.join(", ")));
        }
        other => flat.push((place.to_owned(), other.to_string())),
    }
}

/// The name of a place; of one without a name of its own the last parts, in words.
fn named(place: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == place) {
        return (*name).to_owned();
    }
    let parts: Vec<&str> =
        place.split('.').filter(|part| !["fit", "optimizer"].contains(part)).collect();
    parts.iter().map(|part| in_words(part)).collect::<Vec<_>>().join(", ")
}

/// `max_line_search` and `MinMax` as `max line search` and `min max`; text with blanks or signs as it is.
fn in_words(name: &str) -> String {
    if name.chars().any(|c| !(c.is_ascii_alphanumeric() || c == '_')) {
        return name.to_owned();
    }
    let mut words = String::new();
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(char::is_ascii_lowercase);
        match letter {
            '_' => words.push(' '),
            'A'..='Z' => {
                if !words.is_empty() && next_is_small {
                    words.push(' ');
                }
                words.push(letter.to_ascii_lowercase());
            }
            other => words.push(other),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::NcaConfig;

    use super::*;

    #[test]
    fn settings_have_names_that_people_read() {
        let config = serde_json::to_value(NcaConfig::recommended(4, 2)).unwrap();
        let settings = settings(&config);
        let of = |name: &str| {
            settings.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
        };
        assert_eq!(
            (of("features"), of("dimensions"), of("map")),
            (Some("4"), Some("2"), Some("linear"))
        );
        assert_eq!(
            (of("objective"), of("L2 penalty"), of("start")),
            (Some("g"), Some("0.01"), Some("auto"))
        );
        assert_eq!(of("L-BFGS, maximum iterations"), Some("200"));
        for (name, text) in &settings {
            assert!(!name.contains(['_', '.', ':']) && !text.contains("not set"), "{name}: {text}");
        }
    }

    #[test]
    fn settings_that_the_method_does_not_use_are_left_out() {
        let mut config = serde_json::to_value(NcaConfig::recommended(4, 2)).unwrap();
        let has = |config: &Value| settings(config).iter().any(|(name, _)| name == "L2 penalty");
        assert!(has(&config));
        config["method"] = "lda".into();
        let found = settings(&config);
        assert!(!has(&config) && found.iter().all(|(name, _)| !name.contains("L-BFGS")));
        assert!(found.contains(&("scaling".to_owned(), "standardize".to_owned())));
    }

    #[test]
    fn a_setting_without_a_name_of_its_own_is_shown_in_words() {
        let value = serde_json::json!({
            "encoder": {"Mlp": {"hidden": [100, 50], "activation": "Relu"}}, "limit": null,
            "fit": {"optimizer": {"Adam": {"batch_size": 1000}}, "scaling": "MinMax"}
        });
        let expected = [
            ("activation", "relu"),
            ("adam, batch size", "1000"),
            ("hidden layers", "100, 50"),
            ("scaling", "min max"),
        ];
        let mut found = settings(&value);
        found.sort();
        assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }
}
