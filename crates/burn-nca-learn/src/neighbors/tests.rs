//! Every search method against the definition, with nested loops in f64, and its invariances.

use burn::tensor::{DType, Device};
use proptest::prelude::*;

use super::excluded::Exclude;
use super::fixture::{tensor, tensor_of};
use super::points::Points;
use super::ranking::Neighbors;
use super::search::{NearestConfig, SearchMethod, nearest, nearest_others};
use crate::baseline::fixture::assert_refused;
use crate::data::Features;
use crate::error::Result;

/// The definition: all distances, sorted by distance and then by row, of the references that each query may find.
fn naive(
    queries: &[f64],
    references: &[f64],
    d: usize,
    k: usize,
    may_find: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<u32>> {
    let nearest = |(i, query): (usize, &[f64])| {
        let distance = |r: &[f64]| r.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut order: Vec<(f64, u32)> =
            references.chunks(d).enumerate().map(|(j, r)| (distance(r), j as u32)).collect();
        order.retain(|(_, j)| may_find(i, *j as usize));
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order[..k].iter().map(|(_, j)| *j).collect()
    };
    queries.chunks(d).enumerate().map(nearest).collect()
}

fn rows(neighbors: &Neighbors) -> Vec<Vec<u32>> {
    (0..neighbors.rows()).map(|row| neighbors.indices(row).to_vec()).collect()
}

const METHODS: [SearchMethod; 3] =
    [SearchMethod::BruteForce, SearchMethod::Tree, SearchMethod::Auto];

/// Holds what each method finds of each row among the others against the expected neighbors.
fn assert_found(expected: &[Vec<u32>], (values, d): (&[f64], usize), dtype: DType, what: &str) {
    for method in METHODS {
        let search = NearestConfig::new(expected[0].len()).with_method(method);
        let found = rows(&search.search_others(&tensor_of(values, d, dtype)).unwrap());
        assert_eq!(found, expected, "{what} {method:?} {dtype:?}");
    }
}

/// Coordinates that are small whole numbers: exact in every dtype, full of ties and duplicates.
fn lattice(max: i32, size: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-max..=max).prop_map(f64::from), size)
}

proptest! {
    #[test]
    fn every_method_and_dtype_gives_the_neighbors_of_the_definition(
        max in prop::sample::select(vec![0, 1, 3, 1000]),
        d in 1usize..11,
        seed in lattice(1000, 22..700),
        share in 0.0f64..1.0,
        offset in prop::sample::select(vec![0.0, 4096.0]),
    ) {
        let n = seed.len() / d;
        prop_assume!(n >= 2);
        let values: Vec<f64> =
            seed[..n * d].iter().map(|x| x % f64::from(max + 1) + offset).collect();
        let k = 1 + ((n - 2) as f64 * share) as usize;
        let expected = naive(&values, &values, d, k, |i, j| i != j);
        assert_found(&expected, (&values, d), DType::F64, "");
        // Whole numbers of thousands are nearer to each other than f32 tells.
        if max < 1000 {
            assert_found(&expected, (&values, d), DType::F32, "");
        }
    }
}

#[test]
fn equal_points_are_at_distance_zero_and_ordered_by_row() {
    // Far from the origin the products cancel all digits of these differences in f32.
    let values: Vec<f64> = (0..40).flat_map(|i| [1e6 + f64::from(i % 2), 1e6]).collect();
    for method in METHODS {
        for dtype in [DType::F32, DType::F64] {
            let points = tensor_of(&values, 2, dtype);
            let found = NearestConfig::new(20).with_method(method).search_others(&points).unwrap();
            let expected: Vec<u32> = (2..40).step_by(2).chain([1]).collect();
            assert_eq!(found.indices(0), expected);
            assert_eq!(&found.sq_distances(0)[..19], [0.0; 19]);
            assert_eq!(found.sq_distances(0)[19], 1.0);
        }
    }
}

#[test]
fn extreme_scales_in_f32_give_the_same_neighbors() {
    let values: Vec<f64> = (0..90).map(|i| f64::from(i * i % 89)).collect();
    let expected = rows(&nearest_others(&tensor(&values, 3), 4).unwrap());
    for exponent in [-90, -60, -18, 18, 60, 90] {
        let scaled: Vec<f64> = values.iter().map(|x| x * 2f64.powi(exponent)).collect();
        assert_found(&expected, (&scaled, 3), DType::F32, &format!("2^{exponent}"));
    }
}

#[test]
fn autodiff_devices_give_the_same() {
    let values: Vec<f64> = (0..120).map(|i| f64::from(i * i % 97) / 10.0).collect();
    let expected = nearest_others(&tensor(&values, 12), 3).unwrap();
    let points = tensor(&values, 12).autodiff();
    assert_eq!(nearest_others(&points, 3).unwrap(), expected);
}

#[test]
fn no_query_is_no_error() {
    let points = tensor(&[0.0; 27], 9);
    assert_eq!(nearest(&points.clone().slice([0..0]), &points, 1, None).unwrap().rows(), 0);
}

