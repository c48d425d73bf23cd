//! Sums by a Fourier series against fused and plain ones, in value and gradient.

use burn::tensor::{DType, Device, Tensor, TensorData};

use crate::data::{Agreements, host_values};
use crate::objective::{
    AgreementIndex, ClassIndex, Criterion, MlkrLossConfig, NcaLossConfig, Objective,
    SoftNcaLossConfig, TargetIndex,
};
use crate::sums::{FOURIER_TOLERANCE, Sums};

const POINTS: usize = 2500;
const SERIES: Sums = Sums::Fourier(FOURIER_TOLERANCE);

fn device() -> Device {
    Device::flex().autodiff()
}

fn wave(i: usize) -> f64 {
    6.0 * ((i * i + 3 * i) as f64 * 0.37).sin() + (i % 6) as f64
}

fn points(k: usize, dtype: DType) -> Tensor<2> {
    let values: Vec<f64> = (0..POINTS * k).map(wave).collect();
    Tensor::from_data(TensorData::new(values, [POINTS, k]), (&device(), dtype)).require_grad()
}

/// Seven classes, one of them of a single point, and some points without a class.
fn labels() -> Vec<Option<usize>> {
    let class = |i: usize| match i {
        0 => Some(6),
        _ if i.is_multiple_of(11) => None,
        _ => Some(i % 6),
    };
    (0..POINTS).map(class).collect()
}

/// Value and gradient.
fn found<O: Objective>(objective: &O, z: &Tensor<2>, target: &O::Target) -> Vec<f64> {
    let total = objective.total(z.clone(), target);
    let gradient = z.grad(&total.clone().backward()).unwrap();
    [host_values(total), host_values(gradient)].concat()
}

/// The value is off by a share of `error` at most, and the gradient by 1e-4 of its length.
fn assert_near(found: &[f64], expected: &[f64], error: f64, case: &str) {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
    let value = (found[0] / expected[0] - 1.0).abs();
    let off = norm(&mut found[1..].iter().zip(&expected[1..]).map(|(a, b)| a - b));
    let off = off / norm(&mut expected[1..].iter().copied());
    assert!(value < error && off < 1e-4, "{case}: {value:e} {off:e}");
}

/// The series agrees with fused and plain sums, and is none of them.
fn assert_agree<O: Objective>(
    objective: &O,
    z: &Tensor<2>,
    target: &O::Target,
    (error, case): (f64, &str),
) {
    let by = |sums: Sums| found(&objective.clone().with_sums(sums), z, target);
    let [plain, fused, series, auto] = [Sums::Plain, Sums::Fused, SERIES, Sums::Auto].map(by);
    assert!(auto == series || auto == fused, "auto is neither");
    assert_ne!(series, fused, "the series was not used");
    assert_ne!(by(Sums::Fourier(1e-5)), series, "the tolerance was not used");
    assert_near(&series, &plain, error, case);
    assert_near(&series, &fused, error, case);
}

#[test]
fn classes_agree() {
    for k in [1, 2] {
        for (dtype, error) in [(DType::F64, 1e-7), (DType::F32, 1e-5)] {
            let classes = ClassIndex::partly(&labels(), &device()).unwrap();
            for criterion in [Criterion::F, Criterion::G] {
                let loss = NcaLossConfig::new().with_criterion(criterion).init();
                let case = format!("k = {k}, {dtype:?}, {criterion:?}");
                assert_agree(&loss, &points(k, dtype), &classes, (error, &case));
            }
        }
    }
}

#[test]
fn means_agree() {
    for (k, columns, dtype, error) in
        [(1, 1, DType::F64, 1e-7), (2, 3, DType::F64, 1e-7), (2, 1, DType::F32, 1e-5)]
    {
        let z = points(k, dtype);
        let prices: Vec<f64> = (0..POINTS * columns).map(|i| 50.0 + wave(i / 2)).collect();
        let targets = TargetIndex::new(&prices, columns, &device()).unwrap();
        let loss = MlkrLossConfig::new().init();
        assert_agree(&loss, &z, &targets, (error, &format!("{k}, {columns}, {dtype:?}")));
        let (sums, exact) = loss.clone().with_sums(SERIES).sums_taken(z.clone(), &targets).unwrap();
        assert!(sums == SERIES && exact < POINTS / 4, "{exact}");
        let batch = |sums: Sums| -> f64 {
            let few = z.clone().slice([0..20]);
            loss.clone().with_sums(sums).forward(few.clone(), few).into_scalar()
        };
        assert_eq!(batch(SERIES), batch(Sums::Auto));
    }
}

#[test]
fn soft_matches_of_labels_are_the_classes_of_nca() {
    let z = points(2, DType::F64);
    let agreements = AgreementIndex::new(&Agreements::of_labels(&labels()), &device()).unwrap();
    let classes = ClassIndex::partly(&labels(), &device()).unwrap();
    let expected = found(&NcaLossConfig::new().with_sums(Sums::Fused).init(), &z, &classes);
    for sums in [Sums::Plain, Sums::Fused, SERIES, Sums::Auto] {
        let config = SoftNcaLossConfig::new().with_unlabeled_neighbors(true);
        let loss = config.with_sums(sums).init();
        let by = loss.sums_taken(z.clone(), &agreements).unwrap().0;
        assert!(sums == by || sums == Sums::Auto && [Sums::Fused, SERIES].contains(&by));
        assert_near(&found(&loss, &z, &agreements), &expected, 1e-7, &format!("{sums:?}"));
    }
}

#[test]
#[should_panic(expected = "there is no Fourier series in 3 dimensions")]
fn a_series_in_three_dimensions_is_refused() {
    let classes = ClassIndex::partly(&labels(), &device()).unwrap();
    found(&NcaLossConfig::new().with_sums(SERIES).init(), &points(3, DType::F64), &classes);
}
