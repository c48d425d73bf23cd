//! The table that the page is given, read as `nca fit` reads it.

use burn_nca_data::{
    CsvOptions, RawOptions, Table as Numbers, Target, TargetColumn, TargetKind, by_name, parse_csv,
    parse_raw,
};
use burn_nca_learn::data::{
    Categorical, Labeled, Missing, Preparation, PreparationConfig, RawColumn, RawTable, Split,
    stratified_split,
};
use burn_nca_learn::{Error, Result};
use serde::{Deserialize, Serialize};

/// How a CSV file is read: the options of `nca fit` of these names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Reading {
    /// The column of the classes; the last one without.
    pub target: Option<String>,
    /// Columns that are left out, by name or pattern.
    pub ignore: Vec<String>,
    /// What is done about missing values.
    pub missing: Missing,
    /// Whether each text column becomes features of 0 and 1 (`--categorical auto`).
    pub categorical: bool,
}

/// A table of classes, before it is split.
#[derive(Clone, Debug)]
pub enum Table {
    /// Features that are numbers.
    Numbers(Labeled),
    /// Columns with text or missing values, which are prepared by what the training rows hold.
    Raw(RawRows),
}

/// The rows that have a class, as they were read.
#[derive(Clone, Debug)]
pub struct RawRows {
    columns: RawTable,
    target_name: String,
    labels: Vec<usize>,
    class_names: Vec<String>,
    /// Which rows of the file these are.
    rows: Vec<usize>,
    config: PreparationConfig,
}

/// A table that is ready for a fit.
#[derive(Clone, Debug)]
pub struct PreparedData {
    /// The rows that take part.
    pub data: Labeled,
    /// Which of them are learned from, and which are held out.
    pub split: Split,
    /// Which rows of the file they are, from 0.
    pub rows: Vec<usize>,
    /// How raw columns became features.
    pub preparation: Option<Preparation>,
    /// What was done to the table, a sentence each.
    pub remarks: Vec<String>,
}

/// Reads the text of a CSV file that was dropped on the page, or a bundled set where `bytes` is `None`.
///
/// # Errors
/// As [`parse_csv`] and [`parse_raw`]; a target whose numbers are no classes; no such bundled set.
pub fn open(name: &str, bytes: Option<&[u8]>, reading: &Reading) -> Result<Table> {
    let Some(bytes) = bytes else {
        let set = by_name(name).ok_or_else(|| {
            Error::setting(format!("there is no bundled set {name:?}; drop a CSV file instead"))
        })?;
        return Ok(Table::Numbers(set.load()));
    };
    let target = reading.target.clone().map_or(TargetColumn::Last, TargetColumn::Name);
    if reading.missing != Missing::Refuse || reading.categorical {
        return raw(name, bytes, target, reading).map(Table::Raw);
    }
    let options = CsvOptions { target, ignore: reading.ignore.clone(), ..CsvOptions::default() };
    classes(parse_csv(name, bytes, &options)?).map(Table::Numbers)
}

fn raw(name: &str, bytes: &[u8], target: TargetColumn, reading: &Reading) -> Result<RawRows> {
    let options = RawOptions {
        target: Some((target, TargetKind::Classes)),
        ignore: reading.ignore.clone(),
        ..RawOptions::default()
    };
    let mut columns = parse_raw(name, bytes, &options)?;
    let target_name = columns.columns().last().map_or("", RawColumn::name).to_string();
    let target = columns.take(&target_name).map(|column| Target::of_text(&column.into_text()));
    let (rows, labels, class_names) = match target {
        Some((rows, Target::Classes { labels, names })) if !rows.is_empty() => {
            (rows, labels, names)
        }
        _ => {
            return Err(Error::data(format!(
                "{name}: no row has a class in column {target_name:?}; write the class of some rows"
            )));
        }
    };
    let categorical = if reading.categorical { Categorical::Auto } else { Categorical::None };
    let config =
        PreparationConfig { missing: reading.missing, categorical, ..PreparationConfig::default() };
    Ok(RawRows { columns: columns.select(&rows), target_name, labels, class_names, rows, config })
}

