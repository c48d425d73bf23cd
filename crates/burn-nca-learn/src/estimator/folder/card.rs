//! `model.json`: everything of a model but its tensors, and whether it agrees with itself and with them.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use burn_nca_files::read_regular_text;
use serde::{Deserialize, Serialize};

use super::tensors::{ENCODER, REFERENCES};
use crate::data::{
    Features, Preparation, Scaling, ScalingKind, Task, TrainingTargets, check_class_names,
    check_weights,
};
use crate::encoder::{Encoder, EncoderConfig};
use crate::error::{Error, Result, shortened};
use crate::estimator::decision::{Decision, check_decision};
use crate::estimator::{FitSummary, Fitted, ModelCard};
use crate::neighbors::Rule;

/// Raised when an older program could not read what this one writes.
const FORMAT: u32 = 1;
pub(super) const CARD: &str = "model.json";

#[derive(Serialize, Deserialize)]
pub(super) struct Stored {
    format: u32,
    version: String,
    pub(super) card: ModelCard,
    pub(super) scaling: Scaling,
    class_names: Vec<String>,
    /// The number of names, so that one too many is noticed.
    classes: usize,
    /// How much each training row counts in a vote; absent where all count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    /// The group of each training row; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<usize>>,
    /// How a raw table becomes features; absent where the model was given features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) preparation: Option<Preparation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    targets: Option<StoredTargets>,
    pub(super) reference_rows: usize,
    /// Without its times.
    pub(super) summary: FitSummary,
    pub(super) rule: Rule,
    /// How the model predicts; absent where none was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<Decision>,
    /// The SHA-256 of each tensor file.
    pub(super) sha256: BTreeMap<String, String>,
    /// The times of the summary: all that differs between equal fits.
    times: Times,
}

/// Wall-clock seconds.
#[derive(Serialize, Deserialize)]
struct Times {
    seconds: f64,
    history: Vec<f64>,
}

/// Named columns of numbers, row-major. They are in the text: every device has its own idea of f64.
#[derive(Serialize, Deserialize)]
struct StoredTargets {
    names: Vec<String>,
    values: Vec<f64>,
}

