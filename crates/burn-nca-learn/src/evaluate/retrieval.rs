//! Measures of retrieval: recall, precision, mean average precision.

use burn::tensor::Device;

use super::Embedded;
use super::knn::{check_groups, check_rows};
use crate::error::Result;
use crate::neighbors::{
    CandidateFilter, Excluded, Points, check_dimensions, check_k, nearest_rows,
};

/// How well nearest neighbors rank references of a query's class before all others; every measure is 0..1,
/// larger is better.
///
/// ```text
/// R = references of the query's class,   P(i) = share of that class among the i nearest
/// precision@k = P(k)        R-precision = P(R)                                     (section 3.3 of [1])
/// MAP@R = (1/R) Σ_{i=1..R} P(i) [the i-th nearest is of that class]                (eq. 3 of [1])
/// ```
/// Precision@k looks at the k nearest only, and is below 1 where R < k. R-precision looks as far as the class
/// could fill; MAP@R also at the order: it is 1 only where the R nearest are all of the class.
///
/// # Queries without a relevant reference
/// Where R = 0 the measures by R have no value. Such queries are left out of all three means, so that these
/// speak of the same queries, and are counted in [`without_relevant`](Self::without_relevant).
///
/// # References
/// \[1\] K. Musgrave, S. Belongie, S.-N. Lim, A Metric Learning Reality Check, ECCV 2020.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retrieval {
    /// The k of precision@k.
    pub k: usize,
    /// The mean of precision@k; `None` where no query has a relevant reference.
    pub precision_at_k: Option<f64>,
    /// The mean R-precision; `None` as above.
    pub r_precision: Option<f64>,
    /// MAP@R, the mean average precision at R; `None` as above.
    pub map_at_r: Option<f64>,
    /// Number of queries, those without a relevant reference included.
    pub queries: usize,
    /// Number of queries without any reference of their class.
    pub without_relevant: usize,
}

/// How each row of an embedding ranks all others.
///
/// A row is never its own neighbor, and does not count in its R: it is left out by its number, so that an exact
/// copy of it is a neighbor.
///
/// # Numerics
/// Exact distances; of equal ones the lower row comes first. Memory: blocks of estimates and R neighbors a
/// thread, never n x n.
///
/// # Errors
/// k of 0 or above n - 1, not one label per row, or a coordinate that is not finite. An empty embedding is no error.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::evaluate::{Embedded, leave_one_out_retrieval};
///
/// let points = Tensor::<2>::from_floats([[0.0], [1.0], [3.0], [9.0]], &Device::flex());
/// let found = leave_one_out_retrieval(Embedded::new(&points, &[0, 0, 1, 1]), 1)?;
/// // Only the row at 3 has a nearest row of the other class.
/// assert_eq!((found.precision_at_k, found.map_at_r), (Some(0.75), Some(0.75)));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub fn leave_one_out_retrieval(embedded: Embedded, k: usize) -> Result<Retrieval> {
    check_rows("embedding", embedded)?;
    let points = Points::read(embedded.points, "embedding's points")?;
    let own: Vec<usize> = (0..points.rows()).collect();
    check_groups(embedded)?;
    let excluded = Excluded::own_or_group(&own, embedded.groups);
    let device = embedded.points.device();
    rank((&points, embedded.labels), (&points, embedded.labels), Some(&excluded), k, &device)
}

/// How each row of `test` ranks the rows of `train`.
///
/// # Numerics
/// As [`leave_one_out_retrieval`].
///
/// # Errors
/// k of 0 or above the training rows, not one label per row, different dimensions, or a coordinate that is not
/// finite. An empty test part is no error.
pub fn held_out_retrieval(train: Embedded, test: Embedded, k: usize) -> Result<Retrieval> {
    check_rows("training part", train)?;
    check_rows("test part", test)?;
    let queries = Points::read(test.points, "test points")?;
    let points = Points::read(train.points, "training points")?;
    check_dimensions(queries.dimensions(), points.dimensions())?;
    rank((&queries, test.labels), (&points, train.labels), None, k, &train.points.device())
}

/// How queries rank references, each with their classes.
fn rank(
    (queries, classes): (&Points, &[usize]),
    (references, labels): (&Points, &[usize]),
    excluded: Option<&Excluded<'_>>,
    k: usize,
    device: &Device,
) -> Result<Retrieval> {
    if queries.rows() == 0 {
        return Ok(summary(&[], k));
    }
    check_k(k, references.rows(), excluded)?;
    let most = labels.iter().chain(classes).max().map_or(0, |class| class + 1);
    let mut counts = vec![0; most];
    labels.iter().for_each(|&class| counts[class] += 1);
    let filter = CandidateFilter::new(queries, references, device);
    let ranked = filter.map_rows(excluded, |row| {
        let class = classes[row.query()];
        let left_out = excluded.map_or(&[][..], |excluded| excluded.rows(row.query()));
        let of_class = left_out.iter().filter(|row| labels[**row] == class).count();
        let relevant = counts[class] - of_class;
        (relevant > 0).then(|| {
            let nearest = nearest_rows(row, k.max(relevant));
            let hits: Vec<bool> =
                nearest.iter().map(|&row| labels[row as usize] == class).collect();
            Precisions::of(&hits, relevant, k)
        })
    });
    Ok(summary(&ranked, k))
}

/// The three measures of one query.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Precisions {
    at_k: f64,
    at_r: f64,
    average: f64,
}

impl Precisions {
    /// From whether each of the `max(k, relevant)` nearest references is relevant, nearest first.
    fn of(hits: &[bool], relevant: usize, k: usize) -> Self {
        let precision =
            |at: usize| hits[..at].iter().filter(|hit| **hit).count() as f64 / at as f64;
        let (mut found, mut sum) = (0usize, 0.0);
        for (before, _) in hits[..relevant].iter().enumerate().filter(|(_, hit)| **hit) {
            found += 1;
            sum += found as f64 / (before + 1) as f64;
        }
        Self { at_k: precision(k), at_r: precision(relevant), average: sum / relevant as f64 }
    }
}

