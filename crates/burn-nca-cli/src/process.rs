//! What belongs to the whole process: its command line, its panic hook.

use std::panic::{set_hook, take_hook};

/// The command line, quoted for a shell, without the options that only concern this very run.
pub fn command_line() -> String {
    burn_nca_program::command_line("nca")
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
