//! Another backend gives the same values and gradients.

use acceptance::data::uniform;
use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::data::{AgreementWidth, Agreements};
use burn_nca_learn::objective::{AgreementIndex, Criterion, Objective, PairIndex};

use crate::soft::setup::{assert_close, pairs};

/// Value and gradient by blocks of 6 in the embedding, in f32.
fn at<O: Objective>(objective: &O, target: &O::Target, device: &Device) -> Vec<f64> {
    let data = TensorData::new(uniform(46, 71), [23, 2]).convert_dtype(DType::F32);
    let z = Tensor::<2>::from_data(data, (device, DType::F32)).autodiff().require_grad();
    let shared = objective.shared(z.clone().without_autodiff(), target);
    let mut out = vec![objective.offset(target, &shared)];
    let mut gradient = z.zeros_like().without_autodiff();
    for block in objective.blocks(target, 6) {
        let value = objective.block(z.clone(), target, &shared, block);
        out[0] += value.clone().into_scalar::<f64>();
        gradient = gradient + z.grad(&value.backward()).unwrap();
    }
    out.extend(gradient.into_data().convert::<f64>().try_to_vec::<f64>().unwrap());
    out
}

#[test]
#[expect(deprecated, reason = "Burn 0.22 still ships the backend, so it is checked until it goes")]
fn ndarray_agrees_with_flex() {
    let [flex, ndarray] = [Device::flex(), Device::ndarray()];
    let targets = uniform(23, 72);
    let list = (0..21).map(|i| (i, i + 2, 0.5 + 0.02 * i as f64)).collect();
    for agreements in [
        Agreements::of_targets(&targets, 1, AgreementWidth::Median).unwrap(),
        Agreements::of_list(23, list).unwrap(),
        Agreements::of_function(23, |i, j| if i > j { 0.25 } else { 0.0 }),
        Agreements::of_labels(&[Some(1), None, Some(0)].repeat(8)[..23]),
    ] {
        let objective = crate::soft::agreements::loss(Criterion::G, true);
        let [a, b] = [&flex, &ndarray].map(|device| {
            at(&objective, &AgreementIndex::new(&agreements, device).unwrap(), device)
        });
        assert_close(&a, &b, 1e-5);
    }
    for include_self in [true, false] {
        let objective = crate::soft::pairs::loss(include_self);
        let [a, b] = [&flex, &ndarray]
            .map(|device| at(&objective, &PairIndex::new(&pairs(23), device), device));
        assert_close(&a, &b, 1e-5);
    }
}
