//! The error of all crates, and how messages quote.

pub use burn_nca::internal::shortened;
pub use burn_nca::{Error, Result};
pub(crate) use burn_nca_data::{Hint, Message, Setting, quoted};
