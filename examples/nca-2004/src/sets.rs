//! The sets of figure 1: where their rows and splits come from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_data::{CsvOptions, by_name, open, read_splits};
use burn_nca_learn::data::{Labeled, Split, stratified_split};
use serde::{Deserialize, Serialize};

/// The share of rows that the paper holds out.
const TEST_SHARE: f64 = 0.3;

/// A set of figure 1 as the protocol has it.
struct Plan {
    name: &'static str,
    splits: usize,
    max_iterations: usize,
}

const fn plan(name: &'static str, splits: usize, max_iterations: usize) -> Plan {
    Plan { name, splits, max_iterations }
}

/// In the order of the paper.
const PLANS: [Plan; 8] = [
    plan("balance", 40, 200),
    plan("ionosphere", 40, 200),
    plan("iris", 40, 200),
    plan("wine", 40, 200),
    plan("housing-q3", 40, 200),
    plan("housing-q4", 40, 200),
    plan("digits", 10, 100),
    plan("usps", 10, 50),
];

/// The sets of figure 2 that figure 1 does not have.
const PICTURES_ONLY: [&str; 3] = ["rings", "faces", "usps-1-5"];

/// What identifies a set and its splits, for the report and for a run that continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetRecord {
    /// Its name.
    pub name: String,
    /// Where the rows come from.
    pub source: String,
    /// Where the splits come from.
    pub splits_from: String,
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub features: usize,
    /// Number of classes.
    pub classes: usize,
    /// Rows that a split trains on.
    pub train_rows: usize,
    /// Rows that a split tests on.
    pub test_rows: usize,
    /// The most iterations of a fit of NCA.
    pub max_iterations: usize,
    /// For each split the sum of its test rows' numbers, counted from 0: two programs that agree in them have
    /// the same splits.
    pub test_row_sums: Vec<u64>,
}

/// A set with its rows and splits.
pub struct Set {
    /// What it is.
    pub record: SetRecord,
    /// The rows.
    pub data: Labeled,
    /// The splits.
    pub splits: Vec<Split>,
}

/// The name of a set of figure 1 or 2, as the user writes it.
///
/// # Errors
/// A name that no set has, with the names that there are.
pub fn known_name(text: &str) -> Result<String, String> {
    let known: Vec<&str> = PLANS.iter().map(|plan| plan.name).chain(PICTURES_ONLY).collect();
    if known.contains(&text) {
        return Ok(text.to_string());
    }
    Err(format!("no set of the experiment has this name; choose among {}", known.join(", ")))
}

/// Whether a set was asked for, and whether by its name.
pub struct Choice<'a> {
    names: &'a [String],
}

impl<'a> Choice<'a> {
    /// The choice of these names; all sets where there is none.
    pub fn new(names: &'a [String]) -> Self {
        Self { names }
    }

    /// Whether this set takes part.
    pub fn includes(&self, name: &str) -> bool {
        self.names.is_empty() || self.is_named(name)
    }

    /// Whether the user asked for this very set.
    pub fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|chosen| chosen == name)
    }
}

/// The chosen sets of figure 1, those without their files left out with a warning.
///
/// # Errors
/// A set asked for by name whose file is missing, or files that cannot be used.
pub fn load(choice: &Choice<'_>, data: Option<&Path>, splits: Option<usize>) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    for plan in PLANS.iter().filter(|plan| choice.includes(plan.name)) {
        if let Some((rows, source)) = rows(plan.name, data, choice.is_named(plan.name))? {
            let count = splits.map_or(plan.splits, |most| most.min(plan.splits));
            sets.push(with_splits(plan, rows, source, (data, count))?);
        }
    }
    Ok(sets)
}

