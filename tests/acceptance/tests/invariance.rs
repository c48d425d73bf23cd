//! The objective against the oracle, whatever the data: any shape, any classes, duplicates, every scale; sparse rows against
//! the same rows written out; and the defects of other programs that must not be ours (docs/peers.md).
//!
//! Most features and maps are small whole numbers times a power of two, so that embeddings and distances are exact in f32
//! and f64: what differs from the oracle is the library's, at whatever scale. The others are any numbers of f32.

use acceptance::compare::assert_close;
use acceptance::data::{lbfgs, overlapping, transposed};
use acceptance::oracle::{self, Nca, sq_distance};
use acceptance::setup::{at_block, classes, linear, matrix};
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device};
use burn_nca_learn::baseline::{Projection, TruncatedSvdConfig};
use burn_nca_learn::data::{Features, Labeled, SparseFeatures};
use burn_nca_learn::fit::exact::{self, BlockConfig};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::fit::{FitConfig, Start, Termination, cached, parallel};
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{ClassTarget, Criterion, NcaLossConfig};
use burn_nca_learn::{Fitted, NcaConfig};
use proptest::prelude::*;
use proptest::sample::select;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number of features.
const D: usize = 3;

/// A map, rows with classes, and how the work on them is cut.
#[derive(Clone, Debug)]
struct Case {
    /// `[n, D]`.
    x: Vec<f64>,
    /// `[k, D]`.
    a: Vec<f64>,
    k: usize,
    y: Vec<usize>,
    /// Whether embedding and distances are exact.
    is_exact: bool,
    /// Rows of a block of terms.
    block: usize,
    /// Rows that pass through the encoder together.
    chunk: usize,
}

impl Case {
    fn embedding(&self) -> Vec<f64> {
        oracle::embed(&self.x, D, &self.a, self.k)
    }
}

/// Powers of two: where p is neither 0 nor 1, from 1e-6 to 1e6, and beyond.
fn powers(beyond: i32) -> impl Strategy<Value = i32> {
    prop_oneof![3 => -6..2, 2 => -20..21, 1 => -beyond..beyond + 1]
}

fn cases(beyond: i32) -> impl Strategy<Value = Case> {
    let shape = (2usize..=200, select(&[1usize, 2, 33, 65, 300][..]));
    let classes = prop_oneof![1 => Just(1usize), 4 => 2usize..8, 2 => 8usize..200];
    let cut = (1usize..260, 1usize..260);
    let is_exact = prop_oneof![2 => Just(true), 1 => Just(false)];
    let numbers = (powers(beyond), 0.0f64..0.6, is_exact, any::<u64>());
    (shape, classes, cut, numbers).prop_map(
        |((n, k), classes, (block, chunk), (power, twice, is_exact, seed))| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut x: Vec<f64> = Vec::with_capacity(n * D);
            for row in 0..n {
                if row > 0 && rng.random_bool(twice) {
                    let first = rng.random_range(0..row) * D;
                    x.extend_from_within(first..first + D);
                } else {
                    x.extend((0..D).map(|_| number(7, is_exact, &mut rng)));
                }
            }
            let unit = f64::from(power).exp2();
            let a = (0..k * D).map(|_| unit * number(1, is_exact, &mut rng)).collect();
            let y = (0..n).map(|_| rng.random_range(0..classes)).collect();
            Case { x, a, k, y, is_exact, block, chunk }
        },
    )
}

/// A whole number up to `most`, or any number of f32.
fn number(most: i8, is_whole: bool, rng: &mut ChaCha8Rng) -> f64 {
    let any = rng.random_range(-1f32..1.0);
    f64::from(if is_whole {
        f32::from(rng.random_range(-most..=most))
    } else {
        f32::from(most) * any
    })
}

/// A value and the gradient with respect to A, `[k, D]`.
type Found = (f64, Vec<f64>);

/// By every way to the value and the gradient: blocks of terms, and a batch whole, cached and side by side.
fn found(case: &Case, criterion: Criterion, dtype: DType) -> Vec<(&'static str, Found)> {
    let device = Device::flex();
    let loss = NcaLossConfig::new().with_criterion(criterion).with_reduction(Reduction::Sum);
    let model = linear(&case.a, D, loss.init(), (&device, dtype));
    let (x, classes) = (matrix(&case.x, D, (&device, dtype)), classes(&case.y));
    let negative = |flat: &[f64]| -> Vec<f64> {
        transposed(flat, case.k).into_iter().map(|slope| -slope).collect()
    };
    let (value, gradient) = at_block(&model, &x, &classes, case.block);
    let blocks = BlockConfig::new().with_rows(Some(case.block));
    assert_eq!(exact::value(&model, &x, &classes, &blocks), value, "with and without a gradient");
    let target = ClassTarget::of_labels(int_tensor(&case.y, &device));
    let of_batch = |of: fn(&_, &_, &_, _) -> cached::CachedGradient| {
        let at = of(&model, &x, &target, case.chunk);
        (-at.loss.into_scalar::<f64>(), negative(&flatten_gradients(&model, &at.gradients)))
    };
    vec![
        ("blocks", (-value, negative(&gradient))),
        ("a batch in chunks", of_batch(cached::value_and_gradient)),
        ("a batch side by side", of_batch(parallel::value_and_gradient)),
    ]
}

