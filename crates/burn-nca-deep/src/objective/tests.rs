//! How each loss is shown, what it refuses, and the integer types it takes.

use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca::internal::panic_message;
use burn_nca::objective::{ClassTarget, NcaLossConfig, TemperatureConfig};

use super::*;

/// The words with which a call panics.
fn refusal(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    panic_message(&*panic.expect_err("nothing was refused")).to_string()
}

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    Tensor::zeros(shape, &Device::flex())
}

#[test]
fn every_loss_prints_its_settings() {
    let device = Device::flex();
    let memory = MemoryLossConfig::new(70, 2).init(NcaLossConfig::new().init(), &device);
    for (shown, starts) in [
        (
            SoftNearestNeighborLossConfig::new().init(&device).to_string(),
            "SoftNearestNeighborLoss {similarity: SqEuclidean, temperature: Temperature {start: 1",
        ),
        (
            SupConLossConfig::new().init(&device).to_string(),
            "SupConLoss {similarity: Cosine, temperature: Temperature {start: 0.1",
        ),
        (
            ProxyNcaLossConfig::new(2, 2).init(&device).to_string(),
            "ProxyNcaLoss {classes: 2, d_embedding: 2, similarity: Cosine, temperature: ",
        ),
        (
            CrossBatchMemoryConfig::new(3, 2).init(&device).to_string(),
            "CrossBatchMemory {capacity: 3",
        ),
        (memory.to_string(), "MemoryLoss {"),
    ] {
        assert!(shown.starts_with(starts), "{shown}");
    }
    for part in ["NcaLoss {criterion: F", "capacity: 70", "warm_up: 0"] {
        assert!(memory.to_string().contains(part), "{memory}");
    }
}

#[test]
fn half_precision_is_computed_with_in_f32() {
    let device = Device::flex().autodiff();
    // Squared norms of 360000 are beyond f16.
    let values = [[600.0, 0.0], [600.5, 0.0], [598.5, 1.0], [598.0, 1.0]];
    let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
    let loss = SoftNearestNeighborLossConfig::new()
        .with_temperature(TemperatureConfig::new(4.0))
        .init(&device);
    let at = |dtype: DType| {
        let z = Tensor::<2>::from_data(values, (&device, DType::F32));
        let z = z.without_autodiff().cast(dtype).autodiff().require_grad();
        let value = loss.forward(z.clone(), labels.clone());
        let slope = z.grad(&value.backward()).unwrap();
        assert_eq!(slope.dtype(), dtype);
        let slope = slope.into_data().convert::<f32>().try_to_vec::<f32>().unwrap();
        (value.into_scalar::<f64>(), slope)
    };
    let ((half, half_slope), (single, slope)) = (at(DType::F16), at(DType::F32));
    assert!((half - single).abs() < 1e-6 && half.is_finite(), "{half} {single}");
    assert!(half_slope.iter().zip(&slope).all(|(a, b)| (a - b).abs() < 1e-3), "{half_slope:?}");
}

#[test]
fn what_does_not_fit_a_loss_is_refused() {
    let device = Device::flex();
    let refused: [(&str, &dyn Fn()); 3] = [
        ("the embedding has 3 dimensions, the proxies 2", &|| {
            let labels = Tensor::from_ints([0, 1], &device);
            drop(ProxyNcaLossConfig::new(2, 2).init(&device).forward(zeros([2, 3]), labels));
        }),
        ("at least one slot and one dimension, got 0 and 2", &|| {
            drop(CrossBatchMemoryConfig::new(0, 2).init(&device));
        }),
        ("the embedding has 5 dimensions, the memory 2", &|| {
            let target = ClassTarget::of_labels(Tensor::from_ints([0], &device));
            let memory = CrossBatchMemoryConfig::new(3, 2).init(&device);
            drop(memory.push(zeros([1, 5]), target));
        }),
    ];
    for (expected, call) in refused {
        let words = refusal(call);
        assert!(words.contains(expected), "{words}");
    }
}
