//! `results.json`: everything that was measured, and the means over splits.

use burn_nca_program::command_line;
use serde::Serialize;

use crate::estimate::Mean;
use crate::method::Method;
use crate::peer::{METHODS as PEER_METHODS, Pairing, Peer};
use crate::pictures::Reached;
use crate::store::Measurements;

/// How this program is called from the folder of the workspace.
pub const PROGRAM: &str = "cargo run --release -p nca-2004 --";

/// The results of a run; accuracies are in 0..1.
#[derive(Serialize)]
pub struct Results<'a> {
    /// What was reproduced.
    pub experiment: &'static str,
    /// The program and its version.
    pub program: String,
    /// The command that makes these results again.
    pub command: String,
    /// Fits that ran at once.
    pub threads: usize,
    /// The sets and all cells.
    #[serde(flatten)]
    pub measurements: &'a Measurements,
    /// The means over splits, in the order of the tables.
    pub means: Vec<MeanRow>,
    /// The differences from the peer's results.
    pub paired: Vec<Pairing>,
    /// The sets of figure 2.
    pub pictures: Vec<PictureRow>,
}

/// The means of a method on a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanRow {
    /// The set.
    pub set: String,
    /// The method.
    pub method: Method,
    /// On the test rows.
    pub test: Mean,
    /// On the training rows, leave-one-out.
    pub train: Mean,
    /// Seconds on one core to learn the map.
    pub seconds: Mean,
}

/// What the three methods reached on a set of figure 2.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PictureRow {
    /// The set.
    pub set: String,
    /// What it is.
    pub description: String,
    /// The methods.
    pub reached: Vec<Reached>,
}

impl<'a> Results<'a> {
    /// The results of these measurements.
    pub fn new(
        measurements: &'a Measurements,
        peer: Option<&Peer>,
        pictures: Vec<PictureRow>,
        threads: usize,
    ) -> Self {
        let sets = || measurements.sets.iter().map(|set| set.name.as_str());
        let means =
            sets().flat_map(|set| Method::ALL.map(|method| mean_row(measurements, set, method)));
        let paired = peer.map_or_else(Vec::new, |peer| {
            let pair = |set| PEER_METHODS.map(|method| peer.pair(measurements, set, method));
            sets().flat_map(pair).flatten().collect()
        });
        Self {
            experiment: "nca-2004",
            program: format!("burn-nca {}", env!("CARGO_PKG_VERSION")),
            command: command_line(PROGRAM),
            threads,
            measurements,
            means: means.flatten().collect(),
            paired,
            pictures,
        }
    }

    /// The means of a method on a set.
    pub fn mean(&self, set: &str, method: Method) -> Option<&MeanRow> {
        self.means.iter().find(|row| row.set == set && row.method == method)
    }

    /// The mean difference of test accuracies of two methods of ours, paired over splits.
    pub fn difference(&self, set: &str, method: Method, other: Method) -> Option<Mean> {
        let test = |method| {
            let cells = self.measurements.of(set, method);
            cells.iter().map(|cell| cell.test).collect::<Vec<_>>()
        };
        let (ours, theirs) = (test(method), test(other));
        (ours.len() == theirs.len()).then(|| Mean::of_differences(&ours, &theirs)).flatten()
    }
}

fn mean_row(measurements: &Measurements, set: &str, method: Method) -> Option<MeanRow> {
    let cells = measurements.of(set, method);
    let mean = |read: fn(&crate::cell::Cell) -> f64| {
        Mean::of(&cells.iter().map(|cell| read(cell)).collect::<Vec<_>>())
    };
    Some(MeanRow {
        set: set.to_string(),
        method,
        test: mean(|cell| cell.test)?,
        train: mean(|cell| cell.train)?,
        seconds: mean(|cell| cell.seconds)?,
    })
}
