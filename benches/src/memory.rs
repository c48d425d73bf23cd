//! Peak memory of this process.

/// The largest resident set so far, in MiB (Linux counts it in KiB).
pub fn peak_mib() -> Option<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    Some(usage.max_rss() as f64 / 1024.0)
}