/// What roundings of size `u` may do to log p_i, and to p_i as a share of it: log p_i is a difference of two numbers of the
/// size of the nearest squared distance, and matters only where partners and others are about as near.
fn shares(case: &Case, z: &[f64], u: f64) -> Vec<[f64; 2]> {
    let Case { k, y, is_exact, .. } = case;
    let k = *k;
    // An embedding that is rounded itself.
    let largest =
        if *is_exact { 0.0 } else { z.iter().fold(0.0, |most: f64, x| most.max(x.abs())) };
    let n = y.len();
    let share = |i: usize| {
        let nearest = |same: bool| {
            let among = (0..n).filter(|&j| j != i && (y[j] == y[i]) == same);
            among.map(|j| oracle::sq_distance(z, k, i, j)).fold(f64::INFINITY, f64::min)
        };
        let (partner, other) = (nearest(true), nearest(false));
        let near = partner.min(other);
        let near = if near.is_finite() { near } else { 0.0 };
        let rounding = u * (1.0 + near + largest * (near + 50.0).sqrt());
        let decided = (partner - other).abs() > 100.0 + 100.0 * rounding;
        [rounding, if decided { u } else { rounding.min(1.0) }]
    };
    (0..n).map(share).collect()
}

/// How far value and gradient may be from the oracle's, for f and g.
fn bounds(case: &Case, at: &Nca, u: f64) -> [[f64; 2]; 2] {
    let (z, n) = (case.embedding(), case.y.len());
    let shares = shares(case, &z, u);
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // The largest entry of the outer product of z_i - z_j and x_i - x_j.
    let spread = |i: usize, j: usize| {
        let apart = |values: &[f64], width: usize| {
            let pairs = values[i * width..][..width].iter().zip(&values[j * width..][..width]);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        apart(&z, case.k) * apart(&case.x, D)
    };
    // Sums over all rows that cancel.
    let total = (1.0 + n as f64 * largest(&z) * largest(&case.x)) * f64::from(f32::MIN_POSITIVE);
    let mut bounds = [[0.0, total], [u * at.g.abs(), total]];
    for (i, [rounding, share]) in shares.iter().enumerate() {
        let moment = (0..n).map(|j| at.factor_ij[i * n + j].abs() * spread(i, j));
        let moment: f64 = moment.sum::<f64>() * (share + u);
        bounds[0][0] += share + u;
        bounds[0][1] += at.p[i].max(*share) * moment;
        bounds[1][0] += rounding + u;
        bounds[1][1] += moment;
    }
    bounds
}

fn check(case: &Case, dtype: DType, u: f64) {
    let z = case.embedding();
    let at = oracle::nca(&z, case.k, &case.y);
    let (df, dg) = oracle::gradients(&case.x, D, &case.a, case.k, &case.y);
    let bounds = bounds(case, &at, u);
    let expected = [(Criterion::F, at.f, df), (Criterion::G, at.g, dg)];
    for ((criterion, value, slopes), [of_value, of_slope]) in expected.into_iter().zip(bounds) {
        for (way, (found, gradient)) in found(case, criterion, dtype) {
            let off = (found - value).abs();
            assert!(off <= of_value, "{criterion:?}, {way}: {found} for {value}");
            assert_eq!(gradient.len(), slopes.len());
            for (found, expected) in gradient.iter().zip(&slopes) {
                let off = (found - expected).abs();
                assert!(
                    off <= of_slope,
                    "{criterion:?}, {way}: {found} for {expected} ± {of_slope}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn double_precision_is_the_oracle_s_at_every_scale(case in cases(200)) {
        check(&case, DType::F64, 1e-13);
    }

    #[test]
    fn single_precision_is_the_oracle_s_at_every_scale(case in cases(45)) {
        check(&case, DType::F32, 4e-6);
    }
}

/// Rows of which some have no entry and some columns none either; more than one task's worth of rows as a rule.
fn tables() -> impl Strategy<Value = SparseFeatures> {
    (1usize..200, 1usize..40, 0.0f64..0.5, any::<u64>()).prop_map(|(n, d, density, seed)| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let empty_columns: Vec<bool> = (0..d).map(|_| rng.random_bool(0.2)).collect();
        let mut entries = Vec::new();
        for row in 0..n {
            let is_empty = rng.random_bool(0.2);
            for (column, empty) in empty_columns.iter().enumerate() {
                if !is_empty && !empty && rng.random_bool(density) {
                    entries.push((row, column, rng.random_range(-3.0..3.0)));
                }
            }
        }
        SparseFeatures::new([n, d], entries).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_stored_is_what_is_written_out(table in tables(), seed: u64) {
        let (n, d) = (table.rows(), table.columns());
        let dense = table.to_dense().unwrap();
        let mut found = vec![0.0; n * d];
        (0..n).for_each(|row| table.row(row).for_each(|(column, x)| found[row * d + column] = x));
        prop_assert_eq!(&found, dense.values());
        let mean = |column: usize| (0..n).map(|row| dense.row(row)[column]).sum::<f64>() / n as f64;
        assert_close(&table.mean(), &(0..d).map(mean).collect::<Vec<_>>(), 1e-13);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rows: Vec<usize> = (0..2 * n).map(|_| rng.random_range(0..n)).collect();
        let (some, expected) = (table.select(&rows).to_dense().unwrap(), dense.select(&rows));
        prop_assert_eq!(some.values(), expected.values());
        let unit = table.clone().with_unit_rows().to_dense().unwrap();
        for (unit, row) in (0..n).map(|row| (unit.row(row), dense.row(row))) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
            assert_close(unit, &row.iter().map(|x| x / length).collect::<Vec<_>>(), 1e-13);
        }
        let weights: Vec<f64> = (0..3 * d).map(|_| rng.random_range(-1.0..1.0)).collect();
        let map = Projection::from_matrix(&weights, [3, d]);
        // A decomposition serves as the way to the product of sparse rows with any map.
        let svd = TruncatedSvdConfig::new(1).fit(&table).unwrap();
        let sparse = burn_nca_learn::baseline::TruncatedSvd { projection: map.clone(), ..svd };
        let expected = map.apply(&dense).unwrap();
        assert_close(sparse.apply(&table).unwrap().values(), expected.values(), 1e-12);
    }

    /// In as many directions as there can be, nothing is lost.
    #[test]
    fn all_singular_directions_keep_every_distance(table in tables()) {
        let (n, d) = (table.rows(), table.columns());
        let dense = table.to_dense().unwrap();
        for center in [false, true] {
            let svd = TruncatedSvdConfig::new(n.min(d)).with_center(center).fit(&table).unwrap();
            let embedded = svd.apply(&table).unwrap();
            let [expected, found] = [&dense, &embedded].map(|rows| {
                let apart = |at: usize| sq_distance(rows.values(), rows.columns(), at / n, at % n);
                (0..n.min(20) * n).map(apart).collect::<Vec<_>>()
            });
            assert_close(&found, &expected, 1e-9);
        }
    }
}

fn fit(config: &NcaConfig, values: Vec<f64>, labels: Vec<usize>) -> Fitted {
    let features = Features::unnamed(values, config.d_input).unwrap();
    let data = Labeled::from_labels(features, labels).unwrap();
    config.fit(&data, &Device::flex()).unwrap()
}

/// D3: a point that is alone in its class is not an accident of underflow: it is counted and reported.
#[test]
fn d3_points_without_a_partner_are_counted() {
    let fitted = fit(&NcaConfig::new(1, 1), vec![0.0, 0.1, 1.0, 1.1, 5.0], vec![0, 0, 1, 1, 2]);
    assert_eq!(fitted.summary().num_unmatched, 1);
    assert!(fitted.summary().value.is_finite());
}

/// D8: the start must not come back as if it were the result.
#[test]
fn d8_a_hopeless_start_is_reported() {
    // Scaled so far that p_ij is 0 or 1 in f32: the gradient of f is 0, but every row has a wrong neighbor.
    let start = FitConfig::new().with_start(Start::Given { weight: vec![1e4] });
    let config = NcaConfig::new(1, 1).with_fit(start);
    let fit = |config: &NcaConfig| {
        fit(config, vec![0.0, 1.0, 2.0, 3.0], vec![0, 1, 0, 1]).summary().clone()
    };
    let (iterations, termination) = (fit(&config).iterations, fit(&config).termination);
    assert_eq!((iterations, termination), (0, Termination::Saturated));
    assert!(!termination.converged() && !termination.is_planned());
    assert!(termination.sentence().contains("use criterion g"));
    // The first cure that the sentence names.
    assert!(fit(&config.with_criterion(Criterion::G)).iterations > 0);
}

/// D10: non-convergence is never silent.
#[test]
fn d10_a_fit_that_did_not_converge_says_so() {
    let sample = overlapping(60, 4, 3, 34);
    let config = NcaConfig::new(4, 2).with_fit(FitConfig::new().with_optimizer(lbfgs(2)));
    let termination = fit(&config, sample.x, sample.y).summary().termination;
    assert_eq!(termination, Termination::MaxIterations);
    assert!(termination.to_string().contains("Not converged"));
}

/// D11: constant columns have no deviation to divide by.
#[test]
fn d11_constant_columns_survive_scaling() {
    // A gap between the classes: no point is as near to the other class as to its own.
    let place = |i: i32| f64::from(if i < 10 { i } else { i + 5 });
    let values: Vec<f64> = (0..20).flat_map(|i| [0.1, place(i)]).collect();
    let fitted = fit(&NcaConfig::new(2, 1), values, (0..20).map(|i| i / 10).collect());
    assert_eq!(fitted.leave_one_out(1).unwrap().value(), Some(1.0));
}
