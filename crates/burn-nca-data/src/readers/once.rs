//! What gives its bytes only once, standard input and pipes: the first are looked at, and kept for whoever reads it.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::readers::format::Format;

/// Bytes that can be read on any thread.
type Bytes = Box<dyn Read + Send>;

struct LookedAt {
    path: PathBuf,
    format: Option<Format>,
    bytes: Option<Bytes>,
}

static LOOKED_AT: Mutex<Vec<LookedAt>> = Mutex::new(Vec::new());

/// The format of what `open` opens, which `found` finds by its first bytes: these are still to be read; none where they
/// cannot be.
pub(crate) fn format(
    path: &Path,
    (first, found): (usize, impl Fn(&[u8]) -> Option<Format>),
    open: impl FnOnce() -> io::Result<Bytes>,
) -> Option<Format> {
    let mut looked_at = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = looked_at.iter().find(|known| known.path == path) {
        return known.format;
    }
    let (mut start, mut bytes) = (Vec::new(), open().ok()?);
    bytes.by_ref().take(first as u64).read_to_end(&mut start).ok()?;
    let format = found(&start);
    let bytes: Bytes = Box::new(Cursor::new(start).chain(bytes));
    looked_at.push(LookedAt { path: path.into(), format, bytes: Some(bytes) });
    format
}

/// Keeps the format of what is read without having been looked at.
pub(crate) fn remember(path: &Path, format: Format) {
    let mut looked_at = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    looked_at.retain(|known| known.path != path);
    looked_at.push(LookedAt { path: path.into(), format: Some(format), bytes: None });
}

/// All bytes of what was looked at, if it was and has not been read since.
pub(crate) fn take(path: &Path) -> Option<Bytes> {
    let mut looked_at = LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner);
    looked_at.iter_mut().find(|known| known.path == path)?.bytes.take()
}
