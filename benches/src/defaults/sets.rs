//! The tables of the measurement: KEEL's with their own folds, the paper's with the splits of others.

use std::path::Path;

use anyhow::Context;
use burn_nca_data::{CsvOptions, TargetColumn, open, read_splits};
use burn_nca_learn::data::{Labeled, Split};

/// A table with the splits to measure on.
pub struct Set {
    pub name: String,
    pub splits: Vec<Split>,
    data: Labeled,
}

impl Set {
    /// Training and test rows of a split.
    pub fn part(&self, split: usize) -> [Labeled; 2] {
        let split = &self.splits[split];
        [self.data.select(&split.train), self.data.select(&split.test)]
    }
}

/// Opens `DIR/keel/NAME.csv` with its column of folds, or `DIR/NAME.csv` with `DIR/splits/NAME.csv`.
pub fn open_set(folder: &Path, name: &str, most: usize) -> anyhow::Result<Set> {
    let keel = folder.join("keel").join(format!("{name}.csv"));
    let (data, mut splits) = if keel.exists() {
        let column = |target: &str, ignored: &str| {
            let options = CsvOptions {
                target: TargetColumn::Name(target.to_string()),
                ignore: vec![ignored.to_string()],
                ..CsvOptions::default()
            };
            anyhow::Ok(open(&keel.display().to_string(), &options)?.into_labeled()?)
        };
        let data = column("label", "fold")?;
        let folds = column("fold", "label")?;
        let split = |fold| {
            let (test, train) = (0..data.rows()).partition(|&row| folds.labels()[row] == fold);
            Split { train, test }
        };
        let splits = (0..folds.classes()).map(split).collect();
        (data, splits)
    } else {
        let path = folder.join(format!("{name}.csv"));
        let data = open(&path.display().to_string(), &CsvOptions::default())?.into_labeled()?;
        let splits = read_splits(folder.join("splits").join(format!("{name}.csv")), data.rows())
            .with_context(|| format!("the splits of {name}"))?;
        (data, splits)
    };
    splits.truncate(most);
    Ok(Set { name: name.to_string(), splits, data })
}
