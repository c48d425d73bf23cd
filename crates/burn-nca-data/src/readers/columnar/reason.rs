//! Why a Parquet or Arrow file is refused.

use std::any::Any;

use crate::readers::format::Format;

/// The letters of a reason of the readers that a message shows.
const SHOWN: usize = 200;

/// Why rows cannot be had.
#[derive(Debug)]
pub(super) enum Reason {
    /// The bytes are not those of the format, or of a part of it that is not read.
    Format(String),
    /// The values are not those of a table.
    Values(String),
}

impl Reason {
    /// Of a file that ends before its last part, or names parts where there are none.
    pub(super) fn cut_off() -> Self {
        Self::Format("it ends before its parts do".into())
    }

    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Self::Format(message.unwrap_or("its parts contradict each other").to_string())
    }

    /// The message, but for the name of the file.
    pub(super) fn in_words(self, format: Format) -> String {
        match self {
            Self::Values(reason) => reason,
            Self::Format(reason) => {
                let reason: String = reason.split_whitespace().collect::<Vec<_>>().join(" ");
                let reason: String = reason.chars().take(SHOWN).collect();
                format!(
                    "{} that cannot be read ({reason}); if it is whole, write it again, with Snappy or Zstandard or no \
                     compression, or as CSV",
                    format.name()
                )
            }
        }
    }
}

impl<E: std::fmt::Display> From<E> for Reason {
    fn from(error: E) -> Self {
        Self::Format(error.to_string())
    }
}
