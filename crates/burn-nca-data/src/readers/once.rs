//! What gives its bytes only once, standard input and pipes: the first are looked at, and kept for whoever reads it.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::readers::format::Format;

type Bytes = Box<dyn Read + Send>;

/// The format of each path, which is asked for again after it was read, and the bytes that are still to be read.
type LookedAt = BTreeMap<PathBuf, (Option<Format>, Option<Bytes>)>;

fn looked_at() -> MutexGuard<'static, LookedAt> {
    static LOOKED_AT: Mutex<LookedAt> = Mutex::new(BTreeMap::new());
    LOOKED_AT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The format of what `open` opens, which `found` finds by its first bytes: these are still to be read; none where they
/// cannot be.
pub(crate) fn format(
    path: &Path,
    (first, found): (usize, impl Fn(&[u8]) -> Option<Format>),
    open: impl FnOnce() -> io::Result<Bytes>,
) -> Option<Format> {
    let mut looked_at = looked_at();
    if let Some((format, _)) = looked_at.get(path) {
        return *format;
    }
    let (mut start, mut bytes) = (Vec::new(), open().ok()?);
    bytes.by_ref().take(first as u64).read_to_end(&mut start).ok()?;
    let format = found(&start);
    looked_at.insert(path.into(), (format, Some(Box::new(Cursor::new(start).chain(bytes)))));
    format
}

/// Keeps the format of what is read without having been looked at.
pub(crate) fn remember(path: &Path, format: Format) {
    looked_at().insert(path.into(), (Some(format), None));
}

/// All bytes of what was looked at, if it was and has not been read since.
pub(crate) fn take(path: &Path) -> Option<Bytes> {
    looked_at().get_mut(path)?.1.take()
}
