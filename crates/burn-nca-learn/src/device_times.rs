//! Which device computes a fit fastest, by a measurement.

use burn::tensor::{DType, Device};
use web_time::{Duration, Instant};

use crate::device;
use crate::objective::transfer::{float_tensor, int_tensor};
use crate::objective::{Criterion, NcaLossConfig};
use crate::self_test::{numbers, self_test, without_panic_message};
use burn_nca::internal::product;

/// Rows that are measured at most: larger tables are learned by mini-batches, which are smaller.
const MOST_ROWS: usize = 5000;

const CLASSES: usize = 10;

/// Evaluations after the first, which compiles kernels; the fastest counts.
const REPEATS: usize = 3;

/// No further evaluation after one of this length.
const ENOUGH: Duration = Duration::from_secs(1);

/// How long a device takes for value and gradient of NCA.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceTime {
    /// Its name, as [`device::open`] takes it.
    pub name: String,
    /// Time of one evaluation, in seconds.
    pub seconds: f64,
}

/// How long the CPU and each GPU take for the value and the gradient of g with respect to the map, on random rows of the
/// size of a fit; the fastest first.
///
/// Small tables are learned faster on the CPU, and where the border lies depends on both devices. It is measured on up to 5000
/// rows, without the first evaluation, which compiles kernels. A GPU that fails its [`self_test`] is left out. Of devices
/// with a number (`wgpu:0`, `wgpu:1`), the one that the backend prefers is measured.
///
/// # Panics
/// If there are no rows, features or dimensions.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// // As large as iris, to two dimensions.
/// let times = burn_nca_learn::time_devices([150, 4, 2]);
/// let device = burn_nca_learn::device::open(&times[0].name)?;
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub fn time_devices([rows, features, dimensions]: [usize; 3]) -> Vec<DeviceTime> {
    assert!(
        rows > 0 && features > 0 && dimensions > 0,
        "{rows} rows of {features} features to {dimensions} dimensions: at least one of each is needed"
    );
    let mut times: Vec<DeviceTime> = names()
        .into_iter()
        .filter_map(|name| {
            let device = device::open(&name).ok()?;
            if !device::runs_on_host(&device) {
                self_test(&device).ok()?;
            }
            let size = [rows.min(MOST_ROWS), features, dimensions];
            let time = without_panic_message(|| time_of(&device, size)).ok()?;
            Some(DeviceTime { name, seconds: time.as_secs_f64() })
        })
        .collect();
    times.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    times
}

/// The CPU, and one device of each other backend.
fn names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in device::available() {
        let backend = name.split(':').next().unwrap_or(&name).to_string();
        let is_host = matches!(backend.as_str(), "flex" | "ndarray");
        if !is_host && !names.contains(&backend) {
            names.push(backend);
        }
    }
    names
}

fn time_of(device: &Device, [rows, features, dimensions]: [usize; 3]) -> Duration {
    let device = device.clone().without_autodiff().autodiff();
    let labels = int_tensor(&(0..rows).map(|row| row % CLASSES).collect::<Vec<_>>(), &device);
    let [x, a] = [([rows, features], 1), ([features, dimensions], 2)]
        .map(|([n, k], seed)| float_tensor(numbers(n * k, seed), [n, k], &device, DType::F32));
    let loss = NcaLossConfig::new().with_criterion(Criterion::G).init();
    let evaluate = || {
        let started = Instant::now();
        let a = a.clone().require_grad();
        let value = loss.forward(product(x.clone(), a.clone()), labels.clone());
        let slope = a.grad(&value.backward()).map(|slope| slope.sum().into_scalar::<f64>());
        std::hint::black_box((value.into_scalar::<f64>(), slope));
        started.elapsed()
    };
    evaluate();
    let mut shortest = Duration::MAX;
    for _ in 0..REPEATS {
        shortest = shortest.min(evaluate());
        if shortest > ENOUGH {
            break;
        }
    }
    shortest
}
