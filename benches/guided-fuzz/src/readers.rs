//! The readers under libFuzzer, which keeps files that reach code no other has reached; on stable Rust, with a C++ compiler.
//!
//! ```sh
//! cd benches/guided-fuzz && cp ../../Cargo.lock . && mkdir -p runs/files && cp DATA/*.csv runs/files  # some to begin with
//! C='-Cllvm-args=-sanitizer-coverage'
//! RUSTFLAGS="-Cpasses=sancov-module $C-level=4 $C-inline-8bit-counters $C-pc-table $C-trace-compares" \
//!     cargo build --release --target x86_64-unknown-linux-gnu
//! target/x86_64-unknown-linux-gnu/release/readers runs/files -max_total_time=3600 -max_len=4096
//! ```
#![no_main]

use std::cell::OnceCell;

use burn_nca_data::{CsvOptions, open, open_unlabeled, read_pairs};
use tempfile::NamedTempFile;

thread_local! {
    /// The file that is read; its content says in which format.
    static FILE: OnceCell<NamedTempFile> = const { OnceCell::new() };
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    FILE.with(|file| {
        let file = file.get_or_init(|| NamedTempFile::new().expect("a temporary file"));
        std::fs::write(file.path(), bytes).expect("a file that can be written");
        let path = file.path().to_string_lossy();
        // What is no table is refused; nothing may panic, and no number may overflow.
        let _ = open(&path, &CsvOptions::default());
        let _ = open_unlabeled(&path, &CsvOptions::default());
        let _ = read_pairs(file.path(), 10);
    });
});
