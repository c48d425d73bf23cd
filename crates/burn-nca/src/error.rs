//! What can go wrong with data, settings and files: the error of the tables, which all crates share.

pub use burn_nca_data::{Error, Result};
pub(crate) use burn_nca_data::{Message, Setting};

/// Refuses a setting that is not as it must be.
pub(crate) fn require(is_met: bool, refusal: impl FnOnce() -> String) -> Result<()> {
    if is_met { Ok(()) } else { Err(Error::setting(refusal())) }
}

/// A message of another library, which may quote a file at length: its beginning, and its end with the place.
pub fn shortened(message: &impl std::fmt::Display) -> String {
    const LETTERS: usize = 300;
    const LAST: usize = 60;
    let message = message.to_string();
    let letters = message.chars().count();
    if letters <= LETTERS {
        return message;
    }
    let first: String = message.chars().take(LETTERS - LAST).collect();
    let last: String = message.chars().skip(letters - LAST).collect();
    format!("{first}…{last}")
}

/// What a panic said.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown cause")
}

/// The words with which a call panics.
#[cfg(test)]
pub(crate) fn refusal(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    panic_message(&*panic.expect_err("nothing was refused")).to_string()
}
