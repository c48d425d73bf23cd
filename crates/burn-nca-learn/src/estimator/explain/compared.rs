//! The rows that an explanation compares: those that decide, and those that they are nearer than.

use rayon::prelude::*;

use super::Explanation;
use crate::data::{Features, TrainingTargets};
use crate::error::Result;
use crate::estimator::feature_contributions::WeightedPair;
use crate::estimator::{Decision, Fitted};
use crate::neighbors::{Influence, Points, RuleDistance};

/// Training rows that a prediction of numbers is compared with, at most.
const COMPARED: usize = 64;

/// The training rows that decide about a row, by shares that sum to 1, and those that they are compared with.
#[derive(Default)]
pub(super) struct Compared {
    near: Vec<(usize, f64)>,
    pub far: Vec<usize>,
}

impl Compared {
    /// The row `query` with each of them: how much farther the others are on average.
    pub fn pairs(&self, query: usize) -> impl Iterator<Item = WeightedPair> {
        let share = 1.0 / self.far.len().max(1) as f64;
        let far = self.far.iter().map(move |&reference| (reference, share));
        let near = self.near.iter().map(|&(reference, share)| (reference, -share));
        far.chain(near).map(move |(reference, weight)| WeightedPair { query, reference, weight })
    }
}

impl Fitted {
    /// What is compared for each row; nothing where there is no other class.
    pub(super) fn compared(
        &self,
        features: &Features,
        decision: Decision,
        found: &[Explanation],
    ) -> Result<Vec<Compared>> {
        let [n, _] = self.references.dims();
        let TrainingTargets::Classes { labels, .. } = &self.targets else {
            let step = n.div_ceil(COMPARED).max(1);
            let sample: Vec<usize> = (0..n).step_by(step).collect();
            let of = |found: &Explanation| Compared {
                near: normalized(&found.neighbors),
                far: sample.clone(),
            };
            return Ok(found.iter().map(of).collect());
        };
        let is_own = |one: &Influence, of: &Explanation| Some(labels[one.reference]) == of.class;
        let of_class = |of: &Explanation| -> Vec<Influence> {
            of.neighbors.iter().filter(|one| is_own(one, of)).copied().collect()
        };
        let mut near: Vec<Vec<Influence>> = found.iter().map(of_class).collect();
        // Where none of the listed rows is of the predicted class, all of them are looked through.
        let missing: Vec<usize> = (0..near.len()).filter(|&row| near[row].is_empty()).collect();
        for row in missing {
            let all = self.influences(&features.select(&[row]), decision, n)?.remove(0);
            near[row].extend(all.into_iter().find(|one| is_own(one, &found[row])));
        }
        let queries = Points::read(&self.transform(features)?, "queries")?;
        let references = Points::read(&self.references, "references")?;
        let distance = RuleDistance::of(&self.rule);
        let of_row = |(row, near): (usize, &Vec<Influence>)| {
            let others = (0..n).filter(|&at| Some(labels[at]) != found[row].class);
            let far = |at: usize| (at, distance.between(queries.row(row), references.row(at)));
            match others.map(far).min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((rival, _)) => Compared { near: normalized(near), far: vec![rival] },
                None => Compared::default(),
            }
        };
        Ok(near.par_iter().enumerate().map(of_row).collect())
    }
}

/// Rows by shares that sum to 1.
fn normalized(rows: &[Influence]) -> Vec<(usize, f64)> {
    let total: f64 = rows.iter().map(|row| row.share).sum();
    let alike = 1.0 / rows.len().max(1) as f64;
    let share = |row: &Influence| if total > 0.0 { row.share / total } else { alike };
    rows.iter().map(|row| (row.reference, share(row))).collect()
}
