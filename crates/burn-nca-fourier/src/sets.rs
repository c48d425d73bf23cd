//! Which references each query sums over.

use core::ops::Range;

/// Which references each query sums over: a contiguous range, with or without the query itself.
///
/// Points in class order have their classes in contiguous ranges.
///
/// # Examples
/// ```
/// use burn_nca_fourier::Sets;
///
/// // Four points in class order, 0 0 1 1: each sums over the others of its class.
/// let sets = Sets::new(&[0..2, 0..2, 2..4, 2..4], 4, Some(0));
/// assert_eq!(sets.queries(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct Sets {
    pub(crate) groups: Vec<Group>,
    own: Own,
    queries: usize,
    references: usize,
}

/// The reference that each query leaves out.
#[derive(Clone, Debug)]
enum Own {
    None,
    /// This one of query 0, of query i the one i places further.
    From(usize),
    At(Vec<usize>),
}

/// The queries that sum over the same references.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Ascending.
    pub(crate) queries: Vec<u32>,
    pub(crate) references: Range<usize>,
}

impl Sets {
    /// The references within a range for each query, an empty range allowed. With `own`, query i is the reference
    /// `own + i` and does not sum over itself.
    ///
    /// # Panics
    /// If a range does not lie within the references, or a query is none of the references.
    pub fn new(spans: &[Range<usize>], references: usize, own: Option<usize>) -> Self {
        for (query, span) in spans.iter().enumerate() {
            assert!(
                span.start <= span.end && span.end <= references,
                "references {span:?} of query {query} do not lie within 0..{references}"
            );
        }
        let last = own.map_or(0, |own| own + spans.len());
        assert!(last <= references, "query {last} is not among {references} references");
        let mut order: Vec<u32> = (0..spans.len() as u32).collect();
        let span_of = |query: u32| &spans[query as usize];
        order.sort_by_key(|&query| (span_of(query).start, span_of(query).end));
        let groups = order.chunk_by(|&one, &other| span_of(one) == span_of(other));
        let group = |queries: &[u32]| Group {
            queries: queries.to_vec(),
            references: span_of(queries[0]).clone(),
        };
        let own = own.map_or(Own::None, Own::From);
        Self { groups: groups.map(group).collect(), own, queries: spans.len(), references }
    }

    /// Leaves out the reference `own[i]` of query i, of whichever range; a number behind all references is none of them.
    ///
    /// # Panics
    /// If there is not one number for each query.
    #[must_use]
    pub fn without(self, own: Vec<usize>) -> Self {
        assert_eq!(own.len(), self.queries, "the reference that each query leaves out");
        Self { own: Own::At(own), ..self }
    }

    /// All references for each query.
    pub fn all(queries: usize, references: usize, own: Option<usize>) -> Self {
        Self::new(&vec![0..references; queries], references, own)
    }

    /// Number of queries, b.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Number of references, m.
    pub fn references(&self) -> usize {
        self.references
    }

    /// The position among the references of its group of the one that a query leaves out, if it is one of them.
    pub(crate) fn own_place(&self, group: &Group, query: usize) -> Option<usize> {
        let own = match &self.own {
            Own::None => return None,
            Own::From(first) => first + query,
            Own::At(own) => own[query],
        };
        group.references.contains(&own).then(|| own - group.references.start)
    }
}
