//! What a run has measured so far, kept in a file after every cell.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use burn_nca_program::{Cells, Identity};
use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::method::Method;
use crate::sets::{Set, SetRecord};

/// The sets of a run and the cells measured on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurements {
    /// The sets, in the order of the table.
    pub sets: Vec<SetRecord>,
    /// The cells.
    pub cells: Vec<Cell>,
}

impl Measurements {
    /// The cells of a set and a method, by split.
    pub fn of(&self, set: &str, method: Method) -> Vec<&Cell> {
        let wanted = |cell: &&Cell| cell.set == set && cell.method == method;
        let mut cells: Vec<&Cell> = self.cells.iter().filter(wanted).collect();
        cells.sort_by_key(|cell| cell.split);
        cells
    }
}

/// The sets of a run: it may resume with fewer or more of them and of their splits, but not with other rows or splits.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sets(Vec<SetRecord>);

impl Sets {
    /// The records of these sets.
    pub fn of(sets: &[Set]) -> Self {
        Self(sets.iter().map(|set| set.record.clone()).collect())
    }
}

impl Identity for Sets {
    fn refusal(&self, stored: &Self) -> Option<String> {
        self.0.iter().find_map(|now| {
            let then = stored.0.iter().find(|set| set.name == now.name)?;
            let common = now.test_row_sums.len().min(then.test_row_sums.len());
            let same_splits = now.test_row_sums[..common] == then.test_row_sums[..common];
            let same = same_splits && (now.rows, now.train_rows) == (then.rows, then.train_rows);
            let (name, then, now) = (&now.name, &then.splits_from, &now.splits_from);
            (!same).then(|| {
                format!("other rows or splits of {name} (from {then}, now from {now}: see --data and --rows)")
            })
        })
    }
}

/// The measurements and their file.
pub struct Store(Cells<Sets, Cell>);

impl Store {
    /// A store for these sets; with what the file holds of them, where there is one.
    ///
    /// # Errors
    /// A file that cannot be read or written, or that was made with other rows or splits.
    pub fn open(file: PathBuf, sets: &[Set]) -> Result<Self> {
        let splits: HashMap<&str, usize> = sets
            .iter()
            .map(|set| (set.record.name.as_str(), set.record.test_row_sums.len()))
            .collect();
        let wanted = |cell: &Cell| splits.get(cell.set.as_str()).is_some_and(|n| cell.split < *n);
        Cells::open(file, Sets::of(sets), wanted).map(Self)
    }

    /// Whether a cell is measured.
    pub fn has(&self, set: &str, split: usize, method: Method) -> bool {
        let wanted =
            |cell: &Cell| (cell.set.as_str(), cell.split, cell.method) == (set, split, method);
        self.0.done().iter().any(wanted)
    }

    /// Keeps a cell.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, cell: Cell) -> Result<()> {
        self.0.add(cell)
    }

    /// All measurements.
    pub fn into_measurements(self) -> Measurements {
        let (Sets(sets), cells) = self.0.into_parts();
        Measurements { sets, cells }
    }
}
