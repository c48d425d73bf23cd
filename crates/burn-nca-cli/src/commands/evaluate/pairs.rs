//! `nca evaluate` of a model of pairs.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use burn_nca_data::read_pairs;
use burn_nca_learn::data::Pairs;
use burn_nca_learn::evaluate::{PartnerRanks, Spread};
use burn_nca_program::terminal::wrapped;
use burn_nca_program::{Terminal, plain_table};
use serde::Serialize;

use super::question::Question;
use super::training_pairs;
use crate::cli::Format;
use crate::failure::hinted;
use crate::hint::CommandKind;
use crate::output;
use burn_nca_report::evaluation::{about_spread, measures, not_checked, values};
use burn_nca_report::{Warning, counted};

/// The scores of a model of pairs on pairs of rows.
#[derive(Debug, Serialize)]
struct Evaluation {
    /// Number of rows.
    rows: usize,
    /// Number of pairs.
    pairs: usize,
    /// Recall of the partner, its median rank, and the mean of 1 / rank.
    #[serde(flatten)]
    values: BTreeMap<String, Option<f64>>,
    /// What to know before trusting the numbers.
    warnings: Vec<Warning>,
}

/// Measures a model of pairs on pairs of rows.
///
/// # Errors
/// No pairs given, rows out of range, or data whose columns are not the model's.
pub fn evaluate(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let Some(file) = &args.pairs else {
        bail!(hinted(
            "this model was learned from pairs and has no target to measure",
            format!("give pairs of rows of {} with --pairs FILE", args.source.data)
        ));
    };
    let (features, mut warnings) = question.features()?;
    let pairs = read_pairs(file, features.rows())?;
    let embedding = model.transform(&features)?;
    let ranks = PartnerRanks::of(&embedding, &pairs, None)?;
    let values = values("test", &ranks);
    let train = question.training_rows();
    let seen = train.and_then(|train| {
        training_pairs::seen(question.source.as_ref(), &train.features, &features, &pairs)
    });
    let on_others = |others: &[usize]| {
        let all: Vec<(usize, usize, f64)> = pairs.iter().collect();
        let some = others.iter().map(|&pair| all[pair]).collect();
        let some = Pairs::new(pairs.points(), some).ok()?;
        let recall = PartnerRanks::of(&embedding, &some, None).ok()?.recall(5)?;
        Some(format!("the partner is among the 5 nearest in {:.1} %", 100.0 * recall))
    };
    let seen = match seen {
        Ok(seen) => seen.warning(on_others),
        Err(reason) => {
            Some(not_checked("pair", &crate::failure::in_one_line(&reason, CommandKind::Use)))
        }
    };
    warnings.extend(about_spread(Spread::of(model.references())?, None));
    warnings.extend(seen);
    output::warn_of(&warnings);
    if args.format == Format::Json {
        let (rows, pairs) = (features.rows(), pairs.len());
        let values = values.into_iter().map(|(key, value)| (key.replace("_test", ""), value));
        let values = values.collect();
        return output::print_json(&Evaluation { rows, pairs, values, warnings });
    }
    let lines = measures("test").into_iter().map(|measure| {
        let text = measure.text(values.get(&measure.key).copied().flatten()).replace('\u{a0}', " ");
        vec![measure.label, text]
    });
    let terminal = Terminal::of_stdout();
    let head = vec!["partner".to_string(), "value".to_string()];
    let about = format!(
        "{} among {}; each asks from both ends",
        counted(pairs.len(), "pair"),
        counted(features.rows(), "row")
    );
    let table = plain_table(head, lines.collect(), terminal);
    output::print_text(&format!("{}\n{table}", wrapped(&about, terminal)))
}
