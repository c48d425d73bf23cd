//! The sums of the stochastic rule, class by class in log space, over pairs that are never stored.

use std::ops::Range;

use burn_nca::internal::cut;
use burn_nca_fused::Number;

use super::excluded::{Excluded, check_usable};
use super::kernel::{PART_ROWS, coordinates, heights, log_of_sum, others};
use super::points::{Points, check_labels};
use super::probabilities::ClassProbabilities;
use super::series;
use super::voters::Voters;
use crate::error::Result;

/// What a squared distance may be off by where that saves time, and the term of a reference by in proportion.
const ERROR: f64 = 1e-6;

/// What logarithms that differ are never equal by: one probability is a hundredth more than the other.
const MOST_TIE: f64 = 0.01;

/// References from which a class is summed by itself, its exponentials by vectors.
const LARGE_CLASS: usize = 128;

/// Sums that are held at a time, in addition to those of all queries and classes.
const SUMS: usize = 1 << 22;

impl Voters<'_> {
    /// The class probabilities of queries given references, which the voters are.
    pub(super) fn among(
        &self,
        both: &[Points; 2],
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        let [queries, references] = both;
        check_labels(self.labels, references.rows(), self.classes)?;
        let excluded = own.map(|own| Excluded::own_or_group(own, self.groups));
        let (order, ranges) = self.by_class(excluded.as_ref());
        if queries.rows() == 0 {
            return Ok(ClassProbabilities::from_logs(Vec::new(), self.classes));
        }
        let counts = |row: usize| self.weights.is_none_or(|weights| weights[row] > 0.0);
        check_usable(order.len(), queries.rows(), excluded.as_ref(), counts)?;
        Ok(self.class_probabilities(both, excluded.as_ref(), (&order, &ranges)))
    }

    /// `log P(c | x_i)`, a row a query.
    fn class_probabilities(
        &self,
        [queries, references]: &[Points; 2],
        excluded: Option<&Excluded<'_>>,
        (order, ranges): (&[usize], &[Range<usize>]),
    ) -> ClassProbabilities {
        let b = queries.rows();
        let heights = self
            .weights
            .map(|weights| heights(&order.iter().map(|&row| weights[row]).collect::<Vec<_>>()));
        let level = heights.as_ref().map(|_| vec![0.0; b]);
        let values = coordinates(queries, level.as_deref());
        let k = values.len() / b;
        let mut sums = vec![f64::NEG_INFINITY; b * self.classes];
        // A group may have rows of several classes: its range is one of each class.
        let by_class = excluded.is_some_and(Excluded::is_of_keys);
        let own = excluded.filter(|_| !by_class).map(|own| own.spans(order));
        let points = (values.as_slice(), references, k);
        let by_series = self.by_series(points, (order, ranges), own.as_deref(), &mut sums);
        let is_missing = |part: &Part| part.classes.len() > 1 || !by_series[part.classes.start];
        for Part { rows: part, classes } in parts(ranges, by_class).into_iter().filter(is_missing) {
            let of_class =
                excluded.filter(|_| by_class).map(|groups| groups.spans(&order[part.clone()]));
            let heights = heights.as_ref().map(|heights| &heights[part.clone()]);
            let among = coordinates(&references.select(&order[part.clone()]), heights);
            let ends = ranges[classes.clone()].iter();
            let ends: Vec<usize> = ends.map(|range| range.end.min(part.end) - part.start).collect();
            for rows in cut(0..b, SUMS / ends.len()) {
                let left_out = |spans: &Option<Vec<Range<usize>>>| {
                    spans.as_ref().map(|spans| spans[rows.clone()].to_vec())
                };
                let columns = match left_out(&of_class) {
                    Some(spans) => others(rows.len(), Some(&spans), &(0..part.len())),
                    None => others(rows.len(), left_out(&own).as_deref(), &part),
                };
                let points = (&values[rows.start * k..rows.end * k], among.as_slice(), k);
                let found = f64::log_sums_within(ERROR, points, &columns, &ends);
                for (query, found) in rows.zip(found.chunks(ends.len())) {
                    let sums = &mut sums[query * self.classes..][classes.clone()];
                    for (sum, log) in sums.iter_mut().zip(found) {
                        *sum = log_of_sum(*sum, *log);
                    }
                }
            }
        }
        let ties = sums.chunks(self.classes).enumerate();
        let ties = ties.map(|(query, sums)| tie([queries, references], query, sums)).collect();
        sums.chunks_mut(self.classes).for_each(normalize);
        ClassProbabilities::from_logs(sums, self.classes).with_ties(ties)
    }

    /// Adds the sums of classes for which a Fourier series is faster, and says which they are.
    fn by_series(
        &self,
        (queries, references, k): (&[f64], &Points, usize),
        (order, ranges): (&[usize], &[Range<usize>]),
        own: Option<&[Range<usize>]>,
        sums: &mut [f64],
    ) -> Vec<bool> {
        let mut found = vec![false; self.classes];
        // With weights there is one coordinate more; a group is left out class by class.
        if !matches!(k, 1 | 2) || k != references.dimensions() || self.groups.is_some() {
            return found;
        }
        let references = references.select(order).to_vec();
        for (class, range) in
            ranges.iter().enumerate().filter(|(_, range)| range.len() >= LARGE_CLASS)
        {
            let spans = vec![range.clone(); queries.len() / k];
            let Some(logs) = series::log_sums((queries, &references, k), &spans, own) else {
                continue;
            };
            found[class] = true;
            sums.iter_mut()
                .skip(class)
                .step_by(self.classes)
                .zip(logs)
                .for_each(|(sum, log)| *sum = log);
        }
        found
    }

    /// The reference rows that count, sorted by class, and where each class then starts.
    fn by_class(&self, excluded: Option<&Excluded<'_>>) -> (Vec<usize>, Vec<Range<usize>>) {
        let counts = |row: &usize| self.weights.is_none_or(|weights| weights[*row] > 0.0);
        let mut order: Vec<usize> = (0..self.labels.len()).filter(counts).collect();
        order.sort_by_key(|&row| self.labels[row]);
        excluded.iter().for_each(|groups| groups.arrange(&mut order, |row| self.labels[row]));
        let start = |class| order.partition_point(|&row| self.labels[row] < class);
        let ranges = (0..self.classes).map(|class| start(class)..start(class + 1)).collect();
        (order, ranges)
    }
}

