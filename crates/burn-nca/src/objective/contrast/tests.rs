//! Losses over classes at the ends of number types.

use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device};

use super::*;
use crate::objective::{ClassTarget, Criterion, NcaLossConfig};

fn rows() -> Tensor<2> {
    Tensor::from_floats([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0], [0.3, 0.2]], &Device::flex())
}

#[test]
fn labels_and_numbers_of_samples_may_be_of_any_integer_types() {
    let device = Device::flex();
    let ints = |values: &[i32]| Tensor::<1, Int>::from_ints(values, &device);
    let nca = NcaLossConfig::new().init();
    let value = |labels: Tensor<1, Int>| nca.forward(rows(), labels).into_scalar::<f64>();
    let classes = ints(&[0, 1, 1, 0]);
    for dtype in [DType::I64, DType::I32, DType::I16, DType::I8, DType::U32, DType::U16, DType::U8]
    {
        assert_eq!(value(classes.clone().cast(dtype)), value(classes.clone()), "{dtype:?}");
        let target = ClassTarget { labels: classes.clone(), ids: ints(&[4, 5, 6, 7]) };
        let candidates = Candidates::of_samples(rows(), target, ints(&[6, 9]).cast(dtype));
        let labels = ints(&[1, 2]).cast(dtype);
        let counts = candidates.masks(&labels, 0..2).map(|mask| {
            assert_eq!(mask.dims(), [2, 4]);
            mask.int().sum().into_scalar::<i64>()
        });
        assert_eq!((counts, candidates.without_positive(labels)), ([1, 1], 1), "{dtype:?}");
    }
}

#[test]
fn what_is_excluded_is_left_out_by_position_however_low_the_others_are() {
    // The nearest logits are below a quarter of the least number of the type.
    let device = Device::flex().autodiff();
    let far = [[0.0, 0.0], [1.2e19, 0.0], [0.0, 1.3e19]];
    let far = Tensor::<2>::from_data(far, (&device, DType::F32)).require_grad();
    let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device);
    let sum = NcaLossConfig::new().with_reduction(Reduction::Sum).init();
    let loss = sum.forward(far.clone(), labels.clone());
    let slope = far.grad(&loss.backward()).unwrap().into_data();
    assert!((loss.into_scalar::<f64>() + 2.0).abs() < 1e-6);
    assert!(slope.try_to_vec::<f32>().unwrap().iter().all(|slope| *slope == 0.0));
    // One class alone: a probability of one, and no row at all among others.
    let near = rows().autodiff().require_grad();
    let log = NcaLossConfig::new().with_criterion(Criterion::G).init();
    for labels in [[0; 4], [0, 1, 2, 3]] {
        let labels = Tensor::<1, Int>::from_ints(labels, &device);
        let loss = log.forward(near.clone(), labels);
        let slope = near.grad(&loss.backward()).unwrap().into_data();
        assert_eq!(loss.into_scalar::<f64>(), 0.0);
        assert!(slope.try_to_vec::<f32>().unwrap().iter().all(|slope| *slope == 0.0));
    }
}
