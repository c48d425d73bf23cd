//! What a row chooses: the probabilities p_ij of its neighbours, and where a new row falls.

use burn::tensor::Tensor;
use burn_nca::data::Features;
use burn_nca::{Error, Result};
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
        let z = self.fitted().transform(&self.data.features().select(&[row]))?;
        self.choice_of(&z, self.split.train.iter().position(|train| *train == row))
    }

    /// Where a new row falls, and whom it chooses: the row as the text of its cells, in the order of the features.
    ///
    /// # Errors
    /// Another number of cells than features, or a cell that is no number.
    pub fn place(&self, cells: &str) -> Result<(Tensor<2>, Neighbourhood)> {
        let names = self.data.features().names();
        let cells: Vec<&str> = cells.split([',', ';', '\t']).map(str::trim).collect();
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
        let z = self.fitted().transform(&Features::new(values, names.to_vec())?)?;
        let choice = self.choice_of(&z, None)?;
        Ok((z, choice))
    }

    /// The choice of a point `[1, k]` among the training rows, but for one of them.
    fn choice_of(&self, z: &Tensor<2>, own: Option<usize>) -> Result<Neighbourhood> {
        let references = Features::from_tensor(self.fitted().references().clone())?;
        let query = Features::from_tensor(z.clone())?;
        let distances: Vec<f64> = (0..references.rows())
            .map(|row| {
                let pairs = references.row(row).iter().zip(query.row(0));
                pairs.map(|(a, b)| (a - b) * (a - b)).sum()
            })
            .collect();
        let others = || (0..distances.len()).filter(|row| Some(*row) != own);
        let nearest = others().map(|row| distances[row]).fold(f64::INFINITY, f64::min);
        let weight = |row: usize| (nearest - distances[row]).exp();
        let sum: f64 = others().map(weight).sum();
        let mut classes = vec![0.0; self.data.classes()];
        let (mut entropy, mut neighbours) = (0.0, Vec::new());
        for row in others() {
            let p = weight(row) / sum;
            classes[self.train.labels()[row]] += p;
            if p > 0.0 {
                entropy -= p * p.ln();
            }
            if p >= LEAST {
                neighbours.push(Neighbour { row: self.split.train[row], p });
            }
        }
        neighbours.sort_by(|a, b| b.p.total_cmp(&a.p));
        Ok(Neighbourhood { neighbours, perplexity: entropy.exp(), classes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::table::open;

    fn learning() -> Learning {
        Learning::new(open("iris", None, None).unwrap(), Settings::default()).unwrap()
    }

    #[test]
    fn the_choice_of_a_row_is_that_of_the_library() {
        let learning = learning();
        let row = learning.split.test[0];
        let choice = learning.neighbourhood(row).unwrap();
        let features = learning.data.features().select(&[row]);
        let library = learning.fitted().class_probabilities(&features).unwrap();
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
        let twin = learning.fitted().transform(&learning.data.features().select(&[7])).unwrap();
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