/// The rows of a set of figure 1 and where they come from; `None` without its file.
///
/// # Errors
/// A set that `required` asks for and whose file is missing, or a file that cannot be used.
pub fn rows(name: &str, data: Option<&Path>, required: bool) -> Result<Option<(Labeled, String)>> {
    if let Some(set) = by_name(name) {
        return Ok(Some((set.load(), "built in".to_string())));
    }
    let words = match name {
        "usps" => "usps/usps11000-images-idx3-ubyte.gz,usps/usps11000-labels-idx1-ubyte.gz",
        "faces" => "faces/olivetti-images-idx3-ubyte.gz,faces/olivetti-labels-idx1-ubyte.gz",
        _ => &format!("{name}.csv"),
    };
    let Some(folder) = data else {
        if required {
            bail!("the set {name} is not bundled; give the folder that holds {words} with --data");
        }
        return Ok(None);
    };
    let paths: Vec<PathBuf> = words.split(',').map(|part| folder.join(part)).collect();
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        let message = format!("the set {name} is left out: {} is not there", missing.display());
        if required {
            bail!("{message}; give the folder that holds it with --data");
        }
        burn_nca_program::eprint_line(&format!("warning: {message}"));
        return Ok(None);
    }
    let source = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(",");
    let rows = open(&source, &CsvOptions::default())?.into_labeled()?;
    Ok(Some((rows, words.to_string())))
}

fn with_splits(
    plan: &Plan,
    data: Labeled,
    source: String,
    (folder, count): (Option<&Path>, usize),
) -> Result<Set> {
    let file = folder.map(|folder| folder.join(format!("splits/{}.csv", plan.name)));
    let (splits, splits_from) = match file.filter(|file| file.exists()) {
        Some(file) => {
            let mut splits = read_splits(&file, data.rows())?;
            splits.truncate(count);
            (splits, format!("splits/{}.csv", plan.name))
        }
        None => {
            let seeds = 0..count as u64;
            let splits = seeds.map(|seed| stratified_split(data.labels(), TEST_SHARE, seed));
            (
                splits.collect::<burn_nca_learn::Result<_>>()?,
                "stratified 70/30, seeds from 0".to_string(),
            )
        }
    };
    let first = splits.first().with_context(|| format!("the set {} has no split", plan.name))?;
    let record = SetRecord {
        name: plan.name.to_string(),
        source,
        splits_from,
        rows: data.rows(),
        features: data.features().columns(),
        classes: data.classes(),
        train_rows: first.train.len(),
        test_rows: first.test.len(),
        max_iterations: plan.max_iterations,
        test_row_sums: splits.iter().map(test_row_sum).collect(),
    };
    Ok(Set { record, data, splits })
}

fn test_row_sum(split: &Split) -> u64 {
    split.test.iter().map(|row| *row as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_files_the_sets_that_need_none_have_seeded_splits() {
        let sets = load(&Choice::new(&[]), None, Some(2)).unwrap();
        let names: Vec<&str> = sets.iter().map(|set| set.record.name.as_str()).collect();
        assert_eq!(names, ["balance", "iris", "wine", "digits"]);
        assert!(sets.iter().all(|set| set.splits.len() == 2));
        assert_eq!((sets[1].record.train_rows, sets[1].record.test_rows), (105, 45));
        assert!(sets[1].record.splits_from.starts_with("stratified"));
    }

    #[test]
    fn a_missing_set_is_refused_only_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let error = rows("ionosphere", Some(folder.path()), true).unwrap_err().to_string();
        assert!(error.contains("ionosphere.csv is not there; give the folder"), "{error}");
        assert!(rows("ionosphere", Some(folder.path()), false).unwrap().is_none());
        let error = rows("usps", None, true).unwrap_err().to_string();
        assert!(error.contains("is not bundled") && error.contains("--data"), "{error}");
        let error = known_name("irsi").unwrap_err();
        assert!(error.contains("choose among balance"), "{error}");
    }

    #[test]
    fn splits_of_a_folder_come_first() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("splits")).unwrap();
        let marks: String =
            (0..150).map(|row| if row % 3 == 0 { "2,0\n" } else { "1,1\n" }).collect();
        let text = format!("a,b\n{marks}2,2\n").replacen("1,1\n", "1,2\n", 1);
        std::fs::write(folder.path().join("splits/iris.csv"), text.trim_end_matches("2,2\n"))
            .unwrap();
        let names = ["iris".to_string()];
        let choice = Choice::new(&names);
        let sets = load(&choice, Some(folder.path()), Some(1)).unwrap();
        assert_eq!(sets[0].record.splits_from, "splits/iris.csv");
        assert_eq!(sets[0].record.test_row_sums, [(0..150).step_by(3).sum::<u64>()]);
    }
}
