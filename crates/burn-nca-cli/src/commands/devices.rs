use std::time::Instant;

use anyhow::Result;
use burn_nca::device;

use crate::failure::in_one_line;
use crate::output;

/// Lists the devices, and tests them if asked to.
///
/// # Errors
/// A closed stdout.
pub fn run(test: bool) -> Result<()> {
    for name in device::available() {
        let verdict = if test { format!("  {}", verdict(&name)) } else { String::new() };
        output::print(&format!("{name}{verdict}\n"))?;
    }
    Ok(())
}

fn verdict(name: &str) -> String {
    let started = Instant::now();
    match device::open(name).and_then(|device| burn_nca::self_test(&device)) {
        Ok(()) => format!("computes as it should ({:.1} s)", started.elapsed().as_secs_f64()),
        Err(error) => in_one_line(&error.into()),
    }
}
