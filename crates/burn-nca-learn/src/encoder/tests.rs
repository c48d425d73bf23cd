//! Each form: values worked by hand, and how it is shown.

use burn::tensor::{DType, Device, Tensor};

use super::*;

fn rows() -> Tensor<2> {
    Tensor::from_floats([[1.0, 2.0], [3.0, -1.0]], &Device::flex())
}

fn numbers(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

fn weights() -> FeatureWeights {
    FeatureWeights::from_weights(&[2.0, -3.0], &Device::flex(), DType::F32)
}

fn triangular() -> TriangularMap {
    // L = [1 2; 0 3]; the 9 is not read.
    TriangularMap::from_rows(&[1.0, 2.0, 9.0, 3.0], 2, &Device::flex(), DType::F32)
}

#[test]
fn values_are_those_worked_by_hand() {
    assert_eq!(numbers(weights().forward(rows())), [4.0, 18.0, 12.0, -9.0]);
    assert_eq!(numbers(triangular().forward(rows())), [5.0, 6.0, 1.0, -3.0]);
}

#[test]
fn each_form_shows_its_size() {
    for (shown, expected) in [
        (weights().to_string(), ["FeatureWeights", "params: 2"]),
        (triangular().to_string(), ["TriangularMap", "params: 4"]),
    ] {
        assert!(expected.iter().all(|part| shown.contains(part)), "{shown}");
    }
}
