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

/// The result of everything that can fail on data, settings or files.
pub type Result<T, E = Error> = std::result::Result<T, E>;
