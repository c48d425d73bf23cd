//! Which references each query sums over: a contiguous range or all but one, by position.

use core::ops::Range;
use std::sync::Arc;

/// Which references each query sums over.
///
/// Points in class order have their partners in one contiguous range and the points of other classes outside of it, so
/// that two numbers a query say it all and no `[b, m]` mask is needed.
///
/// # Examples
/// ```
/// use burn_nca_fused::NeighborSets;
///
/// // Four points in class order, 0 0 1 1: the partners of each, and the others.
/// let spans = vec![0..2, 0..2, 2..4, 2..4];
/// let partners = NeighborSets::within(spans.clone(), 4).without_self(0);
/// let others = NeighborSets::outside(spans, 4);
/// assert_eq!(partners.count(0), 1);
/// assert_eq!(others.count(0), 2);
/// ```
#[derive(Clone, Debug)]
pub struct NeighborSets {
    spans: Arc<[Range<usize>]>,
    references: usize,
    /// Whether the sum is over what lies outside a span.
    outside: bool,
    /// The reference that is query 0 itself; query i is the reference i places further.
    own: Option<usize>,
}

impl NeighborSets {
    /// Every reference, for each of `queries`.
    pub fn all(queries: usize, references: usize) -> Self {
        Self::within(vec![0..references; queries], references)
    }

    /// The references within a range for each query; an empty range is allowed.
    ///
    /// # Panics
    /// If a range does not lie within `0..references`.
    pub fn within(spans: Vec<Range<usize>>, references: usize) -> Self {
        for (query, span) in spans.iter().enumerate() {
            assert!(
                span.start <= span.end && span.end <= references,
                "columns {span:?} of query {query} do not lie within 0..{references}"
            );
        }
        Self { spans: spans.into(), references, outside: false, own: None }
    }

    /// The references outside a range for each query.
    ///
    /// # Panics
    /// If a range does not lie within `0..references`.
    pub fn outside(spans: Vec<Range<usize>>, references: usize) -> Self {
        Self { outside: true, ..Self::within(spans, references) }
    }

    /// Leaves out the query itself: query i is reference `first + i`.
    ///
    /// # Panics
    /// If there are not so many references.
    pub fn without_self(self, first: usize) -> Self {
        let last = first + self.queries();
        assert!(
            last <= self.references,
            "query {last} is not among {} references",
            self.references
        );
        Self { own: Some(first), ..self }
    }

    /// The same sets for the Fourier series.
    ///
    /// # Panics
    /// If they are what lies outside of a range.
    #[cfg(all(feature = "burn", feature = "fourier"))]
    pub(crate) fn sets(&self) -> burn_nca_fourier::Sets {
        assert!(
            !self.outside,
            "a Fourier series sums over ranges, not over what lies outside of them"
        );
        burn_nca_fourier::Sets::new(&self.spans, self.references, self.own)
    }

    /// Number of queries, b.
    pub fn queries(&self) -> usize {
        self.spans.len()
    }

    /// Number of references, m.
    pub fn references(&self) -> usize {
        self.references
    }

    /// Number of references that a query sums over.
    pub fn count(&self, query: usize) -> usize {
        let span = &self.spans[query];
        let own = self.own.is_some_and(|first| self.outside != span.contains(&(first + query)));
        let count = if self.outside { self.references - span.len() } else { span.len() };
        count - usize::from(own)
    }

    /// Whether the queries are the references, and each is among the columns of those that are among its own: all
    /// others, or the others of its class or of other classes, in class order.
    ///
    /// # Examples
    /// ```
    /// use burn_nca_fused::NeighborSets;
    ///
    /// let classes = vec![0..2, 0..2, 2..3];
    /// assert!(NeighborSets::within(classes.clone(), 3).without_self(0).is_mutual());
    /// assert!(NeighborSets::outside(classes.clone(), 3).is_mutual());
    /// assert!(!NeighborSets::within(classes[1..].to_vec(), 3).without_self(1).is_mutual());
    /// ```
    pub fn is_mutual(&self) -> bool {
        if self.queries() != self.references || self.own.is_some_and(|first| first != 0) {
            return false;
        }
        // Each range is that of all in it.
        let mut at = 0;
        while at < self.references {
            let span = self.spans[at].clone();
            if span.start != at || span.is_empty() {
                return false;
            }
            at = span.end;
            if self.spans[span.clone()].iter().any(|other| *other != span) {
                return false;
            }
        }
        true
    }

    /// What to leave out of `columns` for a query: four ranges counted from their start (some may be empty).
    #[inline]
    pub(crate) fn left_out(&self, query: usize, columns: &Range<usize>) -> [Range<usize>; 4] {
        let within = |from: usize, to: usize| {
            let start = from.clamp(columns.start, columns.end);
            let end = to.clamp(start, columns.end);
            start - columns.start..end - columns.start
        };
        let span = &self.spans[query];
        let own = self.own.map_or(0..0, |first| within(first + query, first + query + 1));
        let beyond = within(self.references, columns.end);
        if self.outside {
            [within(span.start, span.end), 0..0, own, beyond]
        } else {
            [within(columns.start, span.start), within(span.end, columns.end), own, beyond]
        }
    }

    /// The parts of `columns` that some of `queries` sums over, in whole vectors of `lanes`; none of them is empty.
    #[inline]
    pub(crate) fn cover(
        &self,
        queries: Range<usize>,
        columns: &Range<usize>,
        lanes: usize,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let spans = &self.spans[queries];
        let starts = spans.iter().map(|span| span.start);
        let ends = spans.iter().map(|span| span.end);
        let parts = if self.outside {
            // What all of them leave out.
            let start = starts.max().unwrap_or(0).next_multiple_of(lanes);
            let end = ends.min().unwrap_or(0) / lanes * lanes;
            if start < end {
                [columns.start..columns.end.min(start), columns.start.max(end)..columns.end]
            } else {
                [columns.clone(), 0..0]
            }
        } else {
            let start = starts.min().unwrap_or(0) / lanes * lanes;
            let end = ends.max().unwrap_or(0).next_multiple_of(lanes);
            [columns.start.max(start)..columns.end.min(end), 0..0]
        };
        parts.into_iter().filter(|part| !part.is_empty())
    }

    /// First and last column of each span, and the query's own column (or one that does not exist).
    pub fn bounds(&self, queries: Range<usize>) -> [Vec<i64>; 3] {
        let spans = || self.spans[queries.clone()].iter();
        let starts = spans().map(|span| span.start as i64).collect();
        let ends = spans().map(|span| span.end as i64).collect();
        let own = queries.clone().map(|query| self.own.map_or(-1, |first| (first + query) as i64));
        [starts, ends, own.collect()]
    }

    /// Whether sums run over what lies outside the spans.
    pub fn is_outside(&self) -> bool {
        self.outside
    }
}