/// The rows with their classes.
fn classes(table: Numbers) -> Result<Labeled> {
    if let Some(number) = table.fractional_class() {
        return Err(Error::data(format!(
            "the target \"{}\" holds numbers such as {number}, which are no classes; choose a column of classes",
            table.target_name
        )));
    }
    table.into_labeled()
}

impl Table {
    /// Holds out a share of each class, and prepares the columns by the rows that are learned from.
    ///
    /// # Errors
    /// A share out of range, or columns that cannot be prepared.
    pub fn ready(&self, test_size: f64, seed: u64) -> Result<PreparedData> {
        match self {
            Self::Numbers(data) => Ok(PreparedData {
                split: stratified_split(data.labels(), test_size, seed)?,
                rows: (0..data.rows()).collect(),
                data: data.clone(),
                preparation: None,
                remarks: Vec::new(),
            }),
            Self::Raw(raw) => raw.ready(test_size, seed),
        }
    }
}

impl RawRows {
    fn ready(&self, test_size: f64, seed: u64) -> Result<PreparedData> {
        let split = stratified_split(&self.labels, test_size, seed)?;
        let preparation = self.config.fit(&self.columns, &split.train)?;
        let prepared = preparation.apply(&self.columns)?;
        let kept = prepared.rows;
        let renumbered = |part: &[usize]| -> Vec<usize> {
            part.iter().filter_map(|row| kept.binary_search(row).ok()).collect()
        };
        let target = Target::Classes {
            labels: kept.iter().map(|&row| self.labels[row]).collect(),
            names: self.class_names.clone(),
        };
        let table = Numbers {
            features: prepared.features,
            target_name: self.target_name.clone(),
            target,
            without_class: None,
            notes: Vec::new(),
        };
        Ok(PreparedData {
            data: classes(table)?,
            split: Split { train: renumbered(&split.train), test: renumbered(&split.test) },
            rows: kept.iter().map(|&row| self.rows[row]).collect(),
            remarks: preparation.sentences().into_iter().chain(prepared.remarks).collect(),
            preparation: Some(preparation),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "size,color,note,kind\n1,red,a,x\n2,,b,y\nNA,blue,c,x\n4,red,d,y\n5,blue,e,\n6,red,f,x\n";

    fn reading(missing: Missing) -> Reading {
        Reading { missing, categorical: true, ignore: vec!["note".into()], target: None }
    }

    #[test]
    fn holes_are_filled_and_text_becomes_features() {
        let table = open("t.csv", Some(TEXT.as_bytes()), &reading(Missing::Mean)).unwrap();
        let ready = table.ready(0.0, 0).unwrap();
        assert_eq!(ready.rows, [0, 1, 2, 3, 5], "the fifth row has no class");
        assert_eq!(ready.data.features().row(2)[0], 3.25, "the mean of 1, 2, 4 and 6");
        assert_eq!(ready.data.class_names(), ["x", "y"]);
        assert!(ready.data.features().names()[1].contains("color"));
        assert!(!ready.remarks.is_empty() && ready.preparation.is_some());
    }

    #[test]
    fn rows_with_missing_values_are_left_out_and_the_others_keep_their_number() {
        let table = open("t.csv", Some(TEXT.as_bytes()), &reading(Missing::Drop)).unwrap();
        let ready = table.ready(0.0, 0).unwrap();
        assert_eq!(ready.rows, [0, 3, 5]);
        assert_eq!(ready.split.train, [0, 1, 2]);
    }

    #[test]
    fn text_and_holes_are_refused_unless_something_is_to_be_done_about_them() {
        let refused = |reading: &Reading| {
            open("t.csv", Some(TEXT.as_bytes()), reading)
                .and_then(|table| table.ready(0.0, 0))
                .unwrap_err()
                .to_string()
        };
        let color = refused(&Reading { ignore: vec!["note".into()], ..Reading::default() });
        assert!(color.contains("color") && color.contains("red"), "{color}");
        let missing = refused(&Reading { categorical: true, ..Reading::default() });
        assert!(missing.contains("lack a value"), "{missing}");
    }
}
