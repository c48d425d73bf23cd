//! What the programs of this workspace share: folders that appear complete, stopping, progress, pages.
//!
//! | | |
//! |---|---|
//! | [`RunFolder`] | the folder of a run: complete, or waiting to be resumed |
//! | [`Cells`] | what a long run has measured so far, kept after every cell |
//! | [`write_file`], [`print()`] | where results go |
//! | [`command_line()`] | the command that made them |
//! | [`eprint_line`] | what is said on stderr |
//! | [`printable()`], [`short_name`] | names of unknown origin on a terminal |
//! | `Interrupt`, `Bar` | stopping and progress (feature `terminal`) |
//! | `Table`, `plain_table` | tables for a terminal and a page, for a terminal alone (feature `tables`) |
//! | [`peak_memory_bytes`] | the most memory so far |
//! | [`number`] | numbers as people read them |
//! | [`html`] | text, data and style in pages |

#[cfg(feature = "terminal")]
mod bar;
mod cells;
mod command_line;
pub mod html;
#[cfg(feature = "terminal")]
mod interrupt;
mod memory;
pub mod number;
mod output;
mod printable;
mod run_folder;
#[cfg(feature = "tables")]
mod table;
pub mod terminal;

#[cfg(feature = "terminal")]
pub use bar::Bar;
pub use burn_nca_files::{Identity, JournalError, read_journal, write_journal};
pub use cells::Cells;
pub use command_line::{command_line, command_line_of, shell_word};
#[cfg(feature = "terminal")]
pub use interrupt::{Interrupt, Interrupted};
pub use memory::peak_memory_bytes;
pub use output::{eprint_line, print, write_file};
pub use printable::{printable, short_name};
pub use run_folder::RunFolder;
#[cfg(feature = "tables")]
pub use table::{Cell, Table, named_lines, plain_table};
pub use terminal::Terminal;
