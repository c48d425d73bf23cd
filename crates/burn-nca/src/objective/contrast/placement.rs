//! Queries and candidates class by class, so that a range says which candidates a query sums over.

use core::iter::repeat_n;
use core::ops::Range;

use burn_nca_fused::NeighborSets;

/// Classes, and numbers of samples where they are distinguished.
#[derive(Clone, Copy)]
pub(in super::super) struct Samples<'a> {
    pub(in super::super) labels: &'a [i64],
    pub(in super::super) ids: Option<&'a [i64]>,
}

/// The order in which queries and candidates are placed, and where each query finds its class and itself.
pub(in super::super) struct Placement {
    /// The queries, class by class.
    pub(in super::super) queries: Vec<usize>,
    /// The candidates, class by class, and in each class sample by sample.
    pub(in super::super) candidates: Vec<usize>,
    /// The placed candidates of a placed query's class.
    spans: Vec<Range<usize>>,
    /// Those among them that are the query's own sample.
    own: Vec<Range<usize>>,
}

impl Placement {
    /// Places queries and those candidates that are usable.
    ///
    /// # Panics
    /// If a query's sample is among the candidates with another class.
    pub(in super::super) fn new(
        queries: Samples,
        candidates: Samples,
        usable: Option<&[i64]>,
    ) -> Self {
        let key = |of: Samples, row: usize| (of.labels[row], of.ids.map_or(0, |ids| ids[row]));
        let mut placed: Vec<usize> = (0..candidates.labels.len())
            .filter(|row| usable.is_none_or(|usable| usable[*row] != 0))
            .collect();
        placed.sort_by_key(|row| key(candidates, *row));
        let mut order: Vec<usize> = (0..queries.labels.len()).collect();
        order.sort_by_key(|row| key(queries, *row));
        let start = |below: (i64, i64)| placed.partition_point(|row| key(candidates, *row) < below);
        let end = |upto: (i64, i64)| placed.partition_point(|row| key(candidates, *row) <= upto);
        let of_class = |label| start((label, i64::MIN))..end((label, i64::MAX));
        let spans: Vec<_> = order.iter().map(|row| of_class(queries.labels[*row])).collect();
        let has_ids = queries.ids.is_some() && candidates.ids.is_some();
        let own = order.iter().zip(&spans).map(|(row, span)| match has_ids {
            true => start(key(queries, *row))..end(key(queries, *row)),
            false => span.start..span.start,
        });
        let own = own.collect();
        assert_one_class_a_sample(queries, candidates, &placed);
        Self { queries: order, candidates: placed, spans, own }
    }

    /// The candidates of the class, in up to two ranges around the query's own sample.
    pub(in super::super) fn positives(&self) -> Vec<NeighborSets> {
        let m = self.candidates.len();
        if self.own.iter().enumerate().all(|(row, own)| *own == (row..row + 1)) {
            return vec![NeighborSets::within(self.spans.clone(), m).without_self(0)];
        }
        let around = || self.spans.iter().zip(&self.own);
        let before: Vec<_> = around().map(|(span, own)| span.start..own.start).collect();
        let after = around().map(|(span, own)| own.end..span.end).collect();
        let is_needed = before.iter().any(|range| !range.is_empty());
        let before = is_needed.then(|| NeighborSets::within(before, m));
        before.into_iter().chain([NeighborSets::within(after, m)]).collect()
    }

    pub(in super::super) fn others(&self) -> NeighborSets {
        NeighborSets::outside(self.spans.clone(), self.candidates.len())
    }

    /// All candidates but the query's own sample.
    pub(in super::super) fn all(&self) -> NeighborSets {
        NeighborSets::outside(self.own.clone(), self.candidates.len())
    }

    /// Number of positives of each placed query.
    pub(in super::super) fn num_positives(&self) -> Vec<usize> {
        self.spans.iter().zip(&self.own).map(|(span, own)| span.len() - own.len()).collect()
    }

    /// The class of each placed query and of each placed candidate as a number from 0 on, and how many there are.
    ///
    /// A class without a candidate has the last number.
    pub(in super::super) fn classes(&self, candidates: &[i64]) -> (Vec<usize>, Vec<usize>, usize) {
        let groups = self.candidates.chunk_by(|a, b| candidates[*a] == candidates[*b]);
        let numbered = groups.enumerate().flat_map(|(class, rows)| repeat_n(class, rows.len()));
        let of_candidates: Vec<usize> = numbered.collect();
        let classes = of_candidates.last().map_or(0, |last| last + 1);
        let class = |span: &Range<usize>| of_candidates[span.clone()].first().copied();
        let of_queries = self.spans.iter().map(|span| class(span).unwrap_or(classes)).collect();
        (of_queries, of_candidates, classes + 1)
    }

    /// Each placed query with each placed candidate that is its own sample.
    pub(in super::super) fn own_pairs(&self) -> (Vec<usize>, Vec<usize>) {
        let pairs = self.own.iter().enumerate();
        pairs.flat_map(|(query, own)| own.clone().map(move |candidate| (query, candidate))).unzip()
    }
}

/// Panics if a query's sample is among the candidates with another class: it would be compared with itself.
fn assert_one_class_a_sample(queries: Samples, candidates: Samples, placed: &[usize]) {
    let (Some(query_ids), Some(ids)) = (queries.ids, candidates.ids) else { return };
    let mut known: Vec<(i64, i64)> =
        query_ids.iter().copied().zip(queries.labels.iter().copied()).collect();
    known.sort_unstable();
    for row in placed {
        let (id, label) = (ids[*row], candidates.labels[*row]);
        let at = known.partition_point(|(other, _)| *other < id);
        let of_sample = known[at..].iter().take_while(|(other, _)| *other == id);
        for (_, other) in of_sample {
            assert!(
                *other == label,
                "sample {id} is of class {other} in the batch and of class {label} among the candidates; a \
                 sample has one class"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "sample 4 is of class 0 in the batch and of class 1 among")]
    fn a_sample_of_two_classes_is_refused() {
        let queries = Samples { labels: &[0], ids: Some(&[4]) };
        let candidates = Samples { labels: &[1], ids: Some(&[4]) };
        Placement::new(queries, candidates, None);
    }
}
