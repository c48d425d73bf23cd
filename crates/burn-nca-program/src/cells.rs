//! What a long run has measured so far, kept after every cell.

use std::path::PathBuf;

use anyhow::{Context, Error, Result, anyhow};
use burn_nca_files::{Identity, JournalError, read_journal, write_journal};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The cells of a run (measurements of one method on one split, say) and the file that an interrupted run resumes from.
#[derive(Debug)]
pub struct Cells<I, C> {
    of: I,
    cells: Vec<C>,
    file: PathBuf,
}

impl<I: Identity, C: Serialize + DeserializeOwned> Cells<I, C> {
    /// Those that the file of an interrupted run holds and that are wanted; none where there is no file.
    ///
    /// # Errors
    /// A file that cannot be read or written, was changed, or belongs to another run.
    pub fn open(file: PathBuf, of: I, wanted: impl FnMut(&C) -> bool) -> Result<Self> {
        let place = file.display();
        let found = read_journal::<_, Vec<C>>(&file, &of).map_err(|error| match error {
            JournalError::Others(others) => anyhow!(
                "the interrupted run had {others}; give the same options, or start again in another folder"
            ),
            error => Error::new(error).context(format!("cannot resume from {place}")),
        })?;
        let mut cells = found.map(|(cells, _)| cells).unwrap_or_default();
        cells.retain(wanted);
        let cells = Self { of, cells, file };
        cells.write()?;
        Ok(cells)
    }

    /// The cells so far, in the order they came in.
    pub fn done(&self) -> &[C] {
        &self.cells
    }

    /// Keeps a cell.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, cell: C) -> Result<()> {
        self.cells.push(cell);
        self.write()
    }

    /// All cells, and what they are of.
    pub fn into_parts(self) -> (I, Vec<C>) {
        (self.of, self.cells)
    }

    fn write(&self) -> Result<()> {
        write_journal(&self.file, &self.of, &self.cells, &[])
            .with_context(|| format!("{} cannot be written", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_resumes_with_what_it_has_and_only_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cells.json");
        let open = |seed: &str, most: u32| {
            Cells::open(file.clone(), seed.to_string(), move |cell: &u32| *cell < most)
        };
        let mut cells = open("seed 1", 9).unwrap();
        [3, 1, 8].into_iter().for_each(|cell| cells.add(cell).unwrap());
        assert_eq!(open("seed 1", 5).unwrap().done(), [3, 1]);
        let error = open("seed 2", 5).unwrap_err().to_string();
        assert!(error.contains("had other settings; give the same options"), "{error}");
        std::fs::write(&file, "{").unwrap();
        assert!(open("seed 1", 5).unwrap_err().to_string().contains("cannot resume from"));
    }
}
