//! What is measured after a slice: accuracies compared with Euclidean distance, PCA and LDA, wrong rows, weights, a collapse.

use burn::tensor::Device;
use burn_nca_data::csv_field;
use burn_nca_learn::data::Labeled;
use burn_nca_learn::evaluate::{Collapse, Spread};
use burn_nca_learn::{Error, Result};
use burn_nca_report::MeasureRow;
use burn_nca_report::evaluation::{AllStages, ClassComparison};
use serde::Serialize;

use crate::learning::Learning;

/// The accuracies of the map as it is, and what is worth saying of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measures {
    /// 1-NN accuracy of each training row among the others, 0..1.
    pub train: Option<f64>,
    /// 1-NN accuracy of the held-out rows among the training rows, 0..1.
    pub test: Option<f64>,
    /// Rows of the table whose nearest neighbor is of another class.
    pub wrong: Vec<u32>,
    /// What the embedding has collapsed to, in words.
    pub collapse: Option<&'static str>,
}

/// The accuracy of a map that nothing is learned for step by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Baseline {
    /// "Euclidean", "PCA" or "LDA".
    pub name: String,
    /// Its dimensions.
    pub dim: usize,
    /// 1-NN accuracy of the training rows.
    pub train: Option<f64>,
    /// 1-NN accuracy of the held-out rows.
    pub test: Option<f64>,
}

impl Learning {
    /// Measures the map as it is.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn measures(&self) -> Result<Measures> {
        let all: Vec<usize> = (0..self.train.rows()).collect();
        let found = self.compared((&all, &self.test), |rows| rows.learned(self.fitted()))?;
        let rows = self.split.train.iter().zip(&found.train);
        let rows = rows.chain(self.split.test.iter().zip(&found.test));
        let wrong = rows.filter(|(row, class)| self.data.labels()[**row] != **class);
        let mut wrong: Vec<u32> = wrong.map(|(row, _)| *row as u32).collect();
        wrong.sort_unstable();
        let collapse = Spread::of(self.fitted().references())?.and_then(|spread| spread.collapse());
        Ok(Measures {
            train: found.row.value("nn_train"),
            test: found.row.value("nn_test"),
            wrong,
            collapse: collapse.map(|collapse| match collapse {
                Collapse::Point => "the embedding has collapsed to a point: give a smaller penalty",
                Collapse::Line => "the embedding has collapsed to a line",
            }),
        })
    }

    /// Euclidean distance on all (standardized) features, and PCA and LDA in the dimensions of the picture; of a sample of the
    /// rows where the table is large, each among all training rows.
    ///
    /// # Errors
    /// Features that cannot be scaled.
    pub fn baselines(&self) -> Result<Vec<Baseline>> {
        let dim = self.fitted().card().d_output.min(crate::picture::AXES);
        let places: Vec<usize> = self.sample.test_places(&self.split).collect();
        let rows = (self.sample.train.as_slice(), &self.test.select(&places));
        let found = self.compared(rows, |rows| rows.baselines(dim, &Device::flex(), &AllStages))?;
        let baseline = |row: MeasureRow| Baseline {
            train: row.value("nn_train"),
            test: row.value("nn_test"),
            name: row.method,
            dim: row.dimension,
        };
        Ok(found.into_iter().map(baseline).collect())
    }

    /// What the report's comparison finds on the rows of the page.
    fn compared<T>(
        &self,
        (measured, test): (&[usize], &Labeled),
        of: impl FnOnce(&ClassComparison<'_>) -> anyhow::Result<T>,
    ) -> Result<T> {
        let rows = ClassComparison { train: &self.train, test, measured, neighbors: 1 };
        of(&rows).map_err(|error| Error::data(error.to_string()))
    }

    /// A as CSV: the features' names, then one row per dimension, on the standardized features.
    ///
    /// # Errors
    /// A network.
    pub fn matrix_csv(&self) -> Result<String> {
        let matrix = self.fitted().matrix().ok_or_else(|| {
            Error::setting("a network has no matrix; take the model's folder instead")
        })?;
        let names = self.data.features().names();
        let mut text =
            names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(",") + "\n";
        for row in matrix.chunks_exact(names.len()) {
            let cells: Vec<String> = row.iter().map(f64::to_string).collect();
            text += &(cells.join(",") + "\n");
        }
        Ok(text)
    }

    /// The norm of each column of A by feature, largest first; none for a network.
    pub fn weights(&self) -> Vec<(String, f64)> {
        let norms = self.fitted().feature_norms().unwrap_or_default();
        let names = self.data.features().names().iter().cloned();
        let mut weights: Vec<(String, f64)> = names.zip(norms).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1));
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::table::{Reading, open};

    #[test]
    fn wrong_rows_and_accuracies_say_the_same() {
        let iris = open("iris", None, &Reading::default()).unwrap();
        let mut learning = Learning::new(iris, Settings::default()).unwrap();
        while learning.advance(50.0).unwrap().ended.is_none() {}
        let measures = learning.measures().unwrap();
        let (train, test) = (learning.train.rows() as f64, learning.test.rows() as f64);
        let right = measures.train.unwrap() * train + measures.test.unwrap() * test;
        assert_eq!(right.round() as usize, 150 - measures.wrong.len());
    }

    #[test]
    fn the_baselines_are_those_of_the_program() {
        let iris = open("iris", None, &Reading::default()).unwrap();
        let learning = Learning::new(iris, Settings::default()).unwrap();
        let rows = learning.baselines().unwrap();
        let names: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.dim)).collect();
        assert_eq!(names, [("Euclidean", 4), ("PCA", 2), ("LDA", 2)]);
        assert!(rows.iter().all(|row| row.test.is_some_and(|accuracy| accuracy > 0.8)));
        assert_eq!(learning.weights().len(), 4);
    }

    #[test]
    fn nothing_held_out_is_no_accuracy() {
        let iris = open("iris", None, &Reading::default()).unwrap();
        let settings = Settings { test_size: 0.0, ..Settings::default() };
        let learning = Learning::new(iris, settings).unwrap();
        assert_eq!(learning.measures().unwrap().test, None);
    }
}
