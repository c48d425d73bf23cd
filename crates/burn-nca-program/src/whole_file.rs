use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name beside it, then renames it: no reader sees half of it.
///
/// # Errors
/// A folder that does not exist or cannot be written.
///
/// # Examples
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("results.json");
/// burn_nca_program::write_whole(&path, b"{}")?;
/// assert_eq!(std::fs::read(&path)?, b"{}");
/// # std::io::Result::Ok(())
/// ```
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // Temporary files are the owner's alone; a result has the permissions of any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_written_file_replaces_the_old_one_and_a_failure_leaves_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z.csv");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write_whole(&folder.path().join("no/z.csv"), b"").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_a_file_as_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [whole, plain] = ["whole", "plain"].map(|name| folder.path().join(name));
        write_whole(&whole, b"").unwrap();
        fs::write(&plain, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&whole), mode(&plain));
    }
}
