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
