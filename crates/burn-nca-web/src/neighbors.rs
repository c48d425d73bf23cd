//! What a row chooses: the probabilities p_ij of its neighbors.

use burn::tensor::Tensor;
use burn_nca_learn::evaluate::perplexities_of;
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::{Error, Result};
use serde::Serialize;

use crate::learning::Learning;

/// Neighbors below this probability are not drawn.
const LEAST: f64 = 0.005;

/// A training row that a row chooses, with its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Neighbor {
    /// The row of the table.
    pub row: usize,
    /// p_ij, 0..1.
    pub p: f64,
}

/// Whom a row chooses as its neighbor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighborhood {
    /// The likely ones, most probable first.
    pub neighbors: Vec<Neighbor>,
    /// The perplexity of the choice: the number of neighbors in effect.
    pub perplexity: f64,
    /// The probability of each class.
    pub classes: Vec<f64>,
}

impl Learning {
    /// The stochastic neighbors of a row among the training rows (equation 1 of the NCA paper); the new rows come
    /// after those of the table.
    ///
    /// # Errors
    /// No such row, or an embedding that is not finite.
    pub fn neighborhood(&self, row: usize) -> Result<Neighborhood> {
        let rows = self.data.rows();
        if row >= rows {
            let z = self.new_embedding();
            let [new, k] = z.as_ref().map_or([0, 0], |z| z.dims());
            return match z.filter(|_| row < rows + new) {
                Some(z) => self.choice_of(&z.slice([row - rows..row - rows + 1, 0..k]), None),
                None => Err(Error::data(format!(
                    "there is no row {row}; the table has {rows} rows, and there are {new} new ones"
                ))),
            };
        }
        let own = self.split.train.iter().position(|train| *train == row);
        self.choice_of(&self.embedded(row), own)
    }

    /// The choice of a point `[1, k]` among the training rows, but for one of them.
    fn choice_of(&self, z: &Tensor<2>, own: Option<usize>) -> Result<Neighborhood> {
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
            Some(own) => perplexities_of(references, &[own], None)?,
            None => {
                let all = Tensor::cat(vec![references.clone(), z.clone()], 0);
                perplexities_of(&all, &[rows.len()], None)?
            }
        };
        let likely =
            rows.iter().map(|&row| (row, p.probability(0, row))).filter(|(_, p)| *p >= LEAST);
        let mut neighbors: Vec<Neighbor> =
            likely.map(|(row, p)| Neighbor { row: self.split.train[row], p }).collect();
        neighbors.sort_by(|a, b| b.p.total_cmp(&a.p));
        Ok(Neighborhood {
            neighbors,
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
        let choice = learning.neighborhood(row).unwrap();
        let features = learning.data.features().select(&[row]);
        let library = learning.model().unwrap().class_probabilities(&features).unwrap();
        for (class, p) in choice.classes.iter().enumerate() {
            assert!((p - library.probability(0, class)).abs() < 1e-5);
        }
        let perplexities =
            burn_nca_learn::evaluate::perplexities(learning.fitted().references()).unwrap();
        let first = learning.neighborhood(learning.split.train[0]).unwrap();
        assert!((first.perplexity - perplexities[0]).abs() < 1e-3 * perplexities[0]);
    }
}
