//! Where the training rows of a model came from: a file next to the model, so that they can be read again.

mod columns;

pub use columns::{Columns, with_given};

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_data::{TargetColumn, TargetKind, by_name};
use burn_nca_files::{is_regular, read_regular_text};
use burn_nca_learn::data::Task;
use serde::{Deserialize, Serialize};

use crate::cli::FitArgs;
use crate::cli::parse::joined;
use crate::failure::hinted;
use crate::output::{self, short_name};

const FILE: &str = "source.json";

const STANDARD_INPUT: &str = "-";

/// The table of a fit and how its rows were chosen; a model of an earlier version has none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The bundled set, the file or the pair of files, as the fit was given it.
    pub data: String,
    pub task: Task,
    /// The column of the target; `None` for pairs and where columns have no names (bundled sets and arrays).
    pub target: Option<String>,
    pub ignored: Vec<String>,
    pub pairs: Option<PathBuf>,
    /// Which rows, or pairs, were held out.
    pub split: HeldOut,
    /// Directions that the columns were to be reduced to, where the user named their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduce: Option<usize>,
    /// What the columns were for; absent in older models.
    #[serde(default)]
    pub columns: Columns,
}

/// Whether reading this takes it from whoever writes it, or waits for one.
fn gives_rows_once(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT) || !(is_regular(path) || path.is_dir())
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    pub share: f64,
    pub seed: u64,
}

impl Source {
    pub fn of_fit(args: &FitArgs, task: Task) -> Self {
        Self {
            task,
            target: args.source.target.clone(),
            ignored: joined(&args.source.ignore),
            pairs: args.targets.pairs.clone(),
            split: HeldOut { share: args.test_size, seed: args.seed },
            reduce: args.reduce,
            columns: Columns::of_fit(args),
            data: args.source.data.clone(),
        }
    }

    /// The same with the name of the target that the reader found.
    pub fn with_target(self, target: Option<&str>) -> Self {
        // Bundled sets and pairs of arrays have no column to name.
        let exists = self.data == STANDARD_INPUT || Path::new(&self.data).exists();
        let has_names = by_name(&self.data).is_none() && exists;
        Self { target: target.filter(|_| has_names).map(String::from), ..self }
    }

    /// Refuses a table that gives its rows only once: standard input, a FIFO, what a process has open.
    ///
    /// A set, and a file that is there no more, are the reader's to open.
    pub fn check_rereadable(&self) -> Result<()> {
        let tables =
            self.data.split(',').chain([self.data.as_str()]).chain(self.columns.test.as_deref());
        let once = tables.map(Path::new).find(|table| gives_rows_once(table));
        let Some(table) = once else { return Ok(()) };
        let of_stdin = table == Path::new(STANDARD_INPUT);
        let name = if of_stdin { "standard input".into() } else { table.display().to_string() };
        bail!(hinted(
            format!("the fit read {name}, which cannot be read again"),
            "give the table of the fit with --train"
        ))
    }

    /// The file of the pairs, where it can be read again.
    pub fn rereadable_pairs(&self) -> Option<&Path> {
        self.pairs.as_deref().filter(|file| !gives_rows_once(file))
    }

    pub fn save(&self, folder: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        output::write_file(&folder.join(FILE), text.as_bytes())
    }

    /// The source of the model in `folder`; `None` for a model of an earlier version.
    pub fn of_model(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(FILE);
        let text = match read_regular_text(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let source = serde_json::from_str(&text).with_context(|| {
            format!(
                "{} does not say where the training rows came from; fit again, or remove the file",
                path.display()
            )
        })?;
        Ok(Some(source))
    }

    pub fn kind(&self) -> TargetKind {
        match self.task {
            Task::Numbers => TargetKind::Numeric,
            Task::Classes | Task::Pairs => TargetKind::Classes,
        }
    }

    pub fn target_column(&self) -> TargetColumn {
        self.target.clone().map_or(TargetColumn::Last, TargetColumn::Name)
    }

    /// `flowers.csv, target species, 30 % held out with seed 0`
    pub fn sentence(&self) -> String {
        let mut text = self.data.clone();
        if let Some(target) = &self.target {
            text.push_str(&format!(", target {}", short_name(target)));
        }
        if let Some(pairs) = &self.pairs {
            text.push_str(&format!(", pairs of {}", pairs.display()));
        }
        if !self.ignored.is_empty() {
            let ignored: Vec<String> = self.ignored.iter().map(|name| short_name(name)).collect();
            text.push_str(&format!(", without {}", ignored.join(", ")));
        }
        text.push_str(&self.columns.clause());
        let HeldOut { share, seed } = self.split;
        let split_by_hand = self.columns.split.is_some() || self.columns.test.is_some();
        if share > 0.0 && !split_by_hand {
            text.push_str(&format!(
                "; {} % held out, seed {seed}",
                (1000.0 * share).round() / 10.0
            ));
        }
        text
    }
}
