//! The sets: where their rows and splits come from.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use burn_nca_data::{
    CsvOptions, Header, TextFormat, by_name, open, read_csv, read_matrix_market, read_splits,
};
use burn_nca_learn::data::{
    Features, Labeled, SparseFeatures, Split, random_split, stratified_split,
};
use serde::{Deserialize, Serialize};

use crate::deslant::deslanted;
use crate::paper::{PLANS, Plan};

/// Splits of a set where the user names no number.
const SPLITS: usize = 10;

/// The share of rows that is held out where the paper gives no number.
const TEST_SHARE: f64 = 0.3;

/// The rows of a set.
pub enum Rows {
    /// Every value is there.
    Dense(Features),
    /// Most values are 0.
    Sparse(SparseFeatures),
}

impl Rows {
    fn shape(&self) -> [usize; 2] {
        match self {
            Self::Dense(rows) => [rows.rows(), rows.columns()],
            Self::Sparse(rows) => [rows.rows(), rows.columns()],
        }
    }
}

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
    /// Rows that a split learns from.
    pub train_rows: usize,
    /// Rows that a split tests on.
    pub test_rows: usize,
    /// For each split the sum of its test rows' numbers, counted from 0.
    pub test_row_sums: Vec<u64>,
}

/// A set with its rows and splits.
pub struct Set {
    /// How the paper has it.
    pub plan: &'static Plan,
    /// What it is.
    pub record: SetRecord,
    /// The rows.
    pub rows: Rows,
    /// The class of each row.
    pub labels: Vec<usize>,
    /// The splits.
    pub splits: Vec<Split>,
}

/// What limits a run.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Splits of a set.
    pub splits: Option<usize>,
    /// Rows that a split learns from.
    pub rows: Option<usize>,
}

/// A table as it was read: rows, classes, source, and the one split that it comes with.
struct Read {
    rows: Rows,
    labels: Vec<usize>,
    source: String,
    own_split: Option<Split>,
}

/// The sets of these names (all where there is none), those without their files left out with a warning.
///
/// # Errors
/// A set asked for by name whose file is missing, or files that cannot be used.
pub fn load(names: &[String], data: Option<&Path>, limits: Limits) -> Result<Vec<Set>> {
    let named = |plan: &Plan| names.iter().any(|name| name == plan.name);
    let mut sets = Vec::new();
    for plan in PLANS.iter().filter(|plan| names.is_empty() || named(plan)) {
        let read =
            read(plan, data).with_context(|| format!("the set {} cannot be read", plan.name))?;
        match read {
            Ok(read) => sets.push(with_splits(plan, read, data, limits)?),
            Err(missing) if named(plan) => {
                bail!(
                    "{missing} is not there, which the set {} is in; give its folder with --data",
                    plan.name
                )
            }
            Err(missing) if data.is_some() => burn_nca_program::eprint_line(&format!(
                "warning: the set {} is left out: {missing} is not there",
                plan.name
            )),
            Err(_) => {}
        }
    }
    if sets.is_empty() {
        bail!("there is no set to measure; give the folder that holds them with --data");
    }
    Ok(sets)
}

/// The rows of a set, or the file that is missing.
fn read(plan: &Plan, data: Option<&Path>) -> Result<Result<Read, String>> {
    if let Some(set) = by_name(plan.name) {
        let (data, source) = (set.load(), "built in".to_string());
        return Ok(Ok(of_labeled(&data, source)));
    }
    let files: Vec<String> = match plan.name {
        "mnist" => {
            ["train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"]
                .map(|name| format!("mnist/{name}-ubyte.gz"))
                .to_vec()
        }
        "bbc" | "classic4" => {
            vec![format!("text/{}.mtx.gz", plan.name), format!("text/{}-labels.csv", plan.name)]
        }
        "isolet" => ["isolet1+2+3+4.data", "isolet5.data"].map(String::from).to_vec(),
        name => vec![format!("{name}.csv")],
    };
    let Some(folder) = data else { return Ok(Err(files[0].clone())) };
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Ok(Err(missing.display().to_string()));
    }
    let source = files.join(", ");
    let word = |at: usize| paths[at].display().to_string();
    let labeled =
        |word: &str| -> Result<Labeled> { Ok(open(word, &CsvOptions::default())?.into_labeled()?) };
    Ok(Ok(match plan.name {
        "mnist" => {
            let [train, test] =
                [(0, 1), (2, 3)].map(|(x, y)| labeled(&format!("{},{}", word(x), word(y))));
            let read = stacked(&train?, &test?, source)?;
            upright(read, 28)?
        }
        "bbc" | "classic4" => {
            let counts = read_matrix_market(&paths[0])?;
            let labels = read_csv(&paths[1], &CsvOptions::default());
            let labels = labels.and_then(|table| table.into_labeled());
            let labels = match labels {
                Ok(labels) => labels.labels().to_vec(),
                // A single column is all target, and no feature.
                Err(_) => single_column(&paths[1])?,
            };
            let rows = if plan.name == "classic4" { tf_idf(&counts)? } else { counts };
            Read { rows: Rows::Sparse(rows), labels, source, own_split: None }
        }
        "isolet" => {
            let format = TextFormat { header: Header::No, ..TextFormat::default() };
            let options = CsvOptions { format, ..CsvOptions::default() };
            let labeled = |at: usize| -> Result<Labeled> {
                Ok(read_csv(&paths[at], &options)?.into_labeled()?)
            };
            stacked(&labeled(0)?, &labeled(1)?, source)?
        }
        _ => of_labeled(&labeled(&word(0))?, source),
    }))
}

