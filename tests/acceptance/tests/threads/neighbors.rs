//! Neighbors, the rules over them, and the scale of a start.

use acceptance::data::{overlapping, uniform};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::evaluate::perplexities;
use burn_nca_learn::fit::{START_PERPLEXITY, perplexity_factor};
use burn_nca_learn::neighbors::{
    Exclude, NearestConfig, Neighbors, Numbers, Rule, SearchMethod, leave_one_out_kernel_means,
    leave_one_out_probabilities,
};
use burn_nca_learn::objective::transfer::float_tensor;

use super::{bits, same_on_any_threads};

fn tensor(values: &[f64], k: usize, dtype: DType) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len() / k, k], &Device::flex(), dtype)
}

fn entries(found: &Neighbors) -> Vec<(Vec<u32>, Vec<u64>)> {
    let of_row = |row| (found.indices(row).to_vec(), bits(found.sq_distances(row).to_vec()));
    (0..found.rows()).map(of_row).collect()
}

/// On a grid, where many distances are equal; by every method, which must all find the same.
#[test]
fn neighbors_by_every_method() {
    // Of the last, a tree is tried where no method is named.
    for (n, m, d, steps) in [(400, 1500, 2, 20.0), (300, 2500, 7, 3.0), (1000, 4000, 20, 2.0)] {
        let grid = |count: usize, seed| -> Vec<f64> {
            uniform(count * d, seed).into_iter().map(|x| (steps * x).round()).collect()
        };
        let references = tensor(&grid(m, 1), d, DType::F32);
        let queries = tensor(&grid(n, 2), d, DType::F32);
        let mut expected = None;
        for method in [SearchMethod::BruteForce, SearchMethod::Tree, SearchMethod::Auto] {
            let what = format!("{method:?} in {d} dimensions");
            let search = NearestConfig::new(5).with_method(method);
            let found = same_on_any_threads(&what, || {
                entries(&search.search(&queries, &references, None).unwrap())
            });
            assert!(*expected.get_or_insert_with(|| found.clone()) == found, "{what}");
        }
    }
}

#[test]
fn rules_over_neighbors_and_the_scale_of_a_start() {
    let (n, k) = (700, 3);
    let sample = overlapping(n, k, 4, 3);
    let values: Vec<f64> = sample.x.chunks(k).map(|row| row[0] * row[1]).collect();
    for dtype in [DType::F32, DType::F64] {
        let z = tensor(&sample.x, k, dtype);
        same_on_any_threads("probabilities", || {
            let found = leave_one_out_probabilities(&z, &sample.y, 4).unwrap();
            bits((0..n).flat_map(|row| found.log_probabilities(row).to_vec()))
        });
        same_on_any_threads("kernel means", || {
            bits(leave_one_out_kernel_means(&z, Numbers::new(&values, 1)).unwrap())
        });
        same_on_any_threads("perplexities", || bits(perplexities(&z).unwrap()));
        same_on_any_threads("L1 neighbors", || {
            entries(&Rule::Manhattan.nearest(&z, &z, 3, Exclude::nothing()).unwrap())
        });
        let factor = || perplexity_factor(&z, START_PERPLEXITY, 1).unwrap().to_bits();
        same_on_any_threads("the scale of a start", factor);
    }
}