/// What the logarithms of two classes may differ by for rounding alone, by the log sums of a query.
///
/// ```text
/// 2 (reach(d)² - d²) + 4 ERROR,   d² = log n - log Σ_c exp(l_c), at least 0: no less than the nearest distance
/// ```
fn tie([queries, references]: [&Points; 2], query: usize, sums: &[f64]) -> f64 {
    let total = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sq_distance = ((references.rows() as f64).ln() - total).max(0.0);
    let rounding = queries.resolution(query, references).sq_reach(sq_distance) - sq_distance;
    (2.0 * rounding + 4.0 * ERROR).min(MOST_TIE)
}

/// Some of the references, in the order of their classes, and the classes that they are of.
struct Part {
    rows: Range<usize>,
    classes: Range<usize>,
}

/// The references cut into parts: a large class by itself, as many small ones as fit together, unless each is to be by
/// itself.
fn parts(ranges: &[Range<usize>], by_class: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut is_open = false;
    for (class, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
        let is_large = by_class || range.len() >= LARGE_CLASS;
        match parts.last_mut() {
            Some(Part { rows, classes })
                if is_open && !is_large && rows.len() + range.len() <= PART_ROWS =>
            {
                (rows.end, classes.end) = (range.end, class + 1);
            }
            _ => parts.extend(range.clone().step_by(PART_ROWS).map(|start| Part {
                rows: start..(start + PART_ROWS).min(range.end),
                classes: class..class + 1,
            })),
        }
        is_open = !is_large;
    }
    parts
}

/// `l_c - log Σ_c exp(l_c)`; at least one entry is finite.
fn normalize(logs: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    logs.iter_mut().for_each(|log| *log = (*log - largest) - total);
}
