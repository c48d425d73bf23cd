//! What a row chooses: the probabilities p_ij of its neighbours, and where a new row falls.

use burn::tensor::Tensor;
use burn_nca::data::Features;
use burn_nca::evaluate::perplexities_of;
use burn_nca::neighbors::class_probabilities;
use burn_nca::{Error, Result};
use burn_nca_datasets::{RawOptions, TextFormat, parse_raw};
use serde::Serialize;

use crate::learning::Learning;

/// Neighbours below this probability are not drawn.
const LEAST: f64 = 0.005;

/// A training row that a row chooses, with its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// The row of the table.
    pub row: usize,
    /// p_ij, 0..1.
    pub p: f64,
}

/// Whom a row chooses as its neighbour.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbourhood {
    /// The likely ones, most probable first.
    pub neighbours: Vec<Neighbour>,
    /// The perplexity of the choice: the number of neighbours in effect.
    pub perplexity: f64,
    /// The probability of each class.
    pub classes: Vec<f64>,
}

impl Learning {
    /// The stochastic neighbours of a row of the table among the training rows (equation 1 of the NCA paper).
    ///
    /// # Errors
    /// No such row, or an embedding that is not finite.
    pub fn neighbourhood(&self, row: usize) -> Result<Neighbourhood> {
        if row >= self.data.rows() {
            return Err(Error::data(format!(
                "there is no row {row}; the table has {} rows",
                self.data.rows()
            )));
        }
        let own = self.split.train.iter().position(|train| *train == row);
        self.choice_of(&self.embedded(row), own)
    }

    /// The columns of a new row, in the order of its cells.
    pub fn cells(&self) -> Vec<String> {
        match &self.preparation {
            Some(preparation) => preparation.columns().map(String::from).collect(),
            None => self.data.features().names().to_vec(),
        }
    }

    /// Where a new row falls, and whom it chooses: the row as the text of its cells, in the order of
    /// [`cells`](Self::cells), parted by commas, semicolons or tabs.
    ///
    /// # Errors
    /// Another number of cells than columns, or a cell that is no number where one is wanted.
    pub fn place(&self, cells: &str) -> Result<(Tensor<2>, Neighbourhood)> {
        let separator = ['\t', ';', ','].into_iter().find(|sign| cells.contains(*sign));
        let model = self.model()?;
        let row = match model.preparation() {
            Some(preparation) => {
                let names = self.cells();
                let options = RawOptions {
                    text: preparation.text_columns().map(String::from).collect(),
                    format: TextFormat { separator, ..TextFormat::default() },
                    ..RawOptions::default()
                };
                let separator = separator.unwrap_or(',').to_string();
                let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
                let header: Vec<String> = names.iter().map(quoted).collect();
                let cells: Vec<&str> = cells.split(&separator).map(str::trim).collect();
                let text = format!("{}\n{}\n", header.join(&separator), cells.join(&separator));
                model.prepare(&parse_raw("the new row", text.as_bytes(), &options)?)?.features
            }
            None => self.numbers(
                &cells.split(separator.unwrap_or(',')).map(str::trim).collect::<Vec<_>>(),
            )?,
        };
        let z = model.transform(&row)?;
        let choice = self.choice_of(&z, None)?;
        Ok((z, choice))
    }

    /// Cells that are all numbers.
    fn numbers(&self, cells: &[&str]) -> Result<Features> {
        let names = self.data.features().names();
        if cells.len() != names.len() {
            return Err(Error::data(format!(
                "the row has {} cells, and there are {} features; give one number for each of {}",
                cells.len(),
                names.len(),
                names.join(", ")
            )));
        }
        let mut values = Vec::with_capacity(cells.len());
        for (cell, name) in cells.iter().zip(names) {
            let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
            values.push(value.ok_or_else(|| {
                Error::data(format!("{cell:?} is no number for the feature {name:?}; give one"))
            })?);
        }
        Features::new(values, names.to_vec())
    }

    /// The choice of a point `[1, k]` among the training rows, but for one of them.
    fn choice_of(&self, z: &Tensor<2>, own: Option<usize>) -> Result<Neighbourhood> {
        let references = self.fitted().references();
        let rows: Vec<usize> = (0..self.train.rows()).collect();
        let left_out = own.map(|own| vec![own]);
        let chosen = |labels: &[usize], classes: usize| {
            class_probabilities(z, references, labels, classes, left_out.as_deref())
        };
        // Where each row is a class of its own, the probabilities of the classes are p_ij.
        let p = chosen(&rows, rows.len())?;
        let classes = chosen(self.train.labels(), self.data.classes())?;
        let perplexity = match own {
            Some(own) => perplexities_of(references, &[own])?,
            None => {
                let all = Tensor::cat(vec![references.clone(), z.clone()], 0);
                perplexities_of(&all, &[rows.len()])?
            }
        };
        let likely =
            rows.iter().map(|&row| (row, p.probability(0, row))).filter(|(_, p)| *p >= LEAST);
        let mut neighbours: Vec<Neighbour> =
            likely.map(|(row, p)| Neighbour { row: self.split.train[row], p }).collect();
        neighbours.sort_by(|a, b| b.p.total_cmp(&a.p));
        Ok(Neighbourhood {
            neighbours,
            perplexity: perplexity.first().copied().unwrap_or(1.0),
            classes: (0..self.data.classes()).map(|class| classes.probability(0, class)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::table::{Reading, open};

    fn learning() -> Learning {
        Learning::new(open("iris", None, &Reading::default()).unwrap(), Settings::default())
            .unwrap()
    }

    #[test]
    fn the_choice_of_a_row_is_that_of_the_library() {
        let learning = learning();
        let row = learning.split.test[0];
        let choice = learning.neighbourhood(row).unwrap();
        let features = learning.data.features().select(&[row]);
        let library = learning.model().unwrap().class_probabilities(&features).unwrap();
        for (class, p) in choice.classes.iter().enumerate() {
            assert!((p - library.probability(0, class)).abs() < 1e-5);
        }
        let perplexities =
            burn_nca::evaluate::perplexities(learning.fitted().references()).unwrap();
        let first = learning.neighbourhood(learning.split.train[0]).unwrap();
        assert!((first.perplexity - perplexities[0]).abs() < 1e-3 * perplexities[0]);
    }

    #[test]
    fn a_new_row_falls_where_its_twin_stands() {
        let learning = learning();
        let cells: Vec<String> =
            learning.data.features().row(7).iter().map(f64::to_string).collect();
        let (z, choice) = learning.place(&cells.join(", ")).unwrap();
        let twin =
            learning.model().unwrap().transform(&learning.data.features().select(&[7])).unwrap();
        assert_eq!(z.into_data(), twin.into_data());
        assert!((choice.classes.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_row_of_other_cells_is_refused_in_words() {
        let learning = learning();
        let error = learning.place("1,2").err().unwrap().to_string();
        assert!(error.contains("2 cells, and there are 4 features"), "{error}");
        let error = learning.place("1,2,x,4").err().unwrap().to_string();
        assert!(error.contains("\"x\" is no number"), "{error}");
    }
}
