//! Values and gradients of f and g against the oracle: any shape, any classes, duplicates, every scale.
//!
//! Most features and maps are small whole numbers times a power of two, so that embeddings and distances are exact in f32
//! and f64: what differs from the oracle is the library's, at whatever scale. The others are any numbers of f32.

use acceptance::data::transposed;
use acceptance::oracle::{self, Nca};
use burn::nn::loss::Reduction;
use burn::optim::GradientsParams;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{self, BlockConfig};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::fit::{cached, parallel};
use burn_nca_learn::objective::transfer::{float_tensor, int_tensor};
use burn_nca_learn::objective::{ClassIndex, ClassTarget, Criterion, NcaLossConfig};
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
    let (n, weight) = (case.y.len(), transposed(&case.a, D));
    let map = LinearMap::from_weight(&weight, [D, case.k], &Device::flex().autodiff(), dtype);
    let loss = NcaLossConfig::new().with_criterion(criterion).with_reduction(Reduction::Sum);
    let model = MetricModel::new(map, loss.init());
    let x: Tensor<2> = float_tensor(case.x.clone(), [n, D], &Device::flex(), dtype);
    let classes = ClassIndex::new(&case.y, &Device::flex()).unwrap();
    let blocks = BlockConfig::new().with_rows(Some(case.block));
    let at = exact::value_and_gradient(&model, &x, &classes, &blocks);
    let gradient = |gradients: &GradientsParams| -> Vec<f64> {
        let flat = flatten_gradients(&model, gradients);
        transposed(&flat, case.k).into_iter().map(|slope| -slope).collect()
    };
    let mut all = vec![("blocks", (-at.value, gradient(&at.gradients)))];
    let value = exact::value(&model, &x, &classes, &blocks);
    assert_eq!(value, at.value, "with and without a gradient");
    let target = ClassTarget::of_labels(int_tensor(&case.y, &Device::flex()));
    for (way, value_and_gradient) in [
        ("a batch in chunks", cached::value_and_gradient as fn(&_, &_, &_, _) -> _),
        ("a batch side by side", parallel::value_and_gradient),
    ] {
        let at: cached::CachedGradient = value_and_gradient(&model, &x, &target, case.chunk);
        all.push((way, (-at.loss.into_scalar::<f64>(), gradient(&at.gradients))));
    }
    all
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
struct Bound {
    value: f64,
    gradient: f64,
}

fn bounds(case: &Case, at: &Nca, u: f64) -> [Bound; 2] {
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
    let mut bounds = [0.0; 2];
    for (i, [_, share]) in shares.iter().enumerate() {
        let moment = (0..n).map(|j| at.factor_ij[i * n + j].abs() * spread(i, j));
        let moment: f64 = moment.sum::<f64>() * (share + u);
        bounds[0] += at.p[i].max(*share) * moment;
        bounds[1] += moment;
    }
    // Sums over all rows that cancel.
    let total = (1.0 + n as f64 * largest(&z) * largest(&case.x)) * f64::from(f32::MIN_POSITIVE);
    let of_f: f64 = shares.iter().map(|[_, share]| share + u).sum();
    let of_g: f64 = shares.iter().map(|[rounding, _]| rounding + u).sum();
    [
        Bound { value: of_f, gradient: bounds[0] + total },
        Bound { value: of_g + u * at.g.abs(), gradient: bounds[1] + total },
    ]
}

fn check(case: &Case, dtype: DType, u: f64) {
    let z = case.embedding();
    let at = oracle::nca(&z, case.k, &case.y);
    let (df, dg) = oracle::gradients(&case.x, D, &case.a, case.k, &case.y);
    let bounds = bounds(case, &at, u);
    let expected = [(Criterion::F, at.f, df), (Criterion::G, at.g, dg)];
    for ((criterion, value, slopes), bound) in expected.into_iter().zip(bounds) {
        for (way, (found, gradient)) in found(case, criterion, dtype) {
            let off = (found - value).abs();
            assert!(off <= bound.value, "{criterion:?}, {way}: {found} for {value}");
            assert_eq!(gradient.len(), slopes.len());
            let most = bound.gradient;
            for (found, expected) in gradient.iter().zip(&slopes) {
                let off = (found - expected).abs();
                assert!(off <= most, "{criterion:?}, {way}: slope {found} for {expected} ± {most}");
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
