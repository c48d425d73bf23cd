//! What a run has measured so far, kept in a file after every cell.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Result;
use burn_nca_program::{Cells, Identity};
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Job};
use crate::method::Method;
use crate::sets::{Set, SetRecord};

/// The sets of a run and the cells measured on them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurements {
    /// The sets, in the order of the tables.
    pub sets: Vec<SetRecord>,
    /// The cells, in the order of the tables.
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

    /// Brings the cells to the order of the tables, whatever the order they came in.
    fn sort(&mut self) {
        let place: HashMap<String, usize> =
            self.sets.iter().enumerate().map(|(place, set)| (set.name.clone(), place)).collect();
        self.cells
            .sort_by_key(|cell| (place.get(&cell.set).copied(), cell.split, cell.method as u8));
    }
}

/// The sets of a run: it may resume with fewer or more of them and of their splits, but not with other splits.
#[derive(Serialize, Deserialize)]
struct Sets(Vec<SetRecord>);

impl Identity for Sets {
    fn refusal(&self, stored: &Self) -> Option<String> {
        self.0.iter().find_map(|now| {
            let then = stored.0.iter().find(|set| set.name == now.name)?;
            let common = now.test_row_sums.len().min(then.test_row_sums.len());
            let same_splits = now.test_row_sums[..common] == then.test_row_sums[..common];
            let same = same_splits && (now.rows, now.features) == (then.rows, then.features);
            let (name, then, now) = (&now.name, &then.splits_from, &now.splits_from);
            (!same).then(|| {
                format!("other splits of {name} (from {then}, now from {now}: see --data)")
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
        let splits: HashMap<&str, usize> =
            sets.iter().map(|set| (set.record.name.as_str(), set.splits.len())).collect();
        let wanted = |cell: &Cell| splits.get(cell.set.as_str()).is_some_and(|n| cell.split < *n);
        let records = Sets(sets.iter().map(|set| set.record.clone()).collect());
        Cells::open(file, records, wanted).map(Self)
    }

    /// Whether a job is done.
    pub fn has(&self, job: &Job<'_>) -> bool {
        self.0.done().iter().any(|cell| {
            cell.set == job.set.record.name && cell.split == job.split && cell.method == job.method
        })
    }

    /// Keeps a cell.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, cell: Cell) -> Result<()> {
        self.0.add(cell)
    }

    /// All measurements, in the order of the tables.
    pub fn into_measurements(self) -> Measurements {
        let (Sets(sets), cells) = self.0.into_parts();
        let mut measurements = Measurements { sets, cells };
        measurements.sort();
        measurements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::{Choice, load};

    fn iris(splits: usize) -> Vec<Set> {
        load(&Choice::new(&["iris".to_string()]), None, Some(splits)).unwrap()
    }

    fn cell(split: usize, method: Method) -> Cell {
        let set = "iris".to_string();
        Cell {
            set,
            split,
            method,
            dimension: 2,
            train: 1.0,
            test: 0.5,
            seconds: 0.1,
            fit: None,
            remark: None,
        }
    }

    #[test]
    fn a_run_continues_with_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cells.json");
        let sets = iris(2);
        let mut store = Store::open(file.clone(), &sets).unwrap();
        store.add(cell(1, Method::Pca)).unwrap();
        store.add(cell(0, Method::Lda)).unwrap();
        drop(store);
        let store = Store::open(file.clone(), &sets).unwrap();
        let job = |split, method| Job { set: &sets[0], split, method };
        assert!(store.has(&job(0, Method::Lda)) && !store.has(&job(0, Method::Pca)));
        let splits: Vec<usize> =
            store.into_measurements().cells.iter().map(|cell| cell.split).collect();
        assert_eq!(splits, [0, 1], "in the order of the tables");
        assert_eq!(Store::open(file, &iris(1)).unwrap().into_measurements().cells.len(), 1);
    }

    #[test]
    fn other_splits_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cells.json");
        let mut sets = iris(2);
        drop(Store::open(file.clone(), &sets).unwrap());
        sets[0].record.test_row_sums[0] += 1;
        let error = Store::open(file.clone(), &sets).err().unwrap().to_string();
        assert!(error.contains("other splits of iris") && error.contains("--data"), "{error}");
    }
}
