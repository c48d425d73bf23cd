//! What long work has done so far, in a file that the same work continues from.
//!
//! One format for all: a line of JSON with the work's identity, a checksum and the state, then the bytes of records, if
//! there are any.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{fault, read_regular, write_atomically};

/// What a crash costs at most.
const INTERVAL: Duration = Duration::from_secs(5);

/// How long work continues before its state is written down again: what a crash costs at most.
pub fn journal_interval() -> Duration {
    fault::interval().unwrap_or(INTERVAL)
}

/// What distinguishes one piece of work from another: settings, data, or their fingerprints.
pub trait Identity: Serialize + DeserializeOwned {
    /// How the work of a journal differs from this, as in `other settings`; `None` where this may continue from it.
    fn refusal(&self, stored: &Self) -> Option<String>;
}

/// Settings written out.
impl Identity for String {
    fn refusal(&self, stored: &Self) -> Option<String> {
        (self != stored).then(|| "other settings".to_string())
    }
}

/// Work that may continue from any journal, such as one whose entries say themselves what they are of.
impl Identity for () {
    fn refusal(&self, (): &Self) -> Option<String> {
        None
    }
}

/// Why work cannot continue from a journal.
#[derive(Debug)]
pub enum JournalError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// These bytes are no journal of such work, or no number of the state can be written.
    Format(serde_json::Error),
    /// It belongs to other work: how that differs.
    Others(String),
    /// State or records are not those that were written.
    Changed,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Others(differences) => write!(f, "it belongs to a run with {differences}"),
            Self::Changed => f.write_str("it was changed or damaged since it was written"),
        }
    }
}

impl std::error::Error for JournalError {}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for JournalError {
    fn from(error: serde_json::Error) -> Self {
        Self::Format(error)
    }
}

/// What follows the identity, around the checksum of state and records.
const CHECKSUM: &str = ",\"checksum\":\"";
const STATE: &str = "\",\"state\":";

/// What a journal says of its work, whatever state follows.
#[derive(Deserialize)]
struct Header<I> {
    of: I,
    checksum: String,
}

/// The CRC-32 of state and records: damage and edits are found, forgeries are not looked for.
fn checksum(state: &str, records: &[u8]) -> String {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(state.as_bytes());
    hasher.update(records);
    format!("{:08x}", hasher.finalize())
}

/// The journal of some work as bytes.
///
/// # Errors
/// A state that JSON cannot express.
pub fn to_journal<I: Identity, S: Serialize>(
    of: &I,
    state: &S,
    records: &[u8],
) -> Result<Vec<u8>, JournalError> {
    let (of, state) = (serde_json::to_string(of)?, serde_json::to_string(state)?);
    let checksum = checksum(&state, records);
    let mut bytes = format!("{{\"of\":{of}{CHECKSUM}{checksum}{STATE}{state}}}").into_bytes();
    if !records.is_empty() {
        bytes.push(b'\n');
        bytes.extend_from_slice(records);
    }
    Ok(bytes)
}

/// The state and the records of a journal of this work.
///
/// # Errors
/// What is no journal, one of other work, or one that was changed.
pub fn from_journal<'a, I: Identity, S: DeserializeOwned>(
    of: &I,
    bytes: &'a [u8],
) -> Result<(S, &'a [u8]), JournalError> {
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, records) = bytes.split_at(end);
    let header: Header<I> = serde_json::from_slice(line)?;
    if let Some(differences) = of.refusal(&header.of) {
        return Err(JournalError::Others(differences));
    }
    let records = records.get(1..).unwrap_or_default();
    let state = std::str::from_utf8(line).ok().and_then(|line| {
        let (_, state) = line.split_once(&format!("{CHECKSUM}{}{STATE}", header.checksum))?;
        state.strip_suffix('}').filter(|state| checksum(state, records) == header.checksum)
    });
    Ok((serde_json::from_str(state.ok_or(JournalError::Changed)?)?, records))
}

/// Writes a journal atomically.
///
/// # Errors
/// A file that cannot be written, or as [`to_journal`].
pub fn write_journal<I: Identity, S: Serialize>(
    path: &Path,
    of: &I,
    state: &S,
    records: &[u8],
) -> Result<(), JournalError> {
    Ok(write_atomically(path, &to_journal(of, state, records)?)?)
}

/// The state and the records in a file; `None` where there is no file.
///
/// # Examples
/// ```
/// use burn_nca_files::{read_journal, write_journal, JournalError};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("run.journal");
/// let seed_7 = "seed 7".to_string();
/// assert!(read_journal::<_, u32>(&path, &seed_7)?.is_none());
/// write_journal(&path, &seed_7, &12_u32, b"weights")?;
/// assert_eq!(read_journal(&path, &seed_7)?, Some((12_u32, b"weights".to_vec())));
/// let refused = read_journal::<_, u32>(&path, &"seed 8".to_string());
/// assert!(matches!(refused, Err(JournalError::Others(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A file that cannot be read, or as [`from_journal`].
pub fn read_journal<I: Identity, S: DeserializeOwned>(
    path: &Path,
    of: &I,
) -> Result<Option<(S, Vec<u8>)>, JournalError> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_regular(path)?;
    from_journal(of, &bytes).map(|(state, records)| Some((state, records.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_of_state_and_records_is_found_and_other_work_refused() {
        let of = "run\nof two lines".to_string();
        let records = b"\n{}\n\0\xff";
        let bytes = to_journal(&of, &[0.5, 2.0], records).unwrap();
        let read = |bytes: &[u8]| {
            from_journal::<_, Vec<f64>>(&of, bytes)
                .map(|(state, records)| (state, records.to_vec()))
        };
        assert_eq!(read(&bytes).unwrap(), (vec![0.5, 2.0], records.to_vec()));
        let start = bytes.iter().position(|&byte| byte == b'[').unwrap();
        for place in start..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(read(&changed).is_err() && read(&bytes[..place]).is_err(), "{place}");
        }
        // Whatever its state is.
        let error = from_journal::<_, String>(&"other".to_string(), &bytes).unwrap_err();
        assert_eq!(error.to_string(), "it belongs to a run with other settings");
        assert!(matches!(from_journal::<(), u32>(&(), b"{"), Err(JournalError::Format(_))));
    }
}
