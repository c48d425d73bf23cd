//! NCA for a page in a browser: what the page asks, in words a worker can pass on.
//!
//! [`Learning`] is a fit in slices with a picture after each; the page draws it and computes nothing. The crate
//! compiles natively too, so that its behavior is tested with everything else; `bindings` exists in a browser only.

#[cfg(target_arch = "wasm32")]
mod bindings;
#[cfg(test)]
mod cures;
mod given_rows;
#[cfg(any(test, target_arch = "wasm32"))]
mod hint;
mod learning;
mod measures;
mod neighbors;
mod new_rows;
mod picture;
mod settings;
mod table;

pub use given_rows::NewRows;
pub use learning::{Learning, Slice};
pub use measures::{Baseline, Measures};
pub use neighbors::{Neighbor, Neighborhood};
pub use new_rows::NewChoices;
pub use picture::View;
pub use settings::{Map, Settings};
pub use table::{PreparedData, RawRows, Reading, Table, open};
