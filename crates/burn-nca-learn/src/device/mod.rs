//! Devices by name: which are compiled in and there.
//!
//! A name is a backend, with a number where a machine may hold several devices of it: `flex`, `wgpu`, `cuda:1`.
//! `cpu` is the best CPU backend that is compiled in.

mod offered;

use burn::tensor::{DType, Device};

use burn_nca::device::is_cpu;
pub use burn_nca::device::{backend, runs_on_host};
use offered::{backends, preferred};

use crate::error::{Error, Result};

/// The environment variable that names the default device.
const VARIABLE: &str = "BURN_DEVICE";

/// The name that stands for it.
const DEFAULT: &str = "default";

/// The name that stands for the fastest device of a fit.
pub const AUTO: &str = "auto";

/// The device of this name.
///
/// `cpu`, `flex`, `ndarray`; `wgpu`, `vulkan`, `metal`, `webgpu`, `cuda`, `rocm`, alone (the best device of the
/// kind) or with a number, as in `wgpu:1`; and `default`: the one that the environment variable `BURN_DEVICE`
/// names, else `cpu`. `auto` is `cpu` as well: what is fastest depends on the table, see
/// [`time_devices`](crate::time_devices). Nothing is computed; see [`self_test`](crate::self_test()).
///
/// # Errors
/// A name that is not among these, a backend that is not compiled in, or a device that is not there; the
/// available devices are listed.
///
/// # Examples
/// ```
/// let error = burn_nca_learn::device::open("abacus").unwrap_err().to_string();
/// assert!(error.contains("\"abacus\"") && error.contains("available devices"));
/// ```
pub fn open(name: &str) -> Result<Device> {
    let name = if name == AUTO { "cpu" } else { name };
    if name != DEFAULT {
        return open_named(name);
    }
    let name = default_name();
    open_named(&name).map_err(|error| match error {
        Error::Device(reason) if name != "cpu" => {
            Error::Device(format!("environment variable {VARIABLE}: {reason}"))
        }
        other => other,
    })
}

/// The name that `default` stands for: that in the environment variable `BURN_DEVICE`, else `cpu`.
pub fn default_name() -> String {
    match std::env::var(VARIABLE) {
        Ok(name) if !name.is_empty() && name != DEFAULT => name.to_lowercase(),
        _ => "cpu".to_string(),
    }
}

/// The names that [`open`] takes on this machine, CPU backends first.
pub fn available() -> Vec<String> {
    let mut names = Vec::new();
    if cpu_backend().is_some() {
        names.push("cpu".to_string());
    }
    for (backend, devices) in backends() {
        match devices {
            Some(_) if is_cpu(backend) => names.push(backend.to_string()),
            Some(devices) => {
                names.extend((0..devices().len()).map(|index| format!("{backend}:{index}")));
            }
            None => {}
        }
    }
    names
}

/// A CPU device that computes in f64 on the host, if a CPU backend is compiled in.
pub fn host() -> Option<Device> {
    open_named(cpu_backend()?).ok()
}

/// Whether a device computes in f64: wgpu drivers may claim to, and compute infinities.
pub(crate) fn has_f64(device: &Device) -> bool {
    device.supports_dtype(DType::F64) && backend(device) != "wgpu"
}

fn cpu_backend() -> Option<&'static str> {
    let is_there = backends().into_iter().filter(|(_, devices)| devices.is_some());
    is_there.map(|(name, _)| name).find(|name| is_cpu(name))
}

fn open_named(name: &str) -> Result<Device> {
    let (backend, index) = parse(name).ok_or_else(|| {
        missing(format!(
            "there is no device {name:?}; a device is cpu, flex, ndarray, wgpu or cuda, the last two with \
             a number where there are several, as in wgpu:1"
        ))
    })?;
    let backend = match backend {
        "cpu" => cpu_backend().ok_or_else(|| {
            missing(
                "no CPU backend is compiled in; build with the feature flex or ndarray".to_string(),
            )
        })?,
        other => other,
    };
    let devices = backends().into_iter().find(|(name, _)| *name == backend);
    let Some(devices) = devices.and_then(|(_, devices)| devices) else {
        return Err(missing(format!(
            "device {name:?}: the backend {backend} is not compiled in; build with the feature {backend}"
        )));
    };
    let found = devices();
    let count = found.len();
    let best = if index.is_none() && count > 0 { preferred(backend) } else { None };
    let device = best.or_else(|| found.into_iter().nth(index.unwrap_or(0)));
    device.ok_or_else(|| {
        missing(match (index, count) {
            (Some(index), 1..) => format!(
                "device {name:?} is not there: {backend} has {count}, numbered from 0; give a number below \
                 {count} instead of {index}"
            ),
            _ => format!(
                "device {name:?} is not there: {backend} finds no adapter on this machine; install its \
                 driver, or choose another device"
            ),
        })
    })
}

/// `flex` or `wgpu:1` in its parts; `None` where the name has no meaning.
fn parse(name: &str) -> Option<(&str, Option<usize>)> {
    let (backend, index) = match name.split_once(':') {
        None => (name, None),
        Some((backend, index)) => (backend, Some(index.parse().ok()?)),
    };
    let known = backend == "cpu" || backends().iter().any(|(name, _)| *name == backend);
    let numbered = backend != "cpu" && !is_cpu(backend);
    (known && (numbered || index.is_none())).then_some((backend, index))
}

fn missing(reason: String) -> Error {
    Error::Device(format!("{reason}; available devices: {}", available().join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_number_only_where_devices_are_numbered() {
        assert_eq!(parse("cpu"), Some(("cpu", None)));
        assert_eq!(parse("wgpu"), Some(("wgpu", None)));
        assert_eq!(parse("cuda:3"), Some(("cuda", Some(3))));
        for name in ["", "gpu", "flex:0", "cpu:0", "wgpu:", "wgpu:-1", "wgpu:one", "cuda:0:1"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_answered_with_those_that_are() {
        let message = |name: &str| open(name).unwrap_err().to_string();
        let text = message("abacus");
        assert!(text.contains("no device \"abacus\"") && text.contains("available devices"));
        for (backend, devices) in backends() {
            if devices.is_none() {
                assert!(message(backend).contains(&format!("build with the feature {backend}")));
            } else if !is_cpu(backend) {
                assert!(message(&format!("{backend}:9999")).contains("is not there"));
            }
        }
    }
}
