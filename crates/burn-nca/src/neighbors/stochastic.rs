//! The sums of the stochastic rule, class by class in log space.

use std::ops::Range;

use burn::tensor::Device;

use super::candidate_filter::CandidateFilter;
use super::kernel::{log_sum, weighty_references, weighty_sq_distances};
use super::points::{Points, positions};
use super::probabilities::ClassProbabilities;
use crate::error::{Error, Result};

/// References with their classes, and perhaps their weights.
pub(super) struct Labelled<'a> {
    pub(super) references: &'a Points,
    pub(super) labels: &'a [usize],
    pub(super) classes: usize,
    pub(super) weights: Option<&'a [f64]>,
}

impl Labelled<'_> {
    pub(super) fn probabilities(
        &self,
        queries: &Points,
        own: Option<&[usize]>,
        device: &Device,
    ) -> Result<ClassProbabilities> {
        let (order, ranges) = self.by_class();
        let usable = order.len().saturating_sub(usize::from(own.is_some()));
        if queries.rows() > 0 && usable == 0 {
            return Err(Error::data(
                "there is no reference other than the query itself; class probabilities need at \
                 least one",
            ));
        }
        if queries.rows() == 0 {
            return Ok(ClassProbabilities::from_logs(Vec::new(), self.classes));
        }
        let references = self.references.select(&order);
        let own = own.map(|own| positions(&order, own));
        let filter = CandidateFilter::new(queries, &references, device);
        let log_weights: Option<Vec<f64>> =
            self.weights.map(|weights| order.iter().map(|&row| weights[row].ln()).collect());
        let rows = filter.map_rows(own.as_deref(), |row| {
            let sum = |range: &Range<usize>| match &log_weights {
                None => log_sum(&weighty_sq_distances(row, range.clone())),
                Some(log_weights) => {
                    // w exp(-d²) = exp(-(d² - log w))
                    let weighty = weighty_references(row, range.clone()).into_iter();
                    let heavier = weighty.map(|(at, sq_distance)| sq_distance - log_weights[at]);
                    log_sum(&heavier.collect::<Vec<_>>())
                }
            };
            normalised(ranges.iter().map(sum).collect())
        });
        Ok(ClassProbabilities::from_logs(rows.concat(), self.classes))
    }

    /// The reference rows that count, sorted by class, and where each class then stands.
    fn by_class(&self) -> (Vec<usize>, Vec<Range<usize>>) {
        let counts = |row: &usize| self.weights.is_none_or(|weights| weights[*row] > 0.0);
        let mut order: Vec<usize> = (0..self.labels.len()).filter(counts).collect();
        order.sort_by_key(|&row| self.labels[row]);
        let start = |class| order.partition_point(|&row| self.labels[row] < class);
        let ranges = (0..self.classes).map(|class| start(class)..start(class + 1)).collect();
        (order, ranges)
    }
}

/// `l_c - log Σ_c exp(l_c)`; at least one entry is finite.
fn normalised(mut logs: Vec<f64>) -> Vec<f64> {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    logs.iter_mut().for_each(|log| *log = (*log - largest) - total);
    logs
}
