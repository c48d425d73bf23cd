//! What can go wrong with data, settings and files.
//!
//! Broken contracts by the programmer (a wrong tensor rank, say) panic with the values; everything that
//! depends on a user's data, settings or files is an [`Error`] whose message names the thing, the value
//! and the cure. What each front end calls by another name is a [`Hint`]: it words the error itself, from
//! [`Error::text`] and [`Error::hints`].

use std::path::PathBuf;

use crate::hint::{Hint, Message, Setting, hint_sentence, in_one_line};

/// An error of this crate; every message names the thing, the value and the cure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The data cannot be used as they are.
    #[error("{0}")]
    Data(Message),
    /// A setting is out of its range or contradicts another.
    #[error("{0}")]
    Setting(Message),
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
        reason: Message,
    },
}

impl Error {
    /// An [`Error::Data`] with this message.
    pub fn data(message: impl Into<Message>) -> Self {
        Self::Data(message.into())
    }

    /// An [`Error::Setting`] with this message.
    pub fn setting(message: impl Into<Message>) -> Self {
        Self::Setting(message.into())
    }

    /// The message without its hints, for a front end that words them itself.
    pub fn text(&self) -> String {
        match self {
            Self::Data(message) | Self::Setting(message) => message.text().to_string(),
            Self::Model { path, reason } => format!("{}: {}", path.display(), reason.text()),
            Self::Device(_) | Self::Io { .. } => self.to_string(),
        }
    }

    /// The message with its hints in the words of a front end, which has none for what it cannot set.
    pub fn worded(&self, words: impl Fn(&Setting) -> Option<String>) -> String {
        in_one_line(self.text(), hint_sentence(self.hints(), words))
    }

    /// What to do about it; in words by [`hint_sentence`](crate::hint_sentence).
    pub fn hints(&self) -> &[Hint] {
        match self {
            Self::Data(message) | Self::Setting(message) | Self::Model { reason: message, .. } => {
                message.hints()
            }
            Self::Device(_) | Self::Io { .. } => &[],
        }
    }

    /// An [`Error::Io`] at this path.
    pub fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    /// An [`Error::Model`] at this path.
    pub fn model(path: impl Into<PathBuf>, reason: impl Into<Message>) -> Self {
        Self::Model { path: path.into(), reason: reason.into() }
    }
}

/// The result of everything that can fail on data, settings or files.
pub type Result<T, E = Error> = std::result::Result<T, E>;