impl Stored {
    pub(super) fn of<E: Encoder>(fitted: &Fitted<E>, sha256: BTreeMap<String, String>) -> Self {
        let [reference_rows, _] = fitted.references.dims();
        let class_names = fitted.class_names().to_vec();
        let mut summary = fitted.summary.clone();
        let steps = summary.history.iter_mut();
        let history = steps.map(|step| std::mem::take(&mut step.seconds)).collect();
        let times = Times { seconds: std::mem::take(&mut summary.seconds), history };
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_string(),
            card: fitted.card.clone(),
            scaling: fitted.scaling.clone(),
            classes: class_names.len(),
            class_names,
            weights: match &fitted.targets {
                TrainingTargets::Classes { weights, .. }
                | TrainingTargets::Numbers { weights, .. } => weights.clone(),
                TrainingTargets::Unlabeled => None,
            },
            groups: fitted.reference_groups().map(<[usize]>::to_vec),
            preparation: fitted.preparation.clone(),
            targets: fitted.targets().map(|targets| StoredTargets {
                names: targets.names().to_vec(),
                values: targets.values().to_vec(),
            }),
            reference_rows,
            summary,
            rule: fitted.rule.clone(),
            decision: fitted.decision,
            sha256,
            times,
        }
    }

    pub(super) fn text(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::model(CARD, format!("the settings cannot be written: {error}")))
    }

    /// Reads `model.json` and checks all that can be checked without the tensors.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let path = folder.join(CARD);
        let text = read_regular_text(&path).map_err(|source| match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Error::model(
                folder,
                format!("there is no model here: {CARD} is missing; give the folder of one"),
            ),
            _ => Error::io(&path, source),
        })?;
        let invalid = |error: serde_json::Error| {
            let error = shortened(&error);
            let reason = format!("this is not a model's {CARD} ({error}); fit the model again");
            Error::model(&path, reason)
        };
        let found = serde_json::from_str::<Version>(&text).map_err(invalid)?.format;
        if found != FORMAT {
            return Err(Error::model(
                folder,
                format!(
                    "the model has format {found}, this program reads format {FORMAT}; use the program that \
                     saved it, or fit the model again"
                ),
            ));
        }
        let mut stored: Self = serde_json::from_str(&text).map_err(invalid)?;
        stored.check().map_err(|problem| wrong(folder, problem))?;
        stored.summary.seconds = stored.times.seconds;
        let steps = stored.summary.history.iter_mut().zip(&stored.times.history);
        steps.for_each(|(step, seconds)| step.seconds = *seconds);
        Ok(stored)
    }

    /// What contradicts itself, with the name of the field.
    pub(super) fn check(&self) -> Result<(), String> {
        let (d, k, rows) = (self.card.d_input, self.card.d_output, self.reference_rows);
        if let Some(decision) = self.decision {
            check_decision(decision, rows)?;
        }
        if let Some(encoder) = &self.card.encoder {
            encoder.check_shape(d, k).map_err(of("card"))?;
        }
        check_scaling(&self.scaling, d)?;
        if let Some(preparation) = &self.preparation {
            preparation.check()?;
            let features = preparation.feature_names();
            self.scaling.check_columns(&features).map_err(of("preparation"))?;
        }
        if let Some(weights) = &self.weights {
            check_weights(weights, rows).map_err(of("weights"))?;
        }
        if let Some(groups) = self.groups.as_ref().filter(|groups| groups.len() != rows) {
            return Err(format!("groups holds {} groups for {rows} reference_rows", groups.len()));
        }
        if let Rule::Members(rule) = &self.rule {
            rule.check_held_out(rows).map_err(of("rule"))?;
        }
        check_class_names(&self.class_names).map_err(of("class_names"))?;
        let names = self.class_names.len();
        if self.classes != names {
            return Err(format!("class_names holds {names} names for {} classes", self.classes));
        }
        let (classes, numbers) = (names > 0, self.targets.is_some());
        let agrees = match self.card.method.info().task {
            Some(Task::Classes) => classes && !numbers,
            Some(Task::Numbers) => numbers && !classes,
            Some(Task::Pairs) => !classes && !numbers,
            None => !(classes && numbers),
        };
        if !agrees {
            return Err(format!(
                "class_names holds {names} names and targets {}, which does not go with the method in card",
                if numbers { "are there" } else { "are absent" }
            ));
        }
        Ok(())
    }

    /// Checks that a file of this many bytes can hold the encoder of the card, before memory is taken for it.
    ///
    /// The file is the bound, not what a fit may have: a model of sparse rows has a map to more columns than it was fitted
    /// on ([`Fitted::through`]).
    pub(super) fn check_encoder(&self, bytes: usize, folder: &Path) -> Result<()> {
        // A number takes two bits at least, quantized.
        const NUMBERS_PER_BYTE: usize = 4;
        let Some(encoder) = &self.card.encoder else { return Ok(()) };
        let parameters = encoder.parameters(self.card.d_input, self.card.d_output);
        if parameters.is_some_and(|number| number <= bytes.saturating_mul(NUMBERS_PER_BYTE)) {
            return Ok(());
        }
        let layers = match encoder {
            EncoderConfig::Mlp(hidden) => hidden.sizes.len() + 1,
            EncoderConfig::Modern(modern) => modern.blocks + 1,
            EncoderConfig::Linear | EncoderConfig::Diagonal => 1,
        };
        let parameters = parameters.map_or("countless".to_string(), |number| number.to_string());
        let problem = format!(
            "card.encoder has {parameters} parameters (in layers: {layers}), which {ENCODER} of {bytes} bytes cannot hold"
        );
        Err(wrong(folder, problem))
    }

    /// Checks that a file of this many bytes can hold the embedded training rows, before memory is taken for them.
    pub(super) fn check_references(&self, bytes: usize, folder: &Path) -> Result<()> {
        const SMALLEST_NUMBER: usize = 2;
        let (rows, k) = (self.reference_rows, self.card.d_output);
        let needed = rows.checked_mul(k).and_then(|values| values.checked_mul(SMALLEST_NUMBER));
        if rows > 0 && needed.is_some_and(|needed| needed <= bytes) {
            return Ok(());
        }
        let problem = format!(
            "reference_rows is {rows} and card.d_output {k}, which {REFERENCES} of {bytes} bytes cannot hold"
        );
        Err(wrong(folder, problem))
    }

    /// What is known of the training rows, whose labels these are.
    pub(super) fn targets(&self, labels: Vec<usize>, folder: &Path) -> Result<TrainingTargets> {
        let (weights, groups) = (self.weights.clone(), self.groups.clone());
        if let Some(StoredTargets { names, values }) = &self.targets {
            let targets = Features::new(values.clone(), names.clone());
            let targets = targets.map_err(|error| wrong(folder, of("targets")(error)))?;
            let (rows, wanted) = (targets.rows(), self.reference_rows);
            if rows != wanted {
                let problem = format!("targets holds {rows} rows for {wanted} reference_rows");
                return Err(wrong(folder, problem));
            }
            return Ok(TrainingTargets::Numbers { targets, weights, groups });
        }
        let names = self.class_names.clone();
        if names.is_empty() {
            return Ok(TrainingTargets::Unlabeled);
        }
        if let Some(label) = labels.iter().find(|label| **label >= names.len()) {
            let named = names.len();
            let problem = format!("class_names holds {named} names, and a row has class {label}");
            return Err(wrong(folder, problem));
        }
        Ok(TrainingTargets::Classes { names, labels, weights, groups })
    }
}

/// The words of an error after the name of its field.
fn of<E: Display>(field: &'static str) -> impl Fn(E) -> String {
    move |error| format!("{field}: {error}")
}

fn check_scaling(scaling: &Scaling, d: usize) -> Result<(), String> {
    let lengths = [
        ("names", scaling.names().len()),
        ("offset", scaling.offset().len()),
        ("scale", scaling.scale().len()),
    ];
    if let Some((field, length)) = lengths.iter().find(|(_, length)| *length != d) {
        return Err(format!(
            "scaling.{field} holds {length} values for {d} features (card.d_input)"
        ));
    }
    // An offset there may be: that of columns far from zero; constant ones among them are zero.
    let changes = |scale: &f64| *scale != 1.0 && *scale != f64::INFINITY;
    if scaling.kind() == ScalingKind::None && scaling.scale().iter().any(changes) {
        return Err("scaling.kind is None, but scaling.scale is not 1 throughout".to_string());
    }
    // Infinite is the scale of a constant column.
    let wrong = |value: &f64| *value < 0.0 || !(value.is_normal() || value.is_infinite());
    if let Some((at, value)) = (1..).zip(scaling.scale()).find(|(_, value)| wrong(value)) {
        return Err(format!("scaling.scale of feature {at} is {value}, not a positive number"));
    }
    if let Some((at, value)) = (1..).zip(scaling.offset()).find(|(_, value)| !value.is_finite()) {
        return Err(format!("scaling.offset of feature {at} is {value}, not finite"));
    }
    Ok(())
}

fn wrong(folder: &Path, problem: String) -> Error {
    let reason = format!("{problem}; restore the file, or fit the model again");
    Error::model(folder.join(CARD), reason)
}
