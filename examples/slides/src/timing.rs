//! The timing table: value and gradient at one map, by each spelling and by the library.

use std::time::Instant;

use anyhow::Result;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_data::bundled;
use burn_nca_learn::data::{Labeled, Scaling, ScalingKind};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::objective::{ClassIndex, NcaLoss, NcaLossConfig};
use burn_nca_learn::{MetricModel, Sums};
use serde::Serialize;

use crate::iris;
use crate::spelling::{self, Gradient, Points};

/// Each is repeated until it has taken so many seconds, three times at least.
const SECONDS: f64 = 0.3;

/// Rows of digits: the loops take a second for so many.
const DIGITS: usize = 400;

/// Some rows that gradients are timed on.
#[derive(Debug)]
pub struct Set {
    name: &'static str,
    rows: Labeled,
}

/// The times of a set.
#[derive(Clone, Debug, Serialize)]
pub struct Times {
    /// The set.
    pub set: &'static str,
    /// Rows and features.
    pub shape: [usize; 2],
    /// f at the identity.
    pub f: f64,
    /// Each way with its median time in seconds; the last two are the library, by automatic differentiation of its definition
    /// and by fused sums.
    pub seconds: Vec<(&'static str, f64)>,
}

/// What is timed: the slides' 45 rows, and larger tables.
///
/// # Errors
/// A table that cannot be scaled.
pub fn sets() -> Result<Vec<Set>> {
    let digits = bundled::digits();
    let some: Vec<usize> = (0..DIGITS).collect();
    let sets = [
        ("iris, training rows", iris::parts().0),
        ("wine", bundled::wine()),
        ("digits, first 400", digits.select(&some)),
    ];
    let standardized = |(name, rows): (&'static str, Labeled)| {
        let scaling = Scaling::fit(ScalingKind::Standardize, rows.features());
        let features = scaling.apply(rows.features())?;
        Ok(Set { name, rows: rows.with_features(features)? })
    };
    sets.into_iter().map(standardized).collect()
}

impl Set {
    /// Times every spelling at the identity divided by the root of d.
    ///
    /// # Errors
    /// Classes without a pair.
    ///
    /// # Panics
    /// If two ways do not agree.
    pub fn measure(&self, device: &Device) -> Result<Times> {
        let (features, labels) = (self.rows.features(), self.rows.labels());
        let d = features.columns();
        let points = Points { x: features.values(), d, labels };
        let scale = (d as f64).sqrt().recip();
        let a: Vec<f64> =
            (0..d * d).map(|at| if at % (d + 1) == 0 { scale } else { 0.0 }).collect();
        let [plain, fused] =
            [Sums::Plain, Sums::Fused].map(|sums| Library::new(&points, &a, (device, sums)));
        let expected = plain.gradient();
        let mut seconds = Vec::new();
        for (name, spelling) in spelling::ALL {
            assert_alike(name, &spelling(&points, &a), &expected, 1e-8);
            seconds.push((name, median(|| spelling(&points, &a))));
        }
        assert_alike("fused", &fused.gradient(), &expected, 1e-8);
        seconds.push(("autodiff", median(|| plain.gradient())));
        seconds.push(("fused", median(|| fused.gradient())));
        Ok(Times { set: self.name, shape: [labels.len(), d], f: expected.0, seconds })
    }
}

/// Value and gradient by the library: its definition, which Burn differentiates, or fused sums, whose derivative is
/// registered.
#[derive(Debug)]
pub struct Library {
    model: MetricModel<LinearMap, NcaLoss>,
    x: Tensor<2>,
    classes: ClassIndex,
}

impl Library {
    /// The problem of some points at a map, row-major `[k, d]`.
    ///
    /// # Panics
    /// If there are no points.
    pub fn new(points: &Points<'_>, a: &[f64], (device, sums): (&Device, Sums)) -> Self {
        let (d, k) = (points.d, a.len() / points.d);
        let transposed: Vec<f64> = (0..d * k).map(|at| a[at % k * d + at / k]).collect();
        let map =
            LinearMap::from_weight(&transposed, [d, k], &device.clone().autodiff(), DType::F64);
        let data = burn::tensor::TensorData::new(points.x.to_vec(), [points.labels.len(), d]);
        Self {
            model: MetricModel::new(map, NcaLossConfig::new().with_sums(sums).init()),
            x: Tensor::from_data(data, (device, DType::F64)),
            classes: ClassIndex::new(points.labels, device).expect("there are points"),
        }
    }

    /// f and its gradient, as the spellings give them: the library minimizes -f over the transpose of A.
    pub fn gradient(&self) -> Gradient {
        let at = value_and_gradient(&self.model, &self.x, &self.classes, &BlockConfig::new());
        let [d, k] = self.model.encoder.dims();
        let transposed = flatten_gradients(&self.model, &at.gradients);
        (-at.value, (0..k * d).map(|at| -transposed[at % d * k + at / d]).collect())
    }
}

/// Holds two gradients to each other.
///
/// # Panics
/// If they differ by more than `tolerance` of the largest component, or their values do.
pub fn assert_alike(name: &str, found: &Gradient, expected: &Gradient, tolerance: f64) {
    let largest = expected.1.iter().fold(expected.0.abs(), |most, slope| most.max(slope.abs()));
    let pairs = found.1.iter().zip(&expected.1);
    let gap = pairs.fold((found.0 - expected.0).abs(), |most, (a, b)| most.max((a - b).abs()));
    assert!(gap <= tolerance * largest, "{name} is off by {gap:e} of {largest}");
}

/// The median time of a call in seconds.
fn median<T>(call: impl Fn() -> T) -> f64 {
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || begun.elapsed().as_secs_f64() < SECONDS {
        let start = Instant::now();
        std::hint::black_box(call());
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
