//! The sets and their splits.

use anyhow::Context;
use burn_nca_data::{open as open_data, read_splits};
use burn_nca_learn::data::{Labeled, Split};

use super::Arguments;

/// A set with the splits to measure on.
pub struct Set {
    pub name: String,
    pub splits: Vec<Split>,
    data: Labeled,
}

/// The rows of one split.
pub struct Part {
    pub train: Labeled,
    pub test: Labeled,
}

impl Set {
    pub fn part(&self, split: usize) -> Part {
        let split = &self.splits[split];
        Part { train: self.data.select(&split.train), test: self.data.select(&split.test) }
    }
}

pub fn open(arguments: &Arguments) -> anyhow::Result<Vec<Set>> {
    arguments.sets.iter().map(|name| open_one(name, arguments)).collect()
}

fn open_one(name: &str, arguments: &Arguments) -> anyhow::Result<Set> {
    let folder = arguments.data.display();
    let source = if name == "usps" {
        format!(
            "{folder}/usps/usps11000-images-idx3-ubyte.gz,{folder}/usps/usps11000-labels-idx1-ubyte.gz"
        )
    } else {
        format!("{folder}/{name}.csv")
    };
    let data = open_data(&source, &Default::default())?.into_labeled()?;
    let file = arguments.splits.join(format!("{name}.csv"));
    let mut splits =
        read_splits(&file, data.rows()).with_context(|| format!("the splits of {name}"))?;
    splits.truncate(arguments.most_splits);
    Ok(Set { name: name.to_string(), splits, data })
}
