//! `nca devices`: what there is to compute on, and whether it computes as it should.

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
        let result = if test { format!("  {}", tested(&name)) } else { String::new() };
        output::print(&format!("{name}{result}\n"))?;
    }
    Ok(())
}

/// What the self-test of a device says.
fn tested(name: &str) -> String {
    let started = Instant::now();
    match device::open(name).and_then(|device| burn_nca::self_test(&device)) {
        Ok(()) => format!("computes as it should ({:.1} s)", started.elapsed().as_secs_f64()),
        Err(error) => in_one_line(&error.into()),
    }
}
