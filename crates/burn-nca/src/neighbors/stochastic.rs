//! The sums of the stochastic rule, class by class in log space.
//!
//! Up to [`MOST_DIMENSIONS`] dimensions they are sums over pairs that are never stored; beyond, the products of the
//! neighbour search say which references carry weight, and only those are summed.

use std::ops::Range;

use burn::tensor::Device;
use burn_nca_kernels::{Columns, Number};

use super::candidate_filter::CandidateFilter;
use super::kernel::{PART_ROWS, coordinates, heights, log_of_sum, log_sum, weighty_references};
use super::points::{Points, positions};
use super::probabilities::ClassProbabilities;
use crate::error::{Error, Result};

/// Dimensions up to which all pairs are summed: beyond, leaving out what carries no weight is faster.
const MOST_DIMENSIONS: usize = 64;

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
        let own = own.map(|own| positions(&order, own));
        if self.references.dimensions() <= MOST_DIMENSIONS {
            let logs = self.class_logs(queries, own.as_deref(), (&order, &ranges));
            return Ok(ClassProbabilities::from_logs(logs, self.classes));
        }
        let references = self.references.select(&order);
        let filter = CandidateFilter::new(queries, &references, device);
        let log_weights: Option<Vec<f64>> =
            self.weights.map(|weights| order.iter().map(|&row| weights[row].ln()).collect());
        let rows = filter.map_rows(own.as_deref(), |row| {
            // w exp(-d²) = exp(-(d² - log w))
            let log_weight = |at: usize| log_weights.as_ref().map_or(0.0, |weights| weights[at]);
            let sum = |range: &Range<usize>| {
                let weighty = weighty_references(row, range.clone()).into_iter();
                let heavier = weighty.map(|(at, sq_distance)| sq_distance - log_weight(at));
                log_sum(&heavier.collect::<Vec<_>>())
            };
            normalised(ranges.iter().map(sum).collect())
        });
        Ok(ClassProbabilities::from_logs(rows.concat(), self.classes))
    }

    /// `log P(c | x_i)`, a row a query, by the sums over pairs that are never stored; `own` are places in the order of
    /// the classes.
    fn class_logs(
        &self,
        queries: &Points,
        own: Option<&[usize]>,
        (order, ranges): (&[usize], &[Range<usize>]),
    ) -> Vec<f64> {
        let b = queries.rows();
        // Queries in the order of their own references: those with theirs in one part are one range.
        let mut placed: Vec<usize> = (0..b).collect();
        let own: Option<Vec<usize>> = own.map(|own| {
            placed.sort_by_key(|&query| own[query]);
            placed.iter().map(|&query| own[query]).collect()
        });
        let heights = self
            .weights
            .map(|weights| heights(&order.iter().map(|&row| weights[row]).collect::<Vec<_>>()));
        let level = heights.as_ref().map(|_| vec![0.0; b]);
        let values = coordinates(&queries.select(&placed), level.as_deref());
        let k = values.len() / b;
        let mut sums = vec![f64::NEG_INFINITY; b * self.classes];
        for (class, range) in ranges.iter().enumerate() {
            for start in range.clone().step_by(PART_ROWS) {
                let part = start..(start + PART_ROWS).min(range.end);
                let references = self.references.select(&order[part.clone()]);
                let heights = heights.as_ref().map(|heights| &heights[part.clone()]);
                let references = coordinates(&references, heights);
                // Those before a query's own reference, or all where it is elsewhere; then those after it.
                let inside = own.as_ref().map_or(0..0, |own| {
                    own.partition_point(|at| *at < part.start)
                        ..own.partition_point(|at| *at < part.end)
                });
                let place = |query: usize| own.as_ref().map_or(0, |own| own[query] - part.start);
                let before = (0..b).map(|query| match inside.contains(&query) {
                    true => 0..place(query),
                    false => 0..part.len(),
                });
                let after = inside.clone().map(|query| place(query) + 1..part.len());
                for (rows, spans) in [(0..b, before.collect()), (inside.clone(), after.collect())] {
                    if rows.is_empty() {
                        continue;
                    }
                    let columns = Columns::within(spans, part.len());
                    let of_rows = &values[rows.start * k..rows.end * k];
                    let found = f64::statistics(of_rows, &references, k, &columns);
                    let (least, logs) = found.split_at(rows.len());
                    for (query, (log, least)) in rows.zip(logs.iter().zip(least)) {
                        let sum = &mut sums[placed[query] * self.classes + class];
                        *sum = log_of_sum(*sum, log - least);
                    }
                }
            }
        }
        sums.chunks(self.classes).flat_map(|logs| normalised(logs.to_vec())).collect()
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
