//! The backend of a device, and whether it computes on the host.

use burn::tensor::Device;
use rayon::prelude::*;

/// The name of the backend that computes on `device`, such as `flex`.
pub fn backend(device: &Device) -> &'static str {
    let text = format!("{device:?}");
    let known = [
        ("Flex", "flex"),
        ("NdArray", "ndarray"),
        ("Wgpu", "wgpu"),
        ("Cuda", "cuda"),
        ("Hip", "rocm"),
        ("LibTorch", "libtorch"),
    ];
    known.iter().find(|(debug, _)| text.contains(debug)).map_or("other", |(_, name)| name)
}

/// Whether tensors of this device live in host memory and its operations run on the calling thread, so
/// that independent blocks gain from several threads.
pub fn runs_on_host(device: &Device) -> bool {
    is_cpu(backend(device))
}

/// Whether a backend of this name computes on the host.
#[doc(hidden)]
pub fn is_cpu(backend: &str) -> bool {
    matches!(backend, "flex" | "ndarray")
}

/// What `work` makes of each part, in order: on all cores of the host, or one after the other on a GPU.
pub(crate) fn side_by_side<P: Send, T: Send>(
    parts: Vec<P>,
    on_host: bool,
    work: impl Fn(P) -> T + Sync + Send,
) -> Vec<T> {
    if on_host {
        parts.into_par_iter().map(work).collect()
    } else {
        parts.into_iter().map(work).collect()
    }
}
