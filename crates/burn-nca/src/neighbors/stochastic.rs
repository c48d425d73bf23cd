//! The sums of the stochastic rule, class by class in log space, over pairs that are never stored.

use std::ops::Range;

use burn_nca_kernels::{Columns, Number};

use super::kernel::{PART_ROWS, coordinates, heights, log_of_sum};
use super::points::{Points, positions};
use super::probabilities::ClassProbabilities;
use crate::error::{Error, Result};

/// What a squared distance may be off by where that saves time, and the term of a reference by in proportion.
const ERROR: f64 = 1e-6;

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
        Ok(self.class_probabilities(queries, own.as_deref(), (&order, &ranges)))
    }

    /// `log P(c | x_i)`, a row a query; `own` are places in the order of the classes.
    fn class_probabilities(
        &self,
        queries: &Points,
        own: Option<&[usize]>,
        (order, ranges): (&[usize], &[Range<usize>]),
    ) -> ClassProbabilities {
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
                    let points = (of_rows, references.as_slice(), k);
                    let found = f64::statistics_within(ERROR, points, &columns);
                    let (least, logs) = found.split_at(rows.len());
                    for (query, (log, least)) in rows.zip(logs.iter().zip(least)) {
                        let sum = &mut sums[placed[query] * self.classes + class];
                        *sum = log_of_sum(*sum, log - least);
                    }
                }
            }
        }
        sums.chunks_mut(self.classes).for_each(normalise);
        ClassProbabilities::from_logs(sums, self.classes)
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
fn normalise(logs: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    logs.iter_mut().for_each(|log| *log = (*log - largest) - total);
}
