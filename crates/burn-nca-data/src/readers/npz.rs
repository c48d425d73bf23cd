//! NumPy archives (`.npz`): arrays by name in a zip file, as `np.savez` and `np.savez_compressed` write them.

use std::io::{BufReader, Read};

use crate::{Error, Features, RawTable, Result, Table, TargetKind, quoted};
use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};

use crate::excerpt::short;
use crate::readers::input::{Input, MOST_HELD};
use crate::readers::npy;
use crate::readers::sparse_checks::missing_labels_error;

mod sparse;

pub use sparse::read_sparse_npz;
pub(crate) use sparse::{is_sparse, read as read_sparse};

const FEATURES: [&str; 3] = ["x", "data", "features"];
const TARGET: [&str; 4] = ["y", "target", "labels", "label"];

const LISTED: usize = 8;

/// The bytes of an archive, and where its arrays are.
struct Archive {
    origin: String,
    zip: ZipSliceArchive<Vec<u8>>,
    arrays: Vec<Member>,
}

struct Member {
    name: String,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
}

/// The rows of an archive: its only array, or the one called `X`, `data` or `features` (in any case); a sparse table is
/// written out.
pub(crate) fn read_features(input: Input<'_>) -> Result<Features> {
    let archive = Archive::open(input)?;
    if archive.is_sparse() {
        return archive.sparse()?.to_dense();
    }
    npy::read_features(archive.input(archive.features_array()?)?)
}

/// The rows, as [`read_features`], and their targets, the array called `y`, `target`, `labels` or `label`:
/// `np.savez(FILE, X=X, y=y)` writes such an archive.
pub(crate) fn read_table(input: Input<'_>, task: TargetKind) -> Result<Table> {
    let archive = Archive::open(input)?;
    let [features, target] = archive.pair()?;
    npy::read_inputs(features, target, task)
}

pub(crate) fn read_raw(input: Input<'_>, task: Option<TargetKind>) -> Result<RawTable> {
    let archive = Archive::open(input)?;
    match task {
        Some(task) => {
            let [features, target] = archive.pair()?;
            npy::read_raw_inputs(features, target, task)
        }
        None if archive.is_sparse() => Ok((&archive.sparse()?.to_dense()?).into()),
        None => npy::read_raw_features(archive.input(archive.features_array()?)?),
    }
}

impl Archive {
    fn open(mut input: Input<'_>) -> Result<Self> {
        let origin = input.origin();
        let bytes = input.read_held("a zip archive", MOST_HELD)?;
        let damaged = |error: rawzip::Error| {
            let reason = error.to_string();
            Error::data(format!(
                "{origin}: the zip archive is damaged ({}); fetch or save it again",
                short(&reason)
            ))
        };
        let zip = ZipArchive::from_slice(bytes).map_err(damaged)?;
        let (mut arrays, mut others) = (Vec::new(), Vec::new());
        let mut entries = zip.entries();
        while let Some(entry) = entries.next_entry().map_err(damaged)? {
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            match name.strip_suffix(".npy") {
                Some(name) => arrays.push(Member {
                    name: name.to_string(),
                    method: entry.compression_method(),
                    place: entry.wayfinder(),
                }),
                None => others.push(name),
            }
        }
        if arrays.is_empty() {
            return Err(Error::data(format!("{origin} is {}", without_arrays(&others))));
        }
        Ok(Self { origin, zip, arrays })
    }

    /// The only array, or the one of the features.
    fn features_array(&self) -> Result<&Member> {
        match &self.arrays[..] {
            [only] => Ok(only),
            _ => self.named("features", &FEATURES),
        }
    }

    fn pair(&self) -> Result<[Input<'_>; 2]> {
        if self.is_sparse() {
            return Err(missing_labels_error(&self.origin));
        }
        let features = self.named("features", &FEATURES)?;
        let target = self.named("target", &TARGET)?;
        Ok([self.input(features)?, self.input(target)?])
    }

    fn named(&self, role: &str, names: &[&str]) -> Result<&Member> {
        let is =
            |name: &&str| self.arrays.iter().find(|member| member.name.to_lowercase() == **name);
        names.iter().find_map(is).ok_or_else(|| {
            let listed: Vec<String> =
                self.arrays.iter().take(LISTED).map(|member| quoted(&member.name)).collect();
            let more = self.arrays.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            Error::data(format!(
                "{} holds the arrays {}{more}, and its {role} is the one called {}; save np.savez(FILE, X=X, y=y)",
                self.origin,
                listed.join(", "),
                names.join(", ")
            ))
        })
    }

    /// The bytes of an array, unpacked as they are read; the checksum is compared at their end.
    fn input(&self, member: &Member) -> Result<Input<'_>> {
        let origin = format!("{}: {}", self.origin, short(&member.name));
        let entry = self.zip.get_entry(member.place).map_err(|error| {
            Error::data(format!(
                "{origin}: the zip archive is damaged here ({error}); fetch or save it again"
            ))
        })?;
        let bytes: Box<dyn Read + '_> = match member.method {
            CompressionMethod::STORE => Box::new(entry.data()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(entry.data())),
            other => {
                return Err(Error::data(format!(
                    "{origin}: the array is packed by method {}, and only stored and deflated ones are read; save \
                     it with np.savez",
                    other.as_u16()
                )));
            }
        };
        Input::of_zip(&origin, Box::new(BufReader::new(entry.verifying_reader(bytes))))
    }
}

/// What an archive of these files is, and how to get at its table.
fn without_arrays(files: &[String]) -> String {
    let has = |start: &str| files.iter().any(|name| name.starts_with(start));
    if has("xl/") {
        return "a workbook of Excel (.xlsx); save the sheet as CSV".into();
    }
    if has("content.xml") {
        return "an OpenDocument file (.ods); save the sheet as CSV".into();
    }
    let first =
        files.first().map_or(String::new(), |name| format!(" (it begins with {})", short(name)));
    format!(
        "a zip archive without a NumPy array{first}; unpack it (unzip), or save arrays with np.savez(FILE, X=X, y=y)"
    )
}

#[cfg(test)]
mod tests;
