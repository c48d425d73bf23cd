//! What can go wrong with data, settings and files.
//!
//! Broken contracts by the programmer (a wrong tensor rank, say) panic with the values; everything that
//! depends on a user's data, settings or files is an [`Error`] whose message names the thing, the value
//! and the cure.

use std::path::PathBuf;

/// An error of this crate; every message names the thing, the value and the cure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data cannot be used as they are.
    #[error("{0}")]
    Data(String),
    /// A setting is out of its range or contradicts another.
    #[error("{0}")]
    Setting(String),
    /// The device is missing, or gave wrong results.
    #[error("{0}")]
    Device(String),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A saved model is incomplete, of another version, or does not fit.
    #[error("{}: {reason}", path.display())]
    Model {
        /// The model's folder or file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
}

impl Error {
    /// An [`Error::Data`] with this message.
    pub fn data(message: impl Into<String>) -> Self {
        Self::Data(message.into())
    }

    /// An [`Error::Setting`] with this message.
    pub fn setting(message: impl Into<String>) -> Self {
        Self::Setting(message.into())
    }

    /// An [`Error::Io`] at this path.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    /// An [`Error::Model`] at this path.
    pub fn model(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Model { path: path.into(), reason: reason.into() }
    }
}

/// A name in quotation marks, on one line; of more than 40 letters the first 40 and an ellipsis.
pub(crate) fn quoted(name: &str) -> String {
    const LETTERS: usize = 40;
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{:?}", format!("{}…", &name[..end])),
        None => format!("{name:?}"),
    }
}

/// A message of another library, which may quote a file at length: its beginning, and its end with the place.
pub(crate) fn shortened(message: &impl std::fmt::Display) -> String {
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
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown cause")
}

/// The result of everything that can fail on data, settings or files.
pub type Result<T, E = Error> = std::result::Result<T, E>;
