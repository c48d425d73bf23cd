//! What Burn offers in this build, whichever crate of it asked for a backend.
//!
//! Cargo unites the features of all users of Burn: a program may enable `flex` on `burn` alone, and this crate's own
//! features then say nothing. But a constructor of Burn that is there hides one of the same name in a trait, so that
//! naming it says what there is.

use burn::tensor::{Device, DeviceKind, DeviceType};

/// The place of a backend that Burn was built without.
struct BackendMissing;

/// What a constructor or a variant of Burn gives, or what is in its place.
trait Offered: 'static {
    const IS_THERE: bool = true;

    /// The devices, in the order of their numbers.
    fn devices(self) -> Vec<Device>;
}

impl Offered for BackendMissing {
    const IS_THERE: bool = false;

    fn devices(self) -> Vec<Device> {
        Vec::new()
    }
}

impl Offered for Device {
    fn devices(self) -> Vec<Device> {
        vec![self]
    }
}

impl Offered for DeviceType {
    fn devices(self) -> Vec<Device> {
        Device::enumerate(self).into_vec()
    }
}

/// Constructors of devices; each is hidden by Burn's own where there is one.
macro_rules! hidden {
    ($($backend:ident($($kind:ty)?)),*) => {
        $(fn $backend($(_: $kind)?) -> BackendMissing {
            BackendMissing
        })*
    };
}

#[allow(dead_code)]
trait Constructors {
    hidden!(
        flex(),
        ndarray(),
        wgpu(DeviceKind),
        vulkan(DeviceKind),
        metal(DeviceKind),
        webgpu(DeviceKind)
    );
}

impl Constructors for Device {}

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

/// Finds the devices of a backend, in the order of their numbers.
type Enumerate = Box<dyn Fn() -> Vec<Device>>;

/// Every backend that can be named, with its devices where it is in this build.
pub(super) fn backends() -> [(&'static str, Option<Enumerate>); 8] {
    fn of<T: Offered>(offered: fn() -> T) -> Option<Enumerate> {
        T::IS_THERE.then(|| Box::new(move || offered().devices()) as Enumerate)
    }
    #[allow(deprecated)] // Burn keeps ndarray as the second opinion it is here
    [
        ("flex", of(Device::flex)),
        ("ndarray", of(Device::ndarray)),
        ("wgpu", of(|| DeviceType::Wgpu)),
        ("vulkan", of(|| DeviceType::Vulkan)),
        ("metal", of(|| DeviceType::Metal)),
        ("webgpu", of(|| DeviceType::WebGpu)),
        ("cuda", of(|| DeviceType::Cuda)),
        ("rocm", of(|| DeviceType::Rocm)),
    ]
}

/// The device of a backend that a user who gives no number wants: the fastest, as far as the driver reports.
pub(super) fn preferred(backend: &str) -> Option<Device> {
    let best = DeviceKind::DefaultDevice;
    let found = match backend {
        "wgpu" => Device::wgpu(best).devices(),
        "vulkan" => Device::vulkan(best).devices(),
        "metal" => Device::metal(best).devices(),
        "webgpu" => Device::webgpu(best).devices(),
        _ => Vec::new(),
    };
    found.into_iter().next()
}
