//! What the programs of this workspace share: folders and files that appear whole, stopping, progress, pages.
//!
//! | | |
//! |---|---|
//! | [`RunFolder`] | the folder of a run: whole, or waiting to be gone on with |
//! | [`write_file`], [`print()`] | where results go |
//! | `Interrupt`, `Bar` | stopping and progress (feature `terminal`) |
//! | [`peak_memory_bytes`] | the most memory so far |
//! | [`html`] | text and data in pages |

#[cfg(feature = "terminal")]
mod bar;
pub mod html;
#[cfg(feature = "terminal")]
mod interrupt;
mod memory;
mod output;
mod run_folder;

#[cfg(feature = "terminal")]
pub use bar::Bar;
#[cfg(feature = "terminal")]
pub use interrupt::Interrupt;
pub use memory::peak_memory_bytes;
pub use output::{print, write_file};
pub use run_folder::RunFolder;
