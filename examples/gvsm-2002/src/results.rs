//! `results.json`: every cell, and the means over seeds.

use burn_nca_program::command_line;
use serde::Serialize;

use crate::bayes;
use crate::cell::{CORRELATIONS, Cell, FIGURES};
use crate::method::Method;

/// How this program is called from the folder of the workspace.
pub const PROGRAM: &str = "cargo run --release -p gvsm-2002 --";

/// The results of a run; accuracies are in 0..1.
#[derive(Serialize)]
pub struct Results {
    /// What was reproduced.
    pub experiment: &'static str,
    /// The program and its version.
    pub program: String,
    /// The command that makes these results again.
    pub command: String,
    /// The points of the curves.
    pub points: Vec<Point>,
    /// Every measurement.
    pub cells: Vec<Cell>,
}

/// The means of all methods at a correlation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// `figure-3` or `figure-4`.
    pub figure: &'static str,
    /// Its correlation, alpha.
    pub correlation: f64,
    /// What no rule can exceed.
    pub bayes: f64,
    /// The mean of each method and its standard error, in the order of [`Method::ALL`].
    pub means: Vec<Mean>,
}

/// A mean over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Of this method.
    pub method: Method,
    /// The mean.
    pub mean: f64,
    /// Its standard error; absent with one seed.
    pub standard_error: Option<f64>,
}

impl Results {
    /// The results of these cells, with Bayes limits on so many rows.
    ///
    /// # Errors
    /// Options that the generator of the Bayes limit refuses.
    pub fn new(cells: Vec<Cell>, limit_rows: usize) -> burn_nca_learn::Result<Self> {
        let mut points = Vec::new();
        for (figure, noise) in FIGURES {
            for correlation in CORRELATIONS {
                let here: Vec<&Cell> = cells
                    .iter()
                    .filter(|cell| (cell.job.noise, cell.job.correlation) == (noise, correlation))
                    .collect();
                let means = Method::ALL.iter().filter_map(|method| Mean::of(*method, &here));
                let bayes = bayes::limit(limit_rows, correlation, noise)?;
                points.push(Point { figure, correlation, bayes, means: means.collect() });
            }
        }
        Ok(Self {
            experiment: "gvsm-2002",
            program: format!("burn-nca {}", env!("CARGO_PKG_VERSION")),
            command: command_line(PROGRAM),
            points,
            cells,
        })
    }

    /// The points of a figure, by correlation.
    pub fn of(&self, figure: &str) -> impl Iterator<Item = &Point> {
        self.points.iter().filter(move |point| point.figure == figure)
    }

    /// Number of seeds.
    pub fn seeds(&self) -> usize {
        let first = self.cells.first().map(|cell| (cell.job.noise, cell.job.correlation));
        let same = |cell: &&Cell| Some((cell.job.noise, cell.job.correlation)) == first;
        self.cells.iter().filter(same).count()
    }
}

impl Point {
    /// The mean of a method.
    pub fn mean(&self, method: Method) -> Option<&Mean> {
        self.means.iter().find(|mean| mean.method == method)
    }
}

impl Mean {
    fn of(method: Method, cells: &[&Cell]) -> Option<Self> {
        let values: Vec<f64> = cells
            .iter()
            .flat_map(|cell| &cell.accuracies)
            .filter(|(of, _)| *of == method)
            .map(|(_, accuracy)| *accuracy)
            .collect();
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt());
        Some(Self { method, mean, standard_error })
    }

    /// `94.2 ± 0.5`, in percent.
    pub fn percent(&self) -> String {
        match self.standard_error {
            Some(error) => format!("{:.1} ± {:.1}", 100.0 * self.mean, 100.0 * error),
            None => format!("{:.1}", 100.0 * self.mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Job;

    #[test]
    fn means_are_over_seeds() {
        let cell = |seed, accuracy| {
            let job = Job { noise: FIGURES[0].1, correlation: 0.0, seed };
            Cell { job, accuracies: vec![(Method::Vsm, accuracy)] }
        };
        let (first, second) = (cell(0, 0.9), cell(1, 0.8));
        let mean = Mean::of(Method::Vsm, &[&first, &second]).unwrap();
        assert!(
            (mean.mean - 0.85).abs() < 1e-12 && (mean.standard_error.unwrap() - 0.05).abs() < 1e-12
        );
        assert_eq!(mean.percent(), "85.0 ± 5.0");
        assert_eq!(Mean::of(Method::Gvsm, &[&first]), None);
    }
}
