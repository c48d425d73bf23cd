//! Every objective by fused sums and by its definition, in value and gradient.

use acceptance::data::{lbfgs, overlapping, uniform};
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_learn::data::{AgreementWidth, Agreements, Pairs};
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{
    AgreementIndex, BatchLoss, ClassIndex, ClassTarget, Criterion, MemoryLossConfig,
    MlkrLossConfig, NcaLossConfig, Objective, PairIndex, PairLossConfig, ProxyNcaLossConfig,
    Similarity, SoftNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig, TargetIndex,
    TemperatureConfig,
};
use burn_nca_learn::{NcaConfig, Sums};

use super::open;
use super::operation::{close, from, values};

const ROWS: usize = 37;
const WIDTH: usize = 3;

/// What is done with each loss of an embedding `[ROWS, WIDTH]`, given its name.
type Visit<'a> = &'a mut dyn FnMut(&str, &dyn Fn(Tensor<2>) -> Tensor<1>);

/// Points at distances of about 1, of which two are one; far apart they would say little.
fn rows() -> Vec<f64> {
    let mut rows = uniform(ROWS * WIDTH, 91);
    rows.copy_within(..WIDTH, (ROWS - 1) * WIDTH);
    rows
}

/// Classes of many rows, of one, and rows without one.
fn classes(device: &Device) -> ClassIndex {
    let class = |row: usize| match row {
        7 => None,
        11 => Some(9),
        row => Some(row % 3),
    };
    let weights: Vec<f64> = (0..ROWS).map(|row| 0.5 + (row % 4) as f64).collect();
    let classes: Vec<Option<usize>> = (0..ROWS).map(class).collect();
    ClassIndex::partly(&classes, device).unwrap().with_weights(&weights).unwrap()
}

/// The sum over all rows, of each objective.
fn exact(device: &Device, sums: Sums, visit: Visit<'_>) {
    let (one_class, classes) = (ClassIndex::new(&[0; ROWS], device).unwrap(), classes(device));
    for criterion in [Criterion::F, Criterion::G] {
        for repulsion in [0.0, 0.7] {
            let loss = NcaLossConfig::new().with_criterion(criterion).with_repulsion(repulsion);
            let loss = loss.with_sums(sums).init();
            let name = format!("{criterion:?} with {repulsion}");
            visit(&format!("{name}, of one class"), &|z| loss.total(z, &one_class));
            visit(&name, &|z| loss.total(z, &classes));
        }
        let targets: Vec<f64> =
            uniform(ROWS, 92).into_iter().map(|t| if t > 0.9 { f64::NAN } else { t }).collect();
        let labels: Vec<Option<usize>> =
            (0..ROWS).map(|row| (row % 9 > 0).then_some(row % 4)).collect();
        let list = (0..ROWS).map(|row| (row, (row * 5 + 2) % ROWS, 0.1 + row as f64 / 50.0));
        let list = list.filter(|(i, j, _)| i != j && i % 8 > 0).collect();
        for agreements in [
            Agreements::of_targets(&targets, 1, AgreementWidth::Given(0.3)).unwrap(),
            Agreements::of_labels(&labels),
            Agreements::of_list(ROWS, list).unwrap(),
            Agreements::of_function(ROWS, |i, j| if i > j { 0.25 } else { 0.0 }),
        ] {
            for neighbors in [false, true] {
                let loss = SoftNcaLossConfig::new()
                    .with_criterion(criterion)
                    .with_unlabeled_neighbors(neighbors)
                    .with_sums(sums)
                    .init();
                let index = AgreementIndex::new(&agreements, device).unwrap();
                let name = format!("soft {criterion:?}, {agreements:?}");
                let name: String = name.chars().take(60).collect();
                visit(&name, &|z| loss.total(z, &index));
            }
        }
    }
    let pairs = (0..ROWS - 1).map(|row| (row, row + 1, 0.2 + (row % 3) as f64)).collect();
    let pairs = PairIndex::new(&Pairs::new(ROWS, pairs).unwrap(), device);
    for include_self in [true, false] {
        let loss = PairLossConfig::new().with_include_self(include_self).with_sums(sums).init();
        visit(&format!("equation 8, self {include_self}"), &|z| loss.total(z, &pairs));
    }
    let targets = TargetIndex::new(&uniform(ROWS * 2, 93), 2, device).unwrap();
    let loss = MlkrLossConfig::new().with_sums(sums).init();
    visit("MLKR", &|z| loss.total(z, &targets));
}

