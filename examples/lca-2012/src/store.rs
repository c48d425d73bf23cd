//! What a run has measured so far, kept in a file after every cell.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use burn_nca_program::write_file;
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

/// The measurements and their file.
pub struct Store {
    measurements: Measurements,
    file: PathBuf,
}

impl Store {
    /// A store for these sets; with what the file holds of them, where there is one.
    ///
    /// # Errors
    /// A file that cannot be read or written, or that was made with other rows or splits.
    pub fn open(file: PathBuf, sets: &[Set]) -> Result<Self> {
        let records = sets.iter().map(|set| set.record.clone()).collect();
        let mut measurements = Measurements { sets: records, cells: Vec::new() };
        if file.exists() {
            let place = || format!("{} cannot be gone on with", file.display());
            let earlier: Measurements =
                serde_json::from_slice(&fs::read(&file).with_context(place)?)
                    .with_context(place)?;
            for set in &measurements.sets {
                refuse_others(set, &earlier.sets)?;
            }
            let splits = |name: &str| {
                let set = measurements.sets.iter().find(|set| set.name == name);
                set.map_or(0, |set| set.test_row_sums.len())
            };
            let cells = earlier.cells.into_iter().filter(|cell| cell.split < splits(&cell.set));
            measurements.cells = cells.collect();
        }
        let store = Self { measurements, file };
        store.write()?;
        Ok(store)
    }

    /// Whether a cell is measured.
    pub fn has(&self, set: &str, split: usize, method: Method) -> bool {
        self.measurements
            .cells
            .iter()
            .any(|cell| cell.set == set && cell.split == split && cell.method == method)
    }

    /// Keeps a cell.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, cell: Cell) -> Result<()> {
        self.measurements.cells.push(cell);
        self.write()
    }

    /// All measurements.
    pub fn into_measurements(self) -> Measurements {
        self.measurements
    }

    fn write(&self) -> Result<()> {
        write_file(&self.file, &serde_json::to_vec(&self.measurements)?)
    }
}

/// A run may resume with fewer or more splits, but not with others.
fn refuse_others(now: &SetRecord, earlier: &[SetRecord]) -> Result<()> {
    let Some(then) = earlier.iter().find(|set| set.name == now.name) else { return Ok(()) };
    let common = now.test_row_sums.len().min(then.test_row_sums.len());
    let same = now.test_row_sums[..common] == then.test_row_sums[..common];
    if !same || (now.rows, now.train_rows) != (then.rows, then.train_rows) {
        bail!(
            "the interrupted run had other rows or splits of {} (from {}, now from {}); give the same --data and \
             --rows, or start anew in another folder",
            now.name,
            then.splits_from,
            now.splits_from
        );
    }
    Ok(())
}
