//! `nca`: neighborhood components analysis from the command line; a thin shell over the library.

use std::process::ExitCode;

// Large buffers come and go with every pass over the data: the system allocator's page faults cost up to half
// of a fit's time on the CPU.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    burn_nca_cli::run(std::env::args_os().collect()).into()
}