/// The losses of a batch.
fn of_a_batch(device: &Device, dtype: DType, sums: Sums, visit: Visit<'_>) {
    let labels: Vec<usize> = (0..ROWS).map(|row| if row == 5 { 8 } else { row % 3 }).collect();
    let labels = int_tensor(&labels, device);
    for criterion in [Criterion::F, Criterion::G] {
        for reduction in [Reduction::Mean, Reduction::Sum] {
            let loss = NcaLossConfig::new()
                .with_criterion(criterion)
                .with_repulsion(0.4)
                .with_reduction(reduction)
                .with_sums(sums)
                .init();
            let name = format!("{criterion:?} of a batch");
            visit(&name, &|z| loss.forward(z, labels.clone()));
            let weights = from(uniform(ROWS, 94), [ROWS], device, dtype);
            let each = |z| loss.forward_no_reduction(z, labels.clone()) * weights.clone();
            visit(&format!("{criterion:?} of each row"), &|z| each(z).sum());
        }
        let soft = SoftNcaLossConfig::new().with_criterion(criterion).with_sums(sums);
        let table = uniform(ROWS * ROWS, 95).into_iter().map(|w| w.max(0.0)).collect::<Vec<_>>();
        let table = from(table, [ROWS, ROWS], device, dtype);
        let loss = soft.init();
        let name = format!("soft {criterion:?} of a table");
        visit(&name, &|z| loss.forward(z, table.clone()));
        for neighbors in [false, true] {
            let targets = uniform(ROWS * 2, 96).into_iter();
            let targets = targets.map(|t| if t > 0.95 { f64::NAN } else { t }).collect();
            let targets = from(targets, [ROWS, 2], device, dtype);
            let loss = soft.clone().with_unlabeled_neighbors(neighbors).init();
            let name = format!("soft {criterion:?} of targets");
            visit(&name, &|z| loss.forward_targets(z, targets.clone(), 0.4));
        }
    }
    let target = ClassTarget::of_labels(labels.clone());
    let other = ClassTarget { ids: target.ids.clone() + 1000, labels: labels.clone() };
    let first = from(uniform(ROWS * WIDTH, 97), [ROWS, WIDTH], device, dtype);
    for similarity in [Similarity::SqEuclidean, Similarity::Euclidean, Similarity::Cosine] {
        let temperature = || TemperatureConfig::new(0.6);
        let near = SoftNearestNeighborLossConfig::new()
            .with_similarity(similarity)
            .with_temperature(temperature())
            .with_sums(sums)
            .init(device);
        let pull = SupConLossConfig::new()
            .with_similarity(similarity)
            .with_temperature(temperature())
            .with_sums(sums)
            .init(device);
        let proxies = ProxyNcaLossConfig::new(3, WIDTH)
            .with_similarity(similarity)
            .with_sums(sums)
            .init(device);
        let name = |loss: &str| format!("{loss} {similarity:?}");
        visit(&name("soft nearest"), &|z| near.forward(z, labels.clone()));
        visit(&name("SupCon"), &|z| pull.forward(z, labels.clone()));
        visit(&name("proxies"), &|z| proxies.forward(z, labels.clone()));
        let remembering = MemoryLossConfig::new(20, WIDTH).init(near.clone(), device);
        visit(&name("memory"), &|z| {
            drop(remembering.batch_loss(first.clone().require_grad(), &other));
            remembering.clone().after_step().batch_loss(z, &target)
        });
        let pulling = MemoryLossConfig::new(20, WIDTH).init(pull.clone(), device);
        visit(&name("memory of SupCon"), &|z| {
            drop(pulling.batch_loss(first.clone().require_grad(), &other));
            pulling.clone().after_step().batch_loss(z, &target)
        });
    }
    let loss = PairLossConfig::new().with_sums(sums).init();
    let ends: Vec<i64> = (0..24).map(|at| (at * 7 + 3) % ROWS as i64).collect();
    let ends = Tensor::<2, Int>::from_data(TensorData::new(ends, [12, 2]), device);
    let weights = from(uniform(12, 98).into_iter().map(f64::abs).collect(), [12], device, dtype);
    let of_pairs = |z| loss.forward_indexed(z, ends.clone(), weights.clone());
    visit("pairs of a batch", &of_pairs);
    let targets = from(uniform(ROWS * 2, 99), [ROWS, 2], device, dtype);
    let loss = MlkrLossConfig::new().with_sums(sums).init();
    visit("MLKR of a batch", &|z| loss.forward(z, targets.clone()));
}

