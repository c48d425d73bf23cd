//! The results of another program on the same splits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::estimate::Mean;
use crate::method::Method;
use crate::sets::SetRecord;
use crate::store::Measurements;

/// The methods that a peer may have.
pub const METHODS: [Method; 2] = [Method::NcaSquare, Method::NcaRankTwo];

/// What another program reached, split by split.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Peer {
    /// Its name.
    pub program: String,
    /// Its version.
    pub version: String,
    sets: BTreeMap<String, PeerSet>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct PeerSet {
    test_row_sums: Vec<u64>,
    methods: BTreeMap<String, Series>,
}

/// One entry a split.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Series {
    test: Vec<f64>,
    train: Vec<f64>,
}

/// Ours and theirs on the same splits; differences are ours less theirs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The set.
    pub set: String,
    /// The method.
    pub method: Method,
    /// Their test accuracy.
    pub their_test: Mean,
    /// The difference of test accuracies.
    pub test: Mean,
    /// The difference of training accuracies, leave-one-out.
    pub train: Mean,
}

impl Peer {
    /// Reads the results of a peer.
    ///
    /// # Errors
    /// A file that cannot be read or is of another form.
    pub fn read(path: &Path) -> Result<Self> {
        let place = || format!("the peer's results {} cannot be used", path.display());
        let bytes = fs::read(path).with_context(place)?;
        serde_json::from_slice(&bytes).with_context(place)
    }

    /// Refuses results on other splits than those of the run.
    ///
    /// # Errors
    /// A set whose splits differ.
    pub fn check<'a>(&self, sets: impl IntoIterator<Item = &'a SetRecord>) -> Result<()> {
        for set in sets {
            let Some(theirs) = self.sets.get(&set.name) else { continue };
            let common = theirs.test_row_sums.len().min(set.test_row_sums.len());
            if theirs.test_row_sums[..common] != set.test_row_sums[..common] {
                bail!(
                    "{} has results on other splits of {} than these ({}); give the folder of its splits with \
                     --data, or leave --peer out",
                    self.program,
                    set.name,
                    set.splits_from
                );
            }
        }
        Ok(())
    }

    /// Pairs a method on a set; `None` where the peer has no results, or the run none.
    pub fn pair(&self, ours: &Measurements, set: &str, method: Method) -> Option<Pairing> {
        let key = serde_json::to_value(method).ok()?;
        let theirs = self.sets.get(set)?.methods.get(key.as_str()?)?;
        let cells = ours.of(set, method);
        let cells: Vec<&&Cell> =
            cells.iter().filter(|cell| cell.split < theirs.shortest()).collect();
        let read =
            |value: fn(&Cell) -> f64| cells.iter().map(|cell| value(cell)).collect::<Vec<_>>();
        let same = |all: &[f64]| cells.iter().map(|cell| all[cell.split]).collect::<Vec<_>>();
        Some(Pairing {
            set: set.to_string(),
            method,
            their_test: Mean::of(&same(&theirs.test))?,
            test: Mean::of_differences(&read(|cell| cell.test), &same(&theirs.test))?,
            train: Mean::of_differences(&read(|cell| cell.train), &same(&theirs.train))?,
        })
    }
}

impl Series {
    fn shortest(&self) -> usize {
        self.test.len().min(self.train.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::{Choice, load};

    fn peer(sums: &[u64]) -> Peer {
        let series =
            serde_json::json!({ "test": [0.8, 0.9], "train": [1.0, 1.0], "seconds": [2.0, 4.0] });
        serde_json::from_value(serde_json::json!({
            "program": "other", "version": "1",
            "sets": { "iris": { "test_row_sums": sums, "methods": { "nca-square": series } } }
        }))
        .unwrap()
    }

    fn measurements() -> Measurements {
        let sets = load(&Choice::new(&["iris".to_string()]), None, Some(2)).unwrap();
        let cell = |split, test| Cell {
            set: "iris".to_string(),
            split,
            method: Method::NcaSquare,
            dimension: 4,
            train: 1.0,
            test,
            seconds: 1.0,
            fit: None,
            remark: None,
        };
        let sets = sets.into_iter().map(|set| set.record).collect();
        Measurements { sets, cells: vec![cell(1, 0.9), cell(0, 0.9)] }
    }

    #[test]
    fn splits_are_paired_by_their_number() {
        let ours = measurements();
        let peer = peer(&ours.sets[0].test_row_sums);
        peer.check(&ours.sets).unwrap();
        let pairing = peer.pair(&ours, "iris", Method::NcaSquare).unwrap();
        assert!((pairing.test.mean - 0.05).abs() < 1e-15 && pairing.test.splits == 2);
        assert_eq!(pairing.train.mean, 0.0);
        assert_eq!(peer.pair(&ours, "iris", Method::NcaRankTwo), None);
        assert_eq!(peer.pair(&ours, "wine", Method::NcaSquare), None);
    }

    #[test]
    fn results_on_other_splits_are_refused() {
        let ours = measurements();
        let error = peer(&[1, 2]).check(&ours.sets).unwrap_err().to_string();
        assert!(error.contains("other splits of iris") && error.contains("--data"), "{error}");
        assert!(Peer::read(Path::new("/no/peer.json")).is_err());
    }
}
