//! Peak memory of this process.

/// The largest resident set so far, in MiB.
pub fn peak_mib() -> Option<f64> {
    burn_nca_program::peak_memory_bytes().map(|peak| peak as f64 / f64::from(1 << 20))
}
