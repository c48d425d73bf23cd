//! Measures of retrieval: precision, mean average precision.

use super::Embedded;
use super::knn::check_rows;
use crate::error::Result;
use crate::neighbors::{CandidateFilter, Points, check_dimensions, check_k, nearest_rows};

/// How well nearest neighbors rank references of a query's class before all others; every measure is 0..1,
/// larger is better.
///
/// ```text
/// R = references of the query's class,   P(i) = share of that class among the i nearest
/// precision@k = P(k)        R-precision = P(R)                                     (section 3.3 of [1])
/// MAP@R = (1/R) Σ_{i=1..R} P(i) [the i-th nearest is of that class]                (eq. 3 of [1])
/// ```
/// Precision@k is below 1 where R < k; MAP@R is 1 only where the R nearest are all of the class. Queries without a
/// relevant reference (R = 0) are left out of all three means, and counted in
/// [`without_relevant`](Self::without_relevant).
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

/// How each row of `test` ranks the rows of `train`, by exact distances; of equal ones the lower row comes first.
///
/// # Errors
/// k of 0 or above the training rows, not one label per row, different dimensions, or a coordinate that is not
/// finite. An empty test part is no error.
pub fn held_out_retrieval(train: Embedded, test: Embedded, k: usize) -> Result<Retrieval> {
    check_rows("training part", train)?;
    check_rows("test part", test)?;
    let queries = Points::read(test.points, "test points")?;
    let references = Points::read(train.points, "training points")?;
    check_dimensions(queries.dimensions(), references.dimensions())?;
    if queries.rows() == 0 {
        return Ok(summary(&[], k));
    }
    check_k(k, references.rows(), None)?;
    let most = train.labels.iter().chain(test.labels).max().map_or(0, |class| class + 1);
    let mut counts = vec![0; most];
    train.labels.iter().for_each(|&class| counts[class] += 1);
    let filter = CandidateFilter::new(&queries, &references, &train.points.device());
    let ranked = filter.map_rows(None, |row| {
        let class = test.labels[row.query()];
        (counts[class] > 0).then(|| {
            let nearest = nearest_rows(row, k.max(counts[class]));
            let is_hit = |&row: &u32| train.labels[row as usize] == class;
            precisions(&nearest.iter().map(is_hit).collect::<Vec<_>>(), counts[class], k)
        })
    });
    Ok(summary(&ranked, k))
}

/// precision@k, R-precision and the average precision of one query, by whether each of the `max(k, relevant)` nearest
/// references is relevant, nearest first.
fn precisions(hits: &[bool], relevant: usize, k: usize) -> [f64; 3] {
    let precision = |at: usize| hits[..at].iter().filter(|hit| **hit).count() as f64 / at as f64;
    let (mut found, mut sum) = (0usize, 0.0);
    for (before, _) in hits[..relevant].iter().enumerate().filter(|(_, hit)| **hit) {
        found += 1;
        sum += found as f64 / (before + 1) as f64;
    }
    [precision(k), precision(relevant), sum / relevant as f64]
}

/// The means over the queries that have a relevant reference.
fn summary(ranked: &[Option<[f64; 3]>], k: usize) -> Retrieval {
    let found: Vec<&[f64; 3]> = ranked.iter().flatten().collect();
    let mean = |measure: usize| {
        let sum: f64 = found.iter().map(|query| query[measure]).sum();
        (!found.is_empty()).then(|| sum / found.len() as f64)
    };
    Retrieval {
        k,
        precision_at_k: mean(0),
        r_precision: mean(1),
        map_at_r: mean(2),
        queries: ranked.len(),
        without_relevant: ranked.len() - found.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::neighbors::fixture::{d2, tensor};

    const DIMENSIONS: usize = 2;

    /// The definition with nested loops, the first `n` rows being the queries: the sums of precision@k, R-precision and
    /// average precision over those with a relevant reference, and the number of those without.
    fn naive(points: &[f64], labels: &[usize], n: usize, k: usize) -> ([f64; 3], usize) {
        let (mut sums, mut lonely) = ([0.0; 3], 0);
        for i in 0..n {
            let d2 = |j: usize| d2(points, DIMENSIONS, i, j);
            let mut order: Vec<usize> = (n..labels.len()).collect();
            order.sort_by(|a, b| d2(*a).total_cmp(&d2(*b)).then(a.cmp(b)));
            let same = |at: usize| f64::from(u8::from(labels[order[at]] == labels[i]));
            let precision = |at: usize| (0..at).map(same).sum::<f64>() / at as f64;
            let r = (0..order.len()).map(same).sum::<f64>() as usize;
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
            values in prop::collection::vec(-1.0f64..1.0, 40..120),
            labels in prop::collection::vec(0usize..5, 60),
            k in 1usize..9,
        ) {
            let rows = values.len() / DIMENSIONS;
            let (values, labels, n) = (&values[..DIMENSIONS * rows], &labels[..rows], rows / 3);
            let (queries, references) = values.split_at(DIMENSIONS * n);
            let [queries, references] = [queries, references].map(|rows| tensor(rows, DIMENSIONS));
            let train = Embedded::new(&references, &labels[n..]);
            let found =
                held_out_retrieval(train, Embedded::new(&queries, &labels[..n]), k).unwrap();
            let (sums, lonely) = naive(values, labels, n, k);
            prop_assert_eq!((found.queries, found.without_relevant), (n, lonely));
            let means = [found.precision_at_k, found.r_precision, found.map_at_r];
            for (found, sum) in means.iter().zip(sums) {
                let expected = (lonely < n).then(|| sum / (n - lonely) as f64);
                prop_assert!(*found == expected || (found.unwrap() - expected.unwrap()).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn no_query_has_no_mean_and_what_does_not_fit_is_refused() {
        let points = tensor(&[0.0, 1.0, 2.0], 1);
        let embedded = Embedded::new(&points, &[0, 1, 0]);
        let empty = points.clone().slice([0..0]);
        let none = Embedded::new(&empty, &[]);
        assert_eq!(held_out_retrieval(embedded, none, 1).unwrap().precision_at_k, None);
        assert!(held_out_retrieval(embedded, embedded, 4).is_err());
        assert!(held_out_retrieval(embedded, Embedded { labels: &[0], ..embedded }, 1).is_err());
        let plane = tensor(&[0.0, 1.0], 2);
        assert!(held_out_retrieval(embedded, Embedded::new(&plane, &[0]), 1).is_err());
    }
}
