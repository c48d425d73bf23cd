//! Files written atomically: the old contents or the new ones, never half of either.
//!
//! [`write_atomically`] writes one file, [`publish_folder`] makes a folder appear complete. Both sync what they
//! write, so that a power cut leaves no empty file behind a name. [`read_regular`] reads one back. A journal
//! ([`write_journal`], [`read_journal`]) is what interrupted work resumes from.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod atomic;
#[cfg(debug_assertions)]
pub mod fault;
#[cfg(not(debug_assertions))]
mod fault {
    //! Outside a debug build no operation fails on request.
    pub(crate) fn point(_: &str) -> std::io::Result<()> {
        Ok(())
    }

    pub(crate) fn interval() -> Option<std::time::Duration> {
        None
    }
}
mod folder;
mod journal;
mod read;
mod stdout;
mod target;

pub use atomic::write_atomically;
pub use folder::{
    make_folder, open_lock, publish_folder, remove_file, remove_leftovers, rename_folder,
    replace_folder, restore_folder, temporary_folder,
};
pub use journal::{
    Identity, JournalError, from_journal, journal_interval, read_journal, to_journal, write_journal,
};
pub use read::{read_regular, read_regular_text};
pub use stdout::{is_closed_stdout, write_stdout};
pub use target::is_regular;

/// What the names of temporary files and folders start with.
const TEMPORARY: &str = ".nca-tmp-";
