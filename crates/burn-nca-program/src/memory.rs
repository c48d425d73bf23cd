//! What the operating system knows of this process's memory.

/// The largest resident memory so far, in bytes; `None` where the system does not report it.
#[cfg(target_os = "linux")]
pub fn peak_memory_bytes() -> Option<u64> {
    // Not getrusage: its peak is also that of the program that became this one, such as cargo.
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The largest resident memory by the text of /proc/PID/status, in bytes.
#[cfg(target_os = "linux")]
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kib * 1024)
}

/// The largest resident memory so far, in bytes; `None` where the system does not report it.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn peak_memory_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let size = u64::try_from(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss()).ok()?;
    // The BSDs count KiB, Apple's systems bytes.
    Some(if cfg!(target_vendor = "apple") { size } else { size * 1024 })
}

/// The largest resident memory so far, in bytes; `None` where the system does not report it.
#[cfg(not(unix))]
pub fn peak_memory_bytes() -> Option<u64> {
    None
}