#[test]
fn references_that_are_searched_in_parts_give_the_same_neighbors() {
    // Many ties, within a part and between parts.
    let values: Vec<f64> = (0..180).map(|at| f64::from(at * at % 7)).collect();
    let all = Features::unnamed(values, 3).unwrap();
    let own: Vec<usize> = vec![59, 3, 30, 0];
    let (queries, device) = (all.select(&own), Device::flex());
    let groups: Vec<usize> = (0..60).map(|row| row % 9).collect();
    let in_parts = |search: &NearestConfig, exclude: Exclude<'_>, rows: usize| {
        let part = |rows: std::ops::Range<usize>| {
            Points::of(&all.select(&rows.collect::<Vec<_>>()), "references")
        };
        let queries = Points::of(&queries, "queries").unwrap();
        let excluded = exclude.eligible(4, 60).unwrap().excluded;
        search.search_parts(&queries, (60, &part), excluded.as_ref(), (rows, &device))
    };
    let itself = Exclude::own(&own);
    for method in METHODS {
        for k in [1, 4] {
            let search = NearestConfig::new(k).with_method(method);
            for exclude in [Exclude::nothing(), itself, itself.with_groups(Some(&groups))] {
                let expected = host_search(&search, &queries, &all, exclude).unwrap();
                for rows in [1, 11, 25, 60, 100] {
                    let found = in_parts(&search, exclude, rows).unwrap();
                    assert_eq!(found, expected, "{method:?}, {rows} rows at a time");
                }
                let narrow = host_search(&search, &queries, &all.narrowed(), exclude);
                assert_eq!(narrow.unwrap(), expected);
            }
        }
    }
    for (k, own, refused) in [
        (60, &own[..], "only 59 references other than the query itself"),
        (1, &own[1..], "3 own rows for 4 queries"),
    ] {
        let exclude = Exclude::own(own);
        let found = host_search(&NearestConfig::new(k), &queries, &all.narrowed(), exclude);
        assert_refused(found, &[refused]);
    }
}

/// The search among rows on the host.
fn host_search(
    search: &NearestConfig,
    queries: &Features,
    references: &Features,
    exclude: Exclude<'_>,
) -> Result<Neighbors> {
    search.search_features_excluding(queries, references, exclude, &Device::flex())
}

/// Rows of small whole numbers, full of ties.
fn grid(d: usize, n: usize, levels: usize, seed: usize) -> Vec<f64> {
    (0..n * d).map(|at| ((at * at * 31 + at * 17 + seed * 7919) % 1009 % levels) as f64).collect()
}

#[test]
fn a_metric_that_scales_or_permutes_whole_numbers_has_the_votes_of_euclidean_distance() {
    for (d, n, levels) in
        [(1, 60, 9), (2, 90, 5), (4, 200, 5), (7, 120, 2), (12, 150, 3), (40, 80, 4)]
    {
        let values = grid(d, n, levels, d + n);
        let own: Vec<usize> = (0..n).collect();
        for k in [1, 5] {
            let expected = naive(&values, &values, d, k, |i, j| i != j);
            let scales =
                [1.0, 0.5, 3.0, (1.0 / 3.0f64).sqrt(), 1.0 / (d as f64).sqrt(), 0.1, 1e-3, 7e4];
            for (at, scale) in scales.into_iter().enumerate() {
                let column = |c: usize| (c * if d % 7 == 0 { 5 } else { 7 } + at) % d;
                let moved = |row: &[f64], scale: &dyn Fn(f64) -> f64| -> Vec<f64> {
                    (0..d).map(|c| scale(row[column(c)])).collect()
                };
                let double: Vec<f64> =
                    values.chunks(d).flat_map(|row| moved(row, &|x| x * scale)).collect();
                let single = |x: f64| f64::from(x as f32 * scale as f32);
                let single: Vec<f64> =
                    values.chunks(d).flat_map(|row| moved(row, &single)).collect();
                let what = format!("{d} {k} {scale}");
                assert_found(&expected, (&double, d), DType::F64, &what);
                assert_found(&expected, (&single, d), DType::F32, &what);
                for method in METHODS {
                    let search = NearestConfig::new(k).with_method(method);
                    let features = Features::unnamed(double.clone(), d).unwrap();
                    let found = host_search(&search, &features, &features, Exclude::own(&own));
                    assert_eq!(rows(&found.unwrap()), expected, "{what} {method:?}");
                }
            }
        }
    }
}

#[test]
fn groups_and_rows_without_weight_are_found_by_no_method() {
    for (d, n) in [(2, 300), (9, 120)] {
        let values = grid(d, n, 6, 3);
        let groups: Vec<usize> = (0..n).map(|row| row * row % 11).collect();
        let weights: Vec<f64> = (0..n).map(|row| (row % 5) as f64).collect();
        let own: Vec<usize> = (0..n).step_by(3).collect();
        let queries: Vec<f64> =
            own.iter().flat_map(|&row| values[row * d..][..d].to_vec()).collect();
        let exclude = Exclude::own(&own);
        let cases = [
            exclude.with_groups(Some(&groups)),
            exclude.with_weights(Some(&weights)),
            exclude.with_groups(Some(&groups)).with_weights(Some(&weights)),
            Exclude::nothing().with_weights(Some(&weights)),
        ];
        for (at, exclude) in cases.into_iter().enumerate() {
            let (by_group, by_weight, itself) = ([0, 2].contains(&at), at > 0, at < 3);
            let expected = naive(&queries, &values, d, 4, |query, row| {
                let left_out = (itself && row == own[query])
                    || (by_group && groups[row] == groups[own[query]])
                    || (by_weight && weights[row] == 0.0);
                !left_out
            });
            for method in METHODS {
                let search = NearestConfig::new(4).with_method(method);
                let found =
                    search.search_excluding(&tensor(&queries, d), &tensor(&values, d), exclude);
                assert_eq!(rows(&found.unwrap()), expected, "{d} {at} {method:?}");
                let [queries, all] =
                    [&queries, &values].map(|values| Features::unnamed(values.clone(), d).unwrap());
                let found = host_search(&search, &queries, &all.narrowed(), exclude);
                assert_eq!(rows(&found.unwrap()), expected, "{d} {at} {method:?} in parts");
            }
        }
        let search = NearestConfig::new(n);
        let found = search.search_excluding(&tensor(&queries, d), &tensor(&values, d), cases[0]);
        assert_refused(found, &["not of its own group"]);
    }
}
