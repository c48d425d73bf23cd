//! `nca devices`: the available devices, and whether they compute as they should.

use std::time::Instant;

use anyhow::Result;
use burn_nca_learn::{SumsCompared, compare_sums, device};

use crate::failure::in_one_line;
use crate::output;
use crate::process::without_panic_message;

pub fn run(test: bool) -> Result<()> {
    for name in device::available() {
        let result = if test { format!("  {}", tested(&name)) } else { String::new() };
        output::print(&format!("{name}{result}\n"))?;
    }
    Ok(())
}

/// What the self-test of a device says, and whether its fused sums over pairs are those of the definition.
fn tested(name: &str) -> String {
    let started = Instant::now();
    let found = device::open(name).and_then(|device| {
        without_panic_message(|| {
            burn_nca_learn::self_test(&device)?;
            compare_sums(&device)
        })
    });
    match found {
        Ok(compared) => {
            let sums = compared.iter().map(|compared| format!("\n    {}", described(compared)));
            let seconds = started.elapsed().as_secs_f64();
            format!("computes as it should ({seconds:.1} s){}", sums.collect::<String>())
        }
        Err(error) => in_one_line(&error.into()),
    }
}

fn described(compared: &SumsCompared) -> String {
    let SumsCompared { dtype, objectives, value, gradient } = compared;
    let name = format!("{dtype:?}").to_lowercase();
    if *objectives == 0 {
        return format!("{name}: sums over pairs are plain here, differentiated by Burn");
    }
    let verdict = if compared.agree() { "agree" } else { "DISAGREE: use --sums plain" };
    format!(
        "{name}: fused and plain sums of {objectives} objectives {verdict} (largest relative difference of a value \
         {value:.0e}, of a gradient {gradient:.0e})"
    )
}
