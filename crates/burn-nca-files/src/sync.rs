//! Bringing what was written to the disk.

use std::fs::File;
use std::io;

use crate::fault;

/// Brings an open file, or the names in an open folder, to the disk; `what` is what tests call the operation.
pub(crate) fn sync(file: &File, what: &str) -> io::Result<()> {
    fault::point(what)?;
    file.sync_all()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Linux refuses to sync a device, so that a refusal shows that it was asked.
    #[test]
    fn the_system_is_asked_and_its_answer_passed_on() {
        let device = File::open("/dev/null").unwrap();
        let error = sync(&device, "sync a file").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
        assert!(sync(&tempfile::tempfile().unwrap(), "sync a file").is_ok());
    }
}
