//! Where the sets and their splits come from.

use std::path::Path;

use anyhow::Result;
use burn_nca_data::{CsvOptions, open, read_splits};
use burn_nca_learn::data::{Labeled, Split, stratified_split};

/// The sets of the paper for which there is a table.
const OF_THE_PAPER: [&str; 7] =
    ["iris", "wine", "balance", "ionosphere", "housing-q3", "housing-q4", "digits"];

/// Those that need no file.
const WITHOUT_A_FILE: [&str; 4] = ["iris", "wine", "balance", "digits"];

/// Large sets are split less often, as in the files of splits.
const LARGE: usize = 1000;
const SPLITS_OF_LARGE: usize = 10;

pub enum Source<'a> {
    /// A folder with tables and exact splits.
    Folder(&'a Path),
    /// Sets that need no file, split by seeds 0, 1, …
    Seeded,
}

impl<'a> Source<'a> {
    pub fn new(folder: Option<&'a Path>) -> Self {
        folder.map_or(Self::Seeded, Self::Folder)
    }

    /// What a result says of its splits.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Folder(_) => "splits of the folder",
            Self::Seeded => "seeded stratified 70/30 splits",
        }
    }

    pub fn sets(&self, wanted: Option<&[String]>) -> Vec<String> {
        let all: &[&str] = match self {
            Self::Folder(_) => &OF_THE_PAPER,
            Self::Seeded => &WITHOUT_A_FILE,
        };
        wanted.map_or_else(|| all.iter().map(ToString::to_string).collect(), <[String]>::to_vec)
    }

    /// A set and at most `most` of its splits.
    pub fn load(&self, set: &str, most: usize) -> Result<(Labeled, Vec<Split>)> {
        let Self::Folder(folder) = self else {
            let data = open(set, &CsvOptions::default())?.into_labeled()?;
            let most = if data.rows() > LARGE { most.min(SPLITS_OF_LARGE) } else { most };
            let split = |seed| stratified_split(data.labels(), 0.3, seed);
            let splits = (0..most as u64).map(split).collect::<burn_nca_learn::Result<_>>()?;
            return Ok((data, splits));
        };
        let table = folder.join(format!("{set}.csv")).display().to_string();
        let data = open(&table, &CsvOptions::default())?.into_labeled()?;
        let mut splits =
            read_splits(folder.join("splits").join(format!("{set}.csv")), data.rows())?;
        splits.truncate(most);
        Ok((data, splits))
    }
}
