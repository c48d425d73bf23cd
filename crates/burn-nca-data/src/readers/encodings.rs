//! The encodings that text is read in: all of the web's; in a browser those of Unicode, as the tables of the others
//! would be a tenth of a page.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
#[cfg(target_arch = "wasm32")]
pub(crate) use unicode::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

#[cfg(any(test, target_arch = "wasm32"))]
mod unicode;
