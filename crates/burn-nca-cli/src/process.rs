//! What belongs to the whole process: its command line, its panic hook.

use std::ffi::OsString;
use std::panic::{set_hook, take_hook};
use std::sync::OnceLock;

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the arguments of the program: those of the process are Python's where Python calls it.
pub fn keep_arguments(arguments: Vec<OsString>) {
    ARGUMENTS.get_or_init(|| arguments);
}

/// The command line, quoted for a shell, without the options that only concern this very run.
pub fn command_line() -> String {
    let arguments = ARGUMENTS.get().map_or(&[][..], Vec::as_slice);
    burn_nca_program::command_line_of("nca", arguments.iter().skip(1))
}

/// Does what may panic and says so by itself, such as a device that cannot be started: Rust's own message on stderr is left
/// out.
pub fn without_panic_message<T>(work: impl FnOnce() -> T) -> T {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = work();
    set_hook(hook);
    result
}
