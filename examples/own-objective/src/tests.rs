//! What to test of an objective of one's own: the equation, the gradient, and that blocks do not matter.

use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::{Features, Labeled, TensorFeatures};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::objective::{ClassIndex, Criterion, DataTarget, NcaLossConfig, Objective};

use crate::large_margin::LargeMargin;
use crate::target_neighbors::TargetNeighbors;
use crate::weighted_nca::{WeightedNca, WeightedRows, balanced};

/// Rows of two features and three classes, the last of a single row.
fn data() -> Labeled {
    let x = (0..22).map(|i| f64::from(i * i % 23) / 5.0 - 2.0).collect();
    let labels = (0..11).map(|i| if i == 10 { 2 } else { i % 2 }).collect();
    Labeled::from_labels(Features::unnamed(x, 2).unwrap(), labels).unwrap()
}

fn sq_distance(data: &Labeled, i: usize, j: usize) -> f64 {
    let (a, b) = (data.features().row(i), data.features().row(j));
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[test]
fn the_margin_is_that_of_the_equation() {
    let (data, device) = (data(), Device::flex());
    let mut expected = 0.0;
    for i in 0..data.rows() {
        let of_class = |same: bool| {
            (0..data.rows()).filter(move |&j| j != i).filter({
                let labels = data.labels().to_vec();
                move |&j| (labels[j] == labels[i]) == same
            })
        };
        let mut near: Vec<f64> = of_class(true).map(|j| sq_distance(&data, i, j)).collect();
        near.sort_by(f64::total_cmp);
        for reach in near.into_iter().take(3) {
            let push = of_class(false).map(|l| (1.0 + reach - sq_distance(&data, i, l)).max(0.0));
            expected += 0.3 * reach + 0.7 * push.sum::<f64>();
        }
    }
    let target = TargetNeighbors::new(data.clone(), 3, &device).unwrap();
    let z = data.features().to_tensor(&device, DType::F64);
    let found: f64 = LargeMargin { push: 0.7 }.total(z, &target).into_scalar();
    assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
}

/// Compares the gradient with central differences in f64, and the value of small blocks with that of one.
fn assert_gradient<O: Objective + Clone>(objective: O, target: &O::Target, data: &Labeled) {
    let device = Device::flex();
    let x = data.features().to_tensor(&device, DType::F64);
    let weight = [0.9, -0.2, 0.3, 0.7];
    let map = LinearMap::from_weight(&weight, [2, 2], &device.clone().autodiff(), DType::F64);
    let model = MetricModel::new(map, objective);
    let at = |position: &[f64], rows: usize| {
        let model = assign(model.clone(), position);
        let blocks = BlockConfig::new().with_rows(Some(rows));
        let at = value_and_gradient(&model, &x, target, &blocks);
        (at.value, flatten_gradients(&model, &at.gradients))
    };
    let start = flatten(&model);
    let (value, gradient) = at(&start, 4);
    let (whole, _) = at(&start, 100);
    assert!((value - whole).abs() < 1e-10 * whole);
    for (index, slope) in gradient.iter().enumerate() {
        let moved = |step: f64| {
            let mut position = start.clone();
            position[index] += step;
            at(&position, 4).0
        };
        let central = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!((slope - central).abs() < 1e-5 * (1.0 + central.abs()), "{slope} {central}");
    }
}

#[test]
fn gradients_are_those_of_central_differences_at_any_block_size() {
    let (data, device) = (data(), Device::flex());
    let target = TargetNeighbors::new(data.clone(), 3, &device).unwrap();
    assert_gradient(LargeMargin { push: 0.4 }, &target, &data);
    assert_gradient(WeightedNca {}, &weighted(&data).1, &data);
}

/// Weights 0.5, 1, 1.5, 2, 0.5, .. and the target of them.
fn weighted(data: &Labeled) -> (Vec<f64>, WeightedRows) {
    let weights: Vec<f64> = (0..data.rows()).map(|i| 0.5 * (1 + i % 4) as f64).collect();
    let target = WeightedRows::new(data.labels(), &weights, &Device::flex()).unwrap();
    (weights, target)
}

#[test]
fn weights_count_as_in_the_equation() {
    let data = data();
    let (weights, target) = weighted(&data);
    let rows = 0..data.rows();
    let mut expected = 0.0;
    for i in rows.clone() {
        let votes = |same: bool| {
            let labels = data.labels();
            let others = rows.clone().filter(|&j| j != i && (!same || labels[j] == labels[i]));
            others.map(|j| weights[j] * (-sq_distance(&data, i, j)).exp()).sum::<f64>()
        };
        // Row 10 is alone in its class.
        expected -= if i == 10 { 0.0 } else { weights[i] * (votes(true) / votes(false)).ln() };
    }
    let z = data.features().to_tensor(&Device::flex(), DType::F64);
    let found: f64 = WeightedNca {}.total(z.clone(), &target).into_scalar();
    assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
    // A batch of all rows in another order, with their weights.
    let backwards: Vec<usize> = rows.rev().collect();
    let batch = target.subset(&backwards);
    let found: f64 = WeightedNca {}.total(z.flip([0]), &batch).into_scalar();
    assert!((found - expected).abs() < 1e-6 * expected, "{found} {expected}");
}

#[test]
fn equal_weights_are_those_of_the_library() {
    let (data, device) = (data(), Device::flex());
    let z = data.features().to_tensor(&device, DType::F64);
    let classes = ClassIndex::of(&data, &device).unwrap();
    let g = NcaLossConfig::new().with_criterion(Criterion::G).init();
    let expected: f64 = g.total(z.clone(), &classes).into_scalar();
    let target = WeightedRows::new(data.labels(), &vec![1.0; data.rows()], &device).unwrap();
    let found: f64 = WeightedNca {}.total(z.clone(), &target).into_scalar();
    assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
}

#[test]
fn balanced_weights_of_each_class_add_up_to_the_same() {
    let weights = balanced(&[0, 1, 1, 1], 2);
    assert_eq!(weights, [2.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
}

#[test]
fn a_batch_has_target_neighbors_of_its_own_and_a_fit_lowers_the_sum() {
    let (data, device) = (data(), Device::flex());
    let target = TargetNeighbors::new(data.clone(), 3, &device).unwrap();
    let part = target.subset(&[0, 10, 2]);
    assert_eq!(part.points(), 3);
    // Rows 0 and 2 are of one class and each other's only neighbor; row 10 has none.
    let (neighbors, present) = part.neighbors(&(0..3), DType::F64);
    let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f64>().unwrap();
    assert_eq!(numbers(present), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let first = neighbors.into_data().convert::<i64>();
    assert_eq!(first, TensorData::new(vec![2i64, 0, 0, 1, 1, 1, 0, 2, 2], [3, 3]));
    let solution = crate::fit(LargeMargin { push: 0.5 }, &data, &target, &device).unwrap();
    let z = data.features().to_tensor(&device, DType::F32);
    let start: f64 = LargeMargin { push: 0.5 }.total(z, &target).into_scalar();
    assert!(solution.value < 0.9 * start, "{} {start}", solution.value);
}

#[test]
fn the_lower_bound_is_that_of_classes_far_apart() {
    let (data, device) = (data(), Device::flex());
    let target = weighted(&data).1;
    let lower_bound = WeightedNca {}.lower_bound(&target).unwrap();
    let apart: Vec<f64> = data.labels().iter().map(|&label| 1e3 * label as f64).collect();
    let z = Tensor::from_data(TensorData::new(apart, [data.rows(), 1]), (&device, DType::F64));
    let found: f64 = WeightedNca {}.total(z.clone(), &target).into_scalar();
    assert!((found - lower_bound).abs() < 1e-9, "{found} {lower_bound}");
    let nearer: f64 = WeightedNca {}.total(z.mul_scalar(1e-3), &target).into_scalar();
    assert!(nearer > lower_bound + 0.1);
}
