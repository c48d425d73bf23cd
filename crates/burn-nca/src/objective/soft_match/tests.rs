//! Values of soft matches that were worked by hand.

use burn::tensor::{DType, Device, TensorData};

use super::*;

#[test]
fn targets_are_the_table_of_their_agreements_whatever_their_origin() {
    let device = Device::flex().autodiff();
    let z = || Tensor::<2>::from_floats([[0.0], [0.4], [1.1], [1.3]], &device).require_grad();
    let targets = [1e6, 1e6 + 0.5, 1e6 - 1.0, f64::NAN];
    let agreement = |i: usize, j: usize| (-(targets[i] - targets[j]).powi(2) / 0.5).exp() as f32;
    // The row without a target is not in the table.
    let table = TensorData::from([0, 1, 2].map(|i| [0, 1, 2].map(|j| agreement(i, j))));
    let table = Tensor::<2>::from_data(table, &device);
    let column = TensorData::new(targets.to_vec(), [4, 1]);
    let targets = Tensor::<2>::from_data(column, (&device.clone().inner(), DType::F64));
    for criterion in [Criterion::F, Criterion::G] {
        let loss = SoftNcaLossConfig::new().with_criterion(criterion).init();
        let (a, b) = (z(), z());
        let found = loss.forward_targets(a.clone(), targets.clone(), 0.5);
        let expected = loss.forward(b.clone().slice([0..3]), table.clone());
        let slopes = [a.grad(&found.backward()), b.grad(&expected.backward())]
            .map(|slope| slope.unwrap().into_data().try_to_vec::<f32>().unwrap());
        let [found, expected] = [found, expected].map(|loss| loss.into_scalar::<f64>());
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        assert!(slopes[0].iter().zip(&slopes[1]).all(|(a, b)| (a - b).abs() < 1e-5));
        assert_eq!(slopes[0][3], 0.0);
    }
}

#[cfg(feature = "fourier")]
#[test]
fn labels_by_a_series_are_the_classes_of_nca() {
    use crate::data::{Agreements, host_values};
    use crate::objective::{ClassIndex, NcaLossConfig};
    use crate::sums::FOURIER_TOLERANCE;

    let (n, device) = (2500, Device::flex().autodiff());
    let wave = |i: usize| 6.0 * ((i * i + 3 * i) as f64 * 0.37).sin() + (i % 6) as f64;
    let values: Vec<f64> = (0..2 * n).map(wave).collect();
    let z = Tensor::<2>::from_data(TensorData::new(values, [n, 2]), (&device, DType::F64));
    let z = z.require_grad();
    let class = |i: usize| (!i.is_multiple_of(11)).then_some(i % 6);
    let labels: Vec<Option<usize>> = (0..n).map(class).collect();
    let agreements = AgreementIndex::new(&Agreements::of_labels(&labels), &device).unwrap();
    let classes = ClassIndex::partly(&labels, &device).unwrap();
    let of_classes = NcaLossConfig::new().with_sums(Sums::Fused).init();
    let found = |total: Tensor<1>| {
        let gradient = z.grad(&total.clone().backward()).unwrap();
        [host_values(total), host_values(gradient)].concat()
    };
    let expected = found(of_classes.total(z.clone(), &classes));
    let series = Sums::Fourier(FOURIER_TOLERANCE);
    for sums in [Sums::Plain, Sums::Fused, series, Sums::Auto] {
        let config = SoftNcaLossConfig::new().with_unlabeled_neighbors(true);
        let loss = config.with_sums(sums).init();
        let by = loss.sums_taken(z.clone(), &agreements).unwrap().0;
        assert!(sums == by || sums == Sums::Auto && [Sums::Fused, series].contains(&by));
        let found = found(loss.total(z.clone(), &agreements));
        assert!(
            (found[0] / expected[0] - 1.0).abs() < 1e-7,
            "{sums:?}: {} {}",
            found[0],
            expected[0]
        );
        let norm =
            |off: &dyn Fn(usize) -> f64| (1..found.len()).map(|i| off(i).powi(2)).sum::<f64>();
        let off = norm(&|i| found[i] - expected[i]) / norm(&|i| expected[i]);
        assert!(off.sqrt() < 1e-4, "{sums:?}: {off:e}");
    }
}
