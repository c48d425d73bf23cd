//! What Burn offers in this build, whichever crate of it asked for a backend.
//!
//! Cargo unites the features of all users of Burn: a program may enable `flex` on `burn` alone, and this crate's own
//! features then say nothing. But a constructor of Burn that is there hides one of the same name in a trait, so that
//! naming it says what there is.

use burn::tensor::{Device, DeviceKind, DeviceType};

/// The place of a backend that Burn was built without.
pub(super) struct BackendMissing;

/// The devices of a backend in the order of their numbers; `None` where Burn was built without it.
pub(super) struct Backend(pub(super) Option<Vec<Device>>);

impl From<BackendMissing> for Backend {
    fn from(_: BackendMissing) -> Self {
        Self(None)
    }
}

impl From<Device> for Backend {
    fn from(device: Device) -> Self {
        Self(Some(vec![device]))
    }
}

impl From<DeviceType> for Backend {
    fn from(kind: DeviceType) -> Self {
        Self(Some(Device::enumerate(kind).into_vec()))
    }
}

/// The CPU backends; each is hidden by Burn's own constructor where there is one.
#[allow(dead_code)]
trait Host {
    fn flex() -> BackendMissing {
        BackendMissing
    }

    fn ndarray() -> BackendMissing {
        BackendMissing
    }
}

impl Host for Device {}

/// The best devices of backends that know one; each is hidden by Burn's own constructor where there is one.
#[allow(dead_code)]
trait Best {
    fn wgpu(_: DeviceKind) -> BackendMissing {
        BackendMissing
    }

    fn vulkan(_: DeviceKind) -> BackendMissing {
        BackendMissing
    }

    fn metal(_: DeviceKind) -> BackendMissing {
        BackendMissing
    }

    fn webgpu(_: DeviceKind) -> BackendMissing {
        BackendMissing
    }
}

impl Best for Device {}

/// The other backends; each is hidden by Burn's own variant where there is one.
#[allow(dead_code, non_upper_case_globals)]
trait Graphics {
    const Wgpu: BackendMissing = BackendMissing;
    const Vulkan: BackendMissing = BackendMissing;
    const Metal: BackendMissing = BackendMissing;
    const WebGpu: BackendMissing = BackendMissing;
    const Cuda: BackendMissing = BackendMissing;
    const Rocm: BackendMissing = BackendMissing;
}

impl Graphics for DeviceType {}

/// Every backend that can be named, and whether it is in this build.
pub(super) fn backends() -> [(&'static str, bool); 8] {
    /// Whether the expression's value is Burn's own.
    trait IsThere {
        const IS_THERE: bool;
    }
    impl IsThere for BackendMissing {
        const IS_THERE: bool = false;
    }
    impl IsThere for Device {
        const IS_THERE: bool = true;
    }
    impl IsThere for DeviceType {
        const IS_THERE: bool = true;
    }
    fn of_constructor<T: IsThere>(_: impl Fn() -> T) -> bool {
        T::IS_THERE
    }
    fn of_variant<T: IsThere>(_: T) -> bool {
        T::IS_THERE
    }
    #[allow(deprecated)] // Burn keeps ndarray as the second opinion it is here
    [
        ("flex", of_constructor(Device::flex)),
        ("ndarray", of_constructor(Device::ndarray)),
        ("wgpu", of_variant(DeviceType::Wgpu)),
        ("vulkan", of_variant(DeviceType::Vulkan)),
        ("metal", of_variant(DeviceType::Metal)),
        ("webgpu", of_variant(DeviceType::WebGpu)),
        ("cuda", of_variant(DeviceType::Cuda)),
        ("rocm", of_variant(DeviceType::Rocm)),
    ]
}

/// The devices of a backend, in the order of their numbers.
pub(super) fn enumerate(backend: &str) -> Vec<Device> {
    #[allow(deprecated)] // Burn keeps ndarray as the second opinion it is here
    let found = match backend {
        "flex" => Backend::from(Device::flex()),
        "ndarray" => Backend::from(Device::ndarray()),
        "wgpu" => Backend::from(DeviceType::Wgpu),
        "vulkan" => Backend::from(DeviceType::Vulkan),
        "metal" => Backend::from(DeviceType::Metal),
        "webgpu" => Backend::from(DeviceType::WebGpu),
        "cuda" => Backend::from(DeviceType::Cuda),
        "rocm" => Backend::from(DeviceType::Rocm),
        _ => Backend(None),
    };
    found.0.unwrap_or_default()
}

/// The device of a backend that a user who gives no number wants: the fastest, as far as the driver reports.
pub(super) fn preferred(backend: &str) -> Option<Device> {
    let best = DeviceKind::DefaultDevice;
    let found = match backend {
        "wgpu" => Backend::from(Device::wgpu(best)),
        "vulkan" => Backend::from(Device::vulkan(best)),
        "metal" => Backend::from(Device::metal(best)),
        "webgpu" => Backend::from(Device::webgpu(best)),
        other => return enumerate(other).into_iter().next(),
    };
    found.0?.into_iter().next()
}
