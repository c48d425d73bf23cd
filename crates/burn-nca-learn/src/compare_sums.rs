//! Whether fused sums over pairs are those of the definition on a device.

use burn::tensor::{DType, Device, Tensor};
use burn_nca::Sums;

use crate::data::{AgreementWidth, Agreements, Pairs, host_values};
use crate::device::{backend, has_f64};
use crate::error::{Error, Result};
use crate::objective::transfer::{float_tensor, int_tensor};
use crate::objective::{
    AgreementIndex, ClassIndex, Criterion, MlkrLossConfig, NcaLossConfig, Objective, PairIndex,
    PairLossConfig, Similarity, SoftNcaLossConfig, SupConLossConfig, TargetIndex,
};
use crate::self_test::{numbers, without_panic_message};

/// Points that are compared, and their coordinates.
const POINTS: usize = 240;
const WIDTH: usize = 3;

/// How far fused sums may be from plain ones, relative to the largest number.
const SINGLE: f64 = 1e-4;
const DOUBLE: f64 = 1e-9;

/// How far fused sums are from plain ones on a device, in one number type.
#[derive(Clone, Debug, PartialEq)]
pub struct SumsCompared {
    /// The number type.
    pub dtype: DType,
    /// Objectives that were compared; none where the device has no fused sums in this type.
    pub objectives: usize,
    /// The largest difference of a value, relative to it.
    pub value: f64,
    /// The largest difference of a component of a gradient, relative to the largest of them.
    pub gradient: f64,
}

impl SumsCompared {
    /// Whether the differences are rounding.
    pub fn agree(&self) -> bool {
        let bound = if self.dtype == DType::F64 { DOUBLE } else { SINGLE };
        // Written so that a NaN fails.
        self.value <= bound && self.gradient <= bound
    }
}

/// Compares fused sums over pairs with the [definition](burn_nca::nca) on a device, in value and gradient, in f32 and where it
/// has it in f64: f, g with a hinge, soft matches, equation 8, MLKR and a batch loss.
///
/// # Errors
/// A device that cannot be started.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
///
/// for compared in burn_nca_learn::compare_sums(&Device::flex())? {
///     assert!(compared.agree(), "{compared:?}");
/// }
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub fn compare_sums(device: &Device) -> Result<Vec<SumsCompared>> {
    let device = device.clone().without_autodiff();
    let types = [DType::F32].into_iter().chain(has_f64(&device).then_some(DType::F64));
    let compared = types.map(|dtype| without_panic_message(|| compared(&device, dtype)));
    compared
        .collect::<core::result::Result<_, _>>()
        .map_err(|reason| Error::Device(format!("device {}: {reason}", backend(&device))))
}

fn compared(device: &Device, dtype: DType) -> SumsCompared {
    let none = SumsCompared { dtype, objectives: 0, value: 0.0, gradient: 0.0 };
    let points = Tensor::<2>::zeros([2, 1], (device, dtype));
    let classes = ClassIndex::new(&[0, 1], device).expect("there are points");
    let taken = NcaLossConfig::new().init().sums_taken(points, &classes);
    if taken.is_none_or(|(way, _)| way == Sums::Plain) {
        return none;
    }
    let (plain, fused) = (said(device, dtype, Sums::Plain), said(device, dtype, Sums::Auto));
    // A NaN stays.
    let larger = |a: f64, b: f64| if a.is_nan() || b <= a { a } else { b };
    let apart = |plain: &[f64], fused: &[f64]| {
        let largest = plain.iter().fold(f64::MIN_POSITIVE, |largest, x| largest.max(x.abs()));
        plain.iter().zip(fused).map(|(a, b)| (a - b).abs() / largest).fold(0.0, larger)
    };
    let mut worst = SumsCompared { objectives: plain.len(), ..none };
    for (plain, fused) in plain.into_iter().zip(fused) {
        worst.value = larger(worst.value, apart(&plain.0, &fused.0));
        worst.gradient = larger(worst.gradient, apart(&plain.1, &fused.1));
    }
    worst
}

/// Value and gradient of each objective.
fn said(device: &Device, dtype: DType, sums: Sums) -> Vec<(Vec<f64>, Vec<f64>)> {
    let labels: Vec<usize> = (0..POINTS).map(|point| point % 4).collect();
    let classes = ClassIndex::new(&labels, device).expect("there are points");
    let targets = numbers(POINTS, 12);
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(0.3));
    let agreements = agreements.and_then(|agreements| AgreementIndex::new(&agreements, device));
    let agreements = agreements.expect("numbers are there");
    let pairs = (0..POINTS - 1).map(|point| (point, point + 1, 1.0)).collect();
    let pairs = PairIndex::new(&Pairs::new(POINTS, pairs).expect("pairs of points"), device);
    let targets = TargetIndex::new(&targets, 1, device).expect("numbers are there");
    let labels = int_tensor(&labels, device);
    let f = NcaLossConfig::new().with_sums(sums);
    let g = f.clone().with_criterion(Criterion::G).with_repulsion(0.1);
    let soft = SoftNcaLossConfig::new().with_sums(sums).init();
    let all_pairs = PairLossConfig::new().with_sums(sums).init();
    let mlkr = MlkrLossConfig::new().with_sums(sums).init();
    let batch = SupConLossConfig::new().with_similarity(Similarity::SqEuclidean).with_sums(sums);
    let batch = batch.init(device);
    let losses: [&dyn Fn(Tensor<2>) -> Tensor<1>; 6] = [
        &|z| f.init().total(z, &classes),
        &|z| g.init().total(z, &classes),
        &|z| soft.total(z, &agreements),
        &|z| all_pairs.total(z, &pairs),
        &|z| mlkr.total(z, &targets),
        &|z| batch.forward(z, labels.clone()),
    ];
    let points = float_tensor(numbers(POINTS * WIDTH, 11), [POINTS, WIDTH], device, dtype);
    losses
        .iter()
        .map(|loss| {
            let z = points.clone().autodiff().require_grad();
            let value = loss(z.clone());
            let gradient = z.grad(&value.clone().backward()).expect("a loss of the points");
            (host_values(value), host_values(gradient))
        })
        .collect()
}
