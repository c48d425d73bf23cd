//! Models of burn-nca as ONNX graphs: embed and classify wherever ONNX runs.
//!
//! ```text
//! features ──► scaling ──► encoder ──► embedding ──► the model's rule ──► probabilities, label
//!    map::scaled       map::embedded                   rule (with neighbors)
//! ```
//! Burn reads ONNX and does not write it. The format is a few messages of Protocol Buffers (`graph`, `proto`).

mod graph;
mod map;
mod members;
mod nearest;
mod proto;
mod rule;
mod rule_parts;

use std::path::Path;

use burn_nca_files::write_atomically;
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::TrainingTargets;
use burn_nca_learn::fit::Precision;
use burn_nca_learn::{Error, Fitted, Result};

use graph::{DataType, Graph};
use proto::Message;

/// The version of the standard operator set that an exported model uses.
pub const OPSET: i64 = 15;

/// The version of the file format.
const IR_VERSION: i64 = 8;

/// A protocol buffer holds no more; readers refuse larger ones.
const MOST_BYTES: usize = (1 << 31) - (1 << 20);

/// Writes a model to an ONNX file, atomically; with `neighbors` the training rows and the model's rule too.
///
/// # Errors
/// As [`to_onnx`], or a file that cannot be written.
pub fn export(fitted: &Fitted, path: &Path, neighbors: bool) -> Result<()> {
    let bytes = to_onnx(fitted, neighbors)?;
    write_atomically(path, &bytes).map_err(|source| Error::io(path, source))
}

/// A model as the bytes of an ONNX file. Inputs, outputs and metadata are listed in the README of this crate.
///
/// # Errors
/// With `neighbors` a model that was learned from pairs (its rows have neither classes nor numbers), and one that would be
/// larger than 2 GB.
///
/// # Examples
/// ```
/// use burn::tensor::Device;
/// use burn_nca_learn::NcaConfig;
///
/// let wine = burn_nca_data::bundled::wine();
/// let fitted = NcaConfig::new(13, 2).fit(&wine, &Device::flex())?;
/// let map = burn_nca_onnx::to_onnx(&fitted, false)?;
/// let classifier = burn_nca_onnx::to_onnx(&fitted, true)?;
/// assert!(map.len() < classifier.len());
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub fn to_onnx(fitted: &Fitted, neighbors: bool) -> Result<Vec<u8>> {
    let card = fitted.card();
    if neighbors {
        check_neighbors(fitted)?;
    }
    let data_type = match card.fit.precision {
        Precision::F32 => DataType::Float,
        Precision::F64 => DataType::Double,
    };
    let mut graph = Graph::default();
    graph.input("features", data_type, card.d_input, "raw features, one row per point");
    let scaled = map::scaled(&mut graph, fitted.scaling(), "features", data_type);
    let embedding = map::embedded(&mut graph, &fitted.encoder, &scaled, data_type);
    graph.output(&embedding, data_type, Some(card.d_output), "the embedding");
    if neighbors {
        rule::add(&mut graph, fitted, &embedding);
    }
    let opset = Message::new().text(1, "").whole(2, OPSET);
    let doc_string = format!(
        "{}: {} features to {} dimensions, learned from {}",
        fitted.applied_method().title,
        card.d_input,
        card.d_output,
        fitted.training_targets().noun()
    );
    // ModelProto of onnx.proto.
    let model = Message::new()
        .whole(1, IR_VERSION)
        .text(2, "burn-nca")
        .text(3, env!("CARGO_PKG_VERSION"))
        .text(6, &doc_string)
        .message(7, &graph.finish("burn_nca"))
        .message(8, &opset);
    let model = metadata(fitted)?.iter().fold(model, |model, (key, text)| {
        model.message(14, &Message::new().text(1, key).text(2, text))
    });
    Ok(model.into_bytes())
}

fn check_neighbors(fitted: &Fitted) -> Result<()> {
    let [rows, k] = fitted.references().dims();
    let columns = match fitted.training_targets() {
        TrainingTargets::Classes { names, .. } => names.len(),
        TrainingTargets::Numbers { targets, .. } => targets.columns(),
        TrainingTargets::Unlabeled => {
            return Err(Error::setting(
                "this model was learned from pairs: its training rows have neither classes nor numbers to predict; \
                 export it without its neighbors",
            ));
        }
    };
    let bytes = rule::bytes(rows, k, columns);
    if bytes > MOST_BYTES {
        return Err(Error::setting(format!(
            "the {rows} training rows in {k} dimensions would take {bytes} bytes, and an ONNX file holds 2 GB; \
             export the model without its neighbors, or fit fewer rows"
        )));
    }
    Ok(())
}

/// Names and texts that describe the model.
fn metadata(fitted: &Fitted) -> Result<Vec<(&'static str, String)>> {
    let json = |names: &[String]| {
        serde_json::to_string(names)
            .map_err(|error| Error::data(format!("the names cannot be written: {error}")))
    };
    let encoder = match EncoderConfig::of(&fitted.encoder) {
        Some(config) => format!("{config:?}"),
        None => "unknown".to_string(),
    };
    let method = fitted.applied_method();
    let mut texts = vec![
        ("method", method.name.to_string()),
        ("title", method.title.to_string()),
        ("encoder", encoder),
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("features", json(fitted.scaling().names())?),
    ];
    if !fitted.class_names().is_empty() {
        texts.push(("classes", json(fitted.class_names())?));
    }
    if let Some(targets) = fitted.targets() {
        texts.push(("targets", json(targets.names())?));
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use burn_nca_learn::estimator::Decision;

    use burn_nca_learn::NcaConfig;

    use super::*;

    fn holds(model: &[u8], text: &str) -> bool {
        model.windows(text.len()).any(|window| window == text.as_bytes())
    }

    #[test]
    fn the_rule_and_the_names_are_in_the_file_where_they_are_asked_for() {
        let wine = burn_nca_data::bundled::wine();
        let fitted = NcaConfig::new(13, 2).fit(&wine, &Device::flex()).unwrap();
        let votes = to_onnx(&fitted, true).unwrap();
        assert!(holds(&votes, "TopK") && holds(&votes, "label") && !holds(&votes, "Softmax"));
        let fitted = fitted.with_decision(Decision::Soft).unwrap();
        let (map, classifier) = (to_onnx(&fitted, false).unwrap(), to_onnx(&fitted, true).unwrap());
        for name in ["features", "embedding", "classes", wine.features().names()[0].as_str()] {
            assert!(holds(&map, name) && holds(&classifier, name), "{name}");
        }
        for name in ["probabilities", "label", "Softmax"] {
            assert!(!holds(&map, name) && holds(&classifier, name), "{name}");
        }
    }

    #[test]
    fn a_fit_without_a_step_is_named_after_its_start() {
        let iris = burn_nca_data::bundled::iris();
        let mut config = NcaConfig::new(4, 2);
        config.fit.stop_at = Some(0);
        let model = to_onnx(&config.fit(&iris, &Device::flex()).unwrap(), false).unwrap();
        assert!(holds(&model, "Linear discriminant analysis: 4 features") && holds(&model, "lda"));
        assert!(!holds(&model, "Neighborhood components"));
    }
}