/// What every objective says on a device, in a type, one way: its name, value and gradient.
fn said(name: &str, dtype: DType, sums: Sums) -> Vec<(String, Vec<f64>, Vec<f64>)> {
    let device = open(name).unwrap().autodiff();
    let mut all = Vec::new();
    let mut visit = |name: &str, loss: &dyn Fn(Tensor<2>) -> Tensor<1>| {
        let z = from(rows(), [ROWS, WIDTH], &device, dtype).require_grad();
        // In the middle of a graph.
        let value = loss(z.clone() * 1.3).mul_scalar(0.7);
        // A constant has no graph.
        let gradients = value.is_tracked().then(|| value.clone().backward());
        let gradient = gradients.and_then(|gradients| z.grad(&gradients));
        let gradient = gradient.map_or_else(|| vec![0.0; ROWS * WIDTH], values);
        all.push((name.to_string(), values(value), gradient));
    };
    exact(&device, sums, &mut visit);
    of_a_batch(&device, dtype, sums, &mut visit);
    all
}

/// Every objective one way against the definition on `flex` in f64; relative to the largest number of each.
pub fn agrees(name: &str, dtype: DType, sums: Sums, tolerance: f64) {
    if open(name).is_none() {
        return;
    }
    let found = said(name, dtype, sums);
    let expected = said("flex", DType::F64, Sums::Plain);
    assert!(found.len() == expected.len() && found.len() > 40);
    for ((case, value, slope), (_, expected_value, expected_slope)) in found.iter().zip(&expected) {
        for (found, expected) in [(value, expected_value), (slope, expected_slope)] {
            close(found, expected, tolerance, &format!("{name} {dtype:?} {sums:?} {case}"));
        }
    }
}

#[test]
fn fused_sums_on_flex_are_those_of_the_definition() {
    agrees("flex", DType::F64, Sums::Fused, 1e-10);
    agrees("flex", DType::F32, Sums::Fused, 2e-5);
}

#[test]
fn the_definition_holds_in_single_precision() {
    agrees("flex", DType::F32, Sums::Plain, 2e-5);
}

/// Copies of a point, an offset that all share, and a group far away: products would have no digits left.
#[test]
fn the_definition_keeps_the_digits_of_far_points() {
    let mut z = uniform(ROWS * 2, 61);
    z.copy_within(..8, 20);
    let at = |row: usize| if row.is_multiple_of(2) { 4096.0 } else { -6000.0 };
    // Multiples of 2^-9: the sums are f32 numbers without rounding.
    let z: Vec<f64> =
        z.iter().enumerate().map(|(i, x)| (x * 512.0).round() / 512.0 + at(i / 2)).collect();
    let of = |dtype: DType| {
        let device = Device::flex().autodiff();
        let labels = int_tensor(&(0..ROWS).map(|row| row % 4).collect::<Vec<_>>(), &device);
        let z = from(z.clone(), [ROWS, 2], &device, dtype).require_grad();
        let loss = NcaLossConfig::new().with_criterion(Criterion::G).with_sums(Sums::Plain).init();
        let value = loss.forward(z.clone(), labels);
        let gradients = value.clone().backward();
        [values(value), values(z.grad(&gradients).unwrap())].concat()
    };
    close(&of(DType::F32), &of(DType::F64), 2e-6, "far points");
}

#[test]
fn a_fit_takes_the_sums_that_it_is_asked_for() {
    let data = overlapping(60, 4, 2, 23).labeled();
    let fitted = |sums: Option<Sums>| {
        let fit = FitConfig::new().with_optimizer(lbfgs(6)).with_precision(Precision::F64);
        let config = NcaConfig::new(4, 2).with_fit(fit.with_sums(sums));
        let fitted = config.fit(&data, &Device::flex()).unwrap();
        fitted.summary().history.iter().map(|step| step.value).collect::<Vec<_>>()
    };
    let fused = fitted(None);
    assert_eq!(fused, fitted(Some(Sums::Fused)));
    let plain = fitted(Some(Sums::Plain));
    // The last digits differ, so that it was another way.
    assert_ne!(fused, plain);
    for (fused, plain) in fused.iter().zip(&plain) {
        assert!((fused - plain).abs() < 1e-8 * fused.abs(), "{fused} {plain}");
    }
}
