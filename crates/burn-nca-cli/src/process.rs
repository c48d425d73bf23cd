//! The command line of this process.

/// The command line, quoted for a shell, without the options that only concern this very run.
pub fn command_line() -> String {
    burn_nca_program::command_line("nca")
}
