//! The paper's future work: the k of k-NN read off the entropy of p, over paired splits.

mod source;
mod summary;
mod trial;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_learn::data::Labeled;
use burn_nca_learn::objective::Criterion;
use burn_nca_program::{eprint_line, write_file};
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

use source::Source;
use trial::{RULES, Trial};

/// What is fitted on each split: both criteria, with all features and with two dimensions.
const FITS: [(Criterion, Option<usize>); 4] =
    [(Criterion::F, None), (Criterion::F, Some(2)), (Criterion::G, None), (Criterion::G, Some(2))];

#[derive(Args)]
pub struct Arguments {
    /// Folder with SET.csv and splits/SET.csv; without it, sets that need no file and seeded 70/30 splits.
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The sets [default: all of the folder that the paper used, or those that need no file].
    #[arg(long, value_delimiter = ',')]
    sets: Option<Vec<String>>,
    /// The most splits of a set.
    #[arg(long, default_value_t = 40)]
    splits: usize,
    /// The device.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// File of the results, written after each fit's splits.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep what the file holds already, and resume with the rest.
    #[arg(long, requires = "out")]
    resume: bool,
}

pub fn run(arguments: &Arguments) -> Result<Value> {
    if arguments.splits < 2 {
        bail!("--splits {}: a standard error needs 2 splits or more", arguments.splits);
    }
    let device = burn_nca_learn::device::open(&arguments.device)?;
    let source = Source::new(arguments.data.as_deref());
    let mut results = earlier(arguments)?;
    for set in source.sets(arguments.sets.as_deref()) {
        let (data, splits) = source.load(&set, arguments.splits)?;
        for (criterion, dim) in FITS {
            let dim = dim.unwrap_or(data.features().columns());
            let fit = Fit { set: &set, data: &data, criterion, dim, source: source.name() };
            if results.iter().any(|earlier| fit.is_in(earlier, splits.len())) {
                continue;
            }
            let trials: Vec<Trial> = splits
                .par_iter()
                .map(|split| trial::run(&fit, split, &device))
                .collect::<Result<_>>()?;
            eprint_line(&format!("{set}, {criterion:?}, k = {dim}: {} splits", trials.len()));
            results.push(fit.result(&trials));
            if let Some(path) = &arguments.out {
                write(path, &results)?;
            }
        }
    }
    Ok(document(&results))
}

/// One fit to be repeated on every split.
struct Fit<'a> {
    set: &'a str,
    data: &'a Labeled,
    criterion: Criterion,
    dim: usize,
    source: &'static str,
}

impl Fit<'_> {
    /// Whether `result` is that of this fit on as many splits.
    fn is_in(&self, result: &Value, splits: usize) -> bool {
        result["data"] == self.set
            && result["criterion"] == format!("{:?}", self.criterion)
            && result["dim"] == self.dim
            && result["source"] == self.source
            && result["splits"] == splits
    }

    fn result(&self, trials: &[Trial]) -> Value {
        json!({
            "data": self.set,
            "source": self.source,
            "criterion": format!("{:?}", self.criterion),
            "features": self.data.features().columns(),
            "dim": self.dim,
            "splits": trials.len(),
            "accuracy": summary::accuracies(trials),
            "minus_cross_validated": summary::differences(trials, "cross_validated"),
            "minus_nearest": summary::differences(trials, "nearest"),
            "mean_k": summary::mean_k(trials),
            "trials": trials.iter().map(Trial::to_json).collect::<Vec<_>>(),
        })
    }
}

fn document(results: &[Value]) -> Value {
    json!({ "measurement": "entropy-k", "rules": RULES, "results": results })
}

fn earlier(arguments: &Arguments) -> Result<Vec<Value>> {
    let Some(path) = arguments.out.as_deref().filter(|path| arguments.resume && path.exists())
    else {
        return Ok(Vec::new());
    };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let document: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is no result of entropy-k", path.display()))?;
    if document["rules"] != json!(RULES) {
        bail!("{} holds results of other rules; leave --resume out", path.display());
    }
    Ok(document["results"].as_array().cloned().unwrap_or_default())
}

/// Writes all results; an interruption leaves the old ones.
fn write(path: &Path, results: &[Value]) -> Result<()> {
    // One fit a line: short enough to keep, and a difference names the fit.
    let lines: Vec<String> = results.iter().map(Value::to_string).collect();
    let text = format!(
        "{{\"measurement\":\"entropy-k\",\"rules\":{},\"results\":[\n{}\n]}}\n",
        json!(RULES),
        lines.join(",\n")
    );
    write_file(path, text.as_bytes())
}