/// The means over the queries that have a relevant reference.
fn summary(ranked: &[Option<Precisions>], k: usize) -> Retrieval {
    let found: Vec<Precisions> = ranked.iter().copied().flatten().collect();
    let mean = |measure: fn(&Precisions) -> f64| {
        (!found.is_empty()).then(|| found.iter().map(measure).sum::<f64>() / found.len() as f64)
    };
    Retrieval {
        k,
        precision_at_k: mean(|query| query.at_k),
        r_precision: mean(|query| query.at_r),
        map_at_r: mean(|query| query.average),
        queries: ranked.len(),
        without_relevant: ranked.len() - found.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::neighbors::fixture::{d2, tensor};

    /// The definition with nested loops: the sums of precision@k, R-precision and average precision over the queries
    /// with a relevant reference, and the number of those without.
    fn naive(points: &[f64], d: usize, labels: &[usize], k: usize) -> ([f64; 3], usize) {
        let n = labels.len();
        let (mut sums, mut lonely) = ([0.0; 3], 0);
        for i in 0..n {
            let d2 = |j: usize| d2(points, d, i, j);
            let mut order: Vec<usize> = (0..n).filter(|j| *j != i).collect();
            order.sort_by(|a, b| d2(*a).total_cmp(&d2(*b)).then(a.cmp(b)));
            let same = |at: usize| f64::from(u8::from(labels[order[at]] == labels[i]));
            let precision = |at: usize| (0..at).map(same).sum::<f64>() / at as f64;
            let r = (0..n - 1).map(same).sum::<f64>() as usize;
            if r == 0 {
                lonely += 1;
                continue;
            }
            let average = (0..r).map(|at| precision(at + 1) * same(at)).sum::<f64>() / r as f64;
            [precision(k), precision(r), average].iter().zip(&mut sums).for_each(|(x, s)| *s += x);
        }
        (sums, lonely)
    }

    proptest! {
        #[test]
        fn the_measures_are_those_of_the_definition(
            values in prop::collection::vec(-1.0f64..1.0, 20..120),
            labels in prop::collection::vec(0usize..5, 60),
            k in 1usize..9,
        ) {
            let n = values.len() / 2;
            let points = tensor(&values[..2 * n], 2);
            let found =
                leave_one_out_retrieval(Embedded::new(&points, &labels[..n]), k).unwrap();
            let (sums, lonely) = naive(&values[..2 * n], 2, &labels[..n], k);
            prop_assert_eq!((found.queries, found.without_relevant), (n, lonely));
            let counted = (n - lonely) as f64;
            for (found, sum) in
                [found.precision_at_k, found.r_precision, found.map_at_r].iter().zip(sums)
            {
                prop_assert!((found.unwrap() - sum / counted).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn queries_against_references_by_hand() {
        let references = tensor(&[0.0, 1.0, 2.0, 10.0], 1);
        let train = Embedded::new(&references, &[0, 1, 0, 1]);
        let queries = tensor(&[-1.0, 11.0, 5.0], 1);
        // Query 0, class 0: ranked 0 1 0 1, R = 2: P(2) = 1/2, average precision (1/1) / 2.
        // Query 1, class 1: ranked 1 0 1 0, R = 2: the same. Query 2: no reference of class 2.
        let test = Embedded::new(&queries, &[0, 1, 2]);
        let found = held_out_retrieval(train, test, 3).unwrap();
        assert_eq!(found.precision_at_k, Some(2.0 / 3.0));
        assert_eq!((found.r_precision, found.map_at_r), (Some(0.5), Some(0.5)));
        assert_eq!((found.queries, found.without_relevant), (3, 1));
    }

    #[test]
    fn a_copy_of_a_query_is_a_neighbor_and_the_query_is_not() {
        let points = tensor(&[5.0, 5.0, 6.0], 1);
        let found = leave_one_out_retrieval(Embedded::new(&points, &[0, 0, 1]), 1).unwrap();
        assert_eq!((found.precision_at_k, found.map_at_r), (Some(1.0), Some(1.0)));
        assert_eq!(found.without_relevant, 1);
    }

    #[test]
    fn without_queries_or_relevant_references_there_is_no_mean() {
        let points = tensor(&[0.0, 1.0], 1);
        let embedded = Embedded::new(&points, &[0, 1]);
        let found = leave_one_out_retrieval(embedded, 1).unwrap();
        assert_eq!((found.map_at_r, found.queries, found.without_relevant), (None, 2, 2));
        let empty = points.clone().slice([0..0]);
        let none = Embedded::new(&empty, &[]);
        assert_eq!(leave_one_out_retrieval(none, 1).unwrap().queries, 0);
        assert_eq!(held_out_retrieval(embedded, none, 1).unwrap().precision_at_k, None);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let points = tensor(&[0.0, 1.0, 2.0], 1);
        let embedded = Embedded::new(&points, &[0, 1, 0]);
        let error = leave_one_out_retrieval(embedded, 3).unwrap_err().to_string();
        assert!(
            error.contains("k is 3") && error.contains("only 2 references other than"),
            "{error}"
        );
        assert!(held_out_retrieval(embedded, embedded, 0).is_err());
        assert!(held_out_retrieval(embedded, Embedded { labels: &[0], ..embedded }, 1).is_err());
        let plane = tensor(&[0.0, 1.0], 2);
        let other = Embedded::new(&plane, &[0]);
        assert!(held_out_retrieval(embedded, other, 1).is_err());
    }
}
