//! What `--verbose` prints: the records of the crate `log`, a line each on stderr.

use std::time::Instant;

use log::{LevelFilter, Log, Metadata, Record};

use crate::output::eprint_line;

/// Prints records with the seconds since the program began.
struct Logger {
    begun: Instant,
    /// Those of this workspace alone.
    own: bool,
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        !self.own || metadata.target().starts_with("burn_nca")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let seconds = self.begun.elapsed().as_secs_f64();
            eprint_line(&format!(
                "{seconds:8.3} s {:5} {}: {}",
                record.level(),
                record.target(),
                record.args()
            ));
        }
    }

    fn flush(&self) {}
}

/// Logs from now on: nothing, what is being done (1), every iteration (2), or everything, what Burn logs included (3).
pub fn start(verbosity: u8) {
    let level = match verbosity {
        0 => return,
        1 => LevelFilter::Info,
        2 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    };
    let logger = Logger { begun: Instant::now(), own: verbosity < 3 };
    if log::set_boxed_logger(Box::new(logger)).is_ok() {
        log::set_max_level(level);
    }
}