fn of_labeled(data: &Labeled, source: String) -> Read {
    let (rows, labels) = (Rows::Dense(data.features().clone()), data.labels().to_vec());
    Read { rows, labels, source, own_split: None }
}

/// Word counts weighted by the rarity of the word among the n documents, `c_w ln(n / n_w)`, each row of length 1.
fn tf_idf(counts: &SparseFeatures) -> Result<SparseFeatures> {
    let n = counts.rows();
    let mut documents = vec![0.0; counts.columns()];
    (0..n).flat_map(|row| counts.row(row)).for_each(|(word, _)| documents[word] += 1.0);
    let weighted = |(word, count): (usize, f64)| (word, count * (n as f64 / documents[word]).ln());
    let entries = (0..n)
        .flat_map(|row| counts.row(row).map(weighted).map(move |(word, value)| (row, word, value)));
    Ok(SparseFeatures::new([n, counts.columns()], entries.collect())?.with_unit_rows())
}

/// Classes in a file of one column of whole numbers under a header.
fn single_column(path: &Path) -> Result<Vec<usize>> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let label = |(at, line): (usize, &str)| {
        let class = line.rsplit(',').next().unwrap_or(line).trim();
        class.parse().with_context(|| {
            format!("{}, row {}: {class:?} is no class; give whole numbers", path.display(), at + 1)
        })
    };
    lines.enumerate().map(label).collect()
}

/// Training rows and the test rows after them.
fn stacked(train: &Labeled, test: &Labeled, source: String) -> Result<Read> {
    let values = [train.features().values(), test.features().values()].concat();
    let rows = Features::new(values, train.features().names().to_vec())?;
    let split = Split {
        train: (0..train.rows()).collect(),
        test: (train.rows()..train.rows() + test.rows()).collect(),
    };
    let labels = [train.labels(), test.labels()].concat();
    Ok(Read { rows: Rows::Dense(rows), labels, source, own_split: Some(split) })
}

fn upright(read: Read, width: usize) -> Result<Read> {
    let Rows::Dense(rows) = &read.rows else { return Ok(read) };
    let size = rows.columns();
    let pixels = rows.values().chunks_exact(size).flat_map(|image| deslanted(image, width));
    let rows = Features::new(pixels.collect(), rows.names().to_vec())?;
    Ok(Read { rows: Rows::Dense(rows), ..read })
}

fn with_splits(
    plan: &'static Plan,
    read: Read,
    folder: Option<&Path>,
    limits: Limits,
) -> Result<Set> {
    let Read { rows, labels, source, own_split } = read;
    let [n, features] = rows.shape();
    if labels.len() != n {
        bail!("{source}: {n} rows and {} classes; give the files of one set", labels.len());
    }
    let count = limits.splits.unwrap_or(SPLITS);
    let file = folder.map(|folder| folder.join(format!("splits/{}.csv", plan.name)));
    let (mut splits, splits_from) = match (own_split, file.filter(|file| file.exists())) {
        (Some(split), _) => (vec![split], "the files' own".to_string()),
        (None, Some(file)) => {
            let mut splits = read_splits(&file, n)?;
            splits.truncate(count);
            (splits, format!("splits/{}.csv", plan.name))
        }
        (None, None) => {
            let splits: Result<Vec<Split>> =
                (0..count as u64).map(|seed| seeded(plan, &labels, seed)).collect();
            (splits?, "stratified, seeds from 0".to_string())
        }
    };
    if let Some(most) = limits.rows {
        for split in splits.iter_mut().filter(|split| split.train.len() > most) {
            // Not evenly spaced ones: MNIST's training images come from two groups of writers by turns.
            let n = split.train.len();
            let drawn = random_split(n, (n - most) as f64 / n as f64, 0)?.train;
            split.train = drawn.into_iter().map(|at| split.train[at]).collect();
        }
    }
    let first = splits.first().with_context(|| format!("the set {} has no split", plan.name))?;
    let record = SetRecord {
        name: plan.name.to_string(),
        source,
        splits_from,
        rows: n,
        features,
        classes: labels.iter().max().map_or(0, |label| label + 1),
        train_rows: first.train.len(),
        test_rows: first.test.len(),
        test_row_sums: splits.iter().map(|s| s.test.iter().map(|row| *row as u64).sum()).collect(),
    };
    Ok(Set { plan, record, rows, labels, splits })
}

