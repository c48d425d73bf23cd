//! How each loss is shown, what it refuses, and the integer types it takes.

use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca::objective::{ClassTarget, NcaLossConfig, TemperatureConfig};

use super::*;

#[test]
fn every_loss_prints_its_settings() {
    let device = Device::flex();
    let near = SoftNearestNeighborLossConfig::new().init(&device).to_string();
    assert!(near.starts_with("SoftNearestNeighborLoss {similarity: SqEuclidean, temp"), "{near}");
    let pull = SupConLossConfig::new().init(&device).to_string();
    assert!(pull.starts_with("SupConLoss {similarity: Cosine, temperature: Temp"), "{pull}");
    let proxies = ProxyNcaLossConfig::new(2, 2).init(&device).to_string();
    assert!(proxies.starts_with("ProxyNcaLoss {classes: 2, d_embedding: 2, sim"), "{proxies}");
    let memory = MemoryLossConfig::new(70, 2).init(NcaLossConfig::new().init(), &device);
    let memory = memory.to_string();
    for part in ["MemoryLoss {", "NcaLoss {criterion: F", "{capacity: 70", "warm_up: 0"] {
        assert!(memory.contains(part), "{memory}");
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
#[should_panic(expected = "the embedding has 3 dimensions, the proxies 2")]
fn an_embedding_of_another_size_than_the_proxies_is_refused() {
    let device = Device::flex();
    let labels = Tensor::from_ints([0, 1], &device);
    ProxyNcaLossConfig::new(2, 2).init(&device).forward(Tensor::zeros([2, 3], &device), labels);
}

#[test]
#[should_panic(expected = "the embedding has 5 dimensions, the memory 2")]
fn an_embedding_of_another_size_than_the_memory_is_refused() {
    let device = Device::flex();
    let target = ClassTarget::of_labels(Tensor::from_ints([0], &device));
    let memory = CrossBatchMemoryConfig::new(3, 2).init(&device);
    drop(memory.push(Tensor::zeros([1, 5], &device), target));
}

#[test]
#[should_panic(expected = "at least one slot and one dimension, got 0 and 2")]
fn a_memory_without_a_slot_is_refused() {
    CrossBatchMemoryConfig::new(0, 2).init(&Device::flex());
}
