//! The sums of the stochastic rule, class by class in log space, over pairs that are never stored.

use std::ops::Range;

use burn_nca::internal::cut;
use burn_nca_fused::Number;

use super::kernel::{Arranged, PART_ROWS, log_of_sum, of_part, others};
use super::points::{Points, check_labels};
use super::probabilities::ClassProbabilities;
use super::series::{self, Averaged};
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
        [queries, references]: &[Points; 2],
        own: Option<&[usize]>,
    ) -> Result<ClassProbabilities> {
        check_labels(self.labels, references.rows(), self.classes)?;
        let b = queries.rows();
        let eligible = self.exclude(own).eligible(b, references.rows())?;
        if b == 0 {
            return Ok(ClassProbabilities::from_logs(Vec::new(), self.classes));
        }
        eligible.check_usable(b, references.rows())?;
        let arranged = Arranged::new(references, &eligible, self.weights, |row| self.labels[row]);
        let start = |class| arranged.rows.partition_point(|&row| self.labels[row] < class);
        let ranges = (0..self.classes).map(|class| start(class)..start(class + 1));
        let ranges: Vec<Range<usize>> = ranges.collect();
        let values = arranged.queries(queries);
        let k = values.len() / b;
        let mut sums = vec![f64::NEG_INFINITY; b * self.classes];
        // A group may have rows of several classes: its range is one of each class.
        let groups = eligible.excluded.as_ref().filter(|excluded| excluded.is_grouped);
        let by_series = self.by_series((&values, k), &arranged, &ranges, &mut sums);
        let is_missing = |(_, classes): &Part| classes.len() > 1 || !by_series[classes.start];
        let parts = parts(&ranges, groups.is_some()).into_iter().filter(is_missing);
        for (part, classes) in parts {
            let left_out = match groups {
                Some(groups) => Some(groups.spans(&arranged.places[part.clone()])),
                None => arranged.left_out.as_ref().map(|spans| of_part(spans, &part)),
            };
            let among = arranged.coordinates(part.clone());
            let ends = ranges[classes.clone()].iter();
            let ends: Vec<usize> = ends.map(|range| range.end.min(part.end) - part.start).collect();
            for rows in cut(0..b, SUMS / ends.len()) {
                let spans = left_out.as_ref().map(|spans| spans[rows.clone()].to_vec());
                let columns = others(spans, rows.len(), part.len());
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
        Ok(ClassProbabilities::from_logs(sums, self.classes).with_ties(ties))
    }

    /// Adds the sums of classes for which a Fourier series is faster, and says which they are.
    fn by_series(
        &self,
        (queries, k): (&[f64], usize),
        arranged: &Arranged<'_>,
        ranges: &[Range<usize>],
        sums: &mut [f64],
    ) -> Vec<bool> {
        let mut found = vec![false; self.classes];
        // With weights there is one coordinate more; a group is left out class by class.
        if !matches!(k, 1 | 2) || self.weights.is_some() || self.groups.is_some() {
            return found;
        }
        let references = arranged.coordinates(0..arranged.rows.len());
        let large = ranges.iter().enumerate().filter(|(_, range)| range.len() >= LARGE_CLASS);
        for (class, range) in large {
            let (points, own) = ((queries, &references[..], k), arranged.left_out.as_deref());
            let by_series = series::sums(points, range.clone(), own, Averaged::Nothing);
            if let Some((logs, _)) = by_series {
                found[class] = true;
                let sums = sums.iter_mut().skip(class).step_by(self.classes);
                sums.zip(logs).for_each(|(sum, log)| *sum = log);
            }
        }
        found
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
type Part = (Range<usize>, Range<usize>);

/// The references cut into parts: a large class by itself, as many small ones as fit together, unless each is to be by
/// itself.
fn parts(ranges: &[Range<usize>], by_class: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut is_open = false;
    for (class, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
        let is_large = by_class || range.len() >= LARGE_CLASS;
        match parts.last_mut() {
            Some((rows, classes))
                if is_open && !is_large && rows.len() + range.len() <= PART_ROWS =>
            {
                (rows.end, classes.end) = (range.end, class + 1);
            }
            _ => parts.extend(
                cut(range.clone(), PART_ROWS).into_iter().map(|rows| (rows, class..class + 1)),
            ),
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