fn seeded(plan: &Plan, labels: &[usize], seed: u64) -> Result<Split> {
    let n = labels.len();
    let mut split = match plan.train_rows {
        Some(train) => {
            if train >= n {
                bail!(
                    "the set {} has {n} rows, of which {train} are learned from; give all its rows",
                    plan.name
                );
            }
            let split = stratified_split(labels, 1.0 - train as f64 / n as f64, seed);
            split.or_else(|_| random_split(n, 1.0 - train as f64 / n as f64, seed))?
        }
        None => {
            stratified_split(labels, if plan.name == "classic4" { 0.4 } else { TEST_SHARE }, seed)?
        }
    };
    if plan.name == "classic4" {
        // 20 % to choose settings by, which nothing here does.
        split.test = thinned(&split.test, split.test.len() / 2);
    }
    Ok(split)
}

/// At most so many of the rows, evenly spaced.
fn thinned(rows: &[usize], most: usize) -> Vec<usize> {
    let count = most.min(rows.len());
    (0..count).map(|at| rows[at * rows.len() / count]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::plan;

    #[test]
    fn without_files_there_are_balance_and_iris() {
        let sets = load(&[], None, Limits { splits: Some(2), rows: Some(50) }).unwrap();
        let names: Vec<&str> = sets.iter().map(|set| set.record.name.as_str()).collect();
        assert_eq!(names, ["balance", "iris"]);
        assert!(sets.iter().all(|set| set.splits.len() == 2 && set.record.train_rows == 50));
        let limits = Limits { splits: None, rows: None };
        let error = load(&["segment".to_string()], None, limits).err().unwrap().to_string();
        assert!(error.contains("segment.csv is not there") && error.contains("--data"), "{error}");
    }

    #[test]
    fn words_of_all_documents_have_no_weight_and_rare_ones_most() {
        let counts =
            vec![(0, 0, 2.0), (0, 1, 1.0), (0, 2, 1.0), (1, 0, 1.0), (1, 1, 4.0), (2, 0, 1.0)];
        let rows = tf_idf(&SparseFeatures::new([3, 3], counts).unwrap()).unwrap();
        let (two, one) = (1.5_f64.ln(), 3.0_f64.ln());
        let first: Vec<f64> = rows.row(0).map(|entry| entry.1).collect();
        let length = two.hypot(one);
        assert_eq!(first[0], 0.0);
        assert!((first[1] - two / length).abs() < 1e-15 && (first[2] - one / length).abs() < 1e-15);
        assert!(
            rows.row(1).any(|entry| entry == (1, 1.0)) && rows.row(2).all(|entry| entry.1 == 0.0)
        );
    }

    #[test]
    fn isolet_is_read_as_its_files_have_it() {
        let folder = tempfile::tempdir().unwrap();
        let rows = ["0.5, -1.0000, 1.\n-0.5, 0.25, 2.\n", "1.0, 0.0, 2.\n"];
        for (name, rows) in ["isolet1+2+3+4.data", "isolet5.data"].iter().zip(rows) {
            std::fs::write(folder.path().join(name), rows).unwrap();
        }
        let read = read(plan("isolet").unwrap(), Some(folder.path())).unwrap().unwrap();
        let (split, Rows::Dense(rows)) = (read.own_split.unwrap(), read.rows) else {
            panic!("the rows are sparse")
        };
        assert_eq!((split.train, split.test), (vec![0, 1], vec![2]));
        assert_eq!((rows.values()[1], read.labels.len()), (-1.0, 3));
    }
}
