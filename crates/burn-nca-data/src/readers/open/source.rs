//! What a word names: a set of the catalog, a file, two files, or standard input.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::near_name::suggestion;
use crate::readers::format::Format;
use crate::readers::input::{Input, STANDARD_INPUT, START};
use crate::readers::{idx, matrix_market, npy, npz, once};
use crate::sets::generate::word;
use crate::sets::{by_name, names};
use crate::{Error, Features, Labeled, Result, quoted};

/// What a source turned out to be; files are open, so that they are opened only once.
pub(super) enum Source {
    Set(Labeled),
    Alone(Input<'static>),
    /// Features and the file of their labels.
    Pair(Input<'static>, PathBuf),
}

impl Source {
    pub(super) fn features(self) -> Result<Features> {
        let input = match self {
            Self::Set(set) => return Ok(set.features().clone()),
            Self::Alone(input) | Self::Pair(input, _) => input,
        };
        match input.format() {
            Format::Npy => npy::read_features(input),
            Format::MatrixMarket => matrix_market::read(input)?.to_dense(),
            Format::Zip => npz::read_features(input),
            _ => idx::read_features(input),
        }
    }
}

pub(super) fn find(source: &str) -> Result<Source> {
    if let Some(set) = by_name(source) {
        return Ok(Source::Set(set.load()));
    }
    if source == STANDARD_INPUT {
        return Ok(Source::Alone(Input::standard_input()?));
    }
    let path = Path::new(source);
    if path.exists() {
        return Ok(Source::Alone(Input::open(path)?));
    }
    if let Some(made) = word::of_word(source) {
        return made.map(Source::Set);
    }
    if let Some((x, y)) = source.split_once(',') {
        if y.contains(',') {
            return Err(Error::data(format!(
                "{} names more than two files; a pair is X.npy,Y.npy or IMAGES,LABELS",
                quoted(source)
            )));
        }
        return Ok(Source::Pair(Input::open(Path::new(x.trim()))?, y.trim().into()));
    }
    Err(Error::data(format!(
        "{source:?} is neither a bundled data set nor a file; {}the bundled sets are {}; \
         a file is given by its path",
        suggestion(source, names()),
        names().collect::<Vec<_>>().join(", ")
    )))
}

/// Whether a source is a file whose columns have names: text, Parquet or Arrow. What cannot be read is taken for one, if
/// it is a folder, a pipe or standard input.
pub fn has_columns(source: &str) -> bool {
    let path = Path::new(source);
    if by_name(source).is_some() {
        return false;
    }
    let found = |start: &[u8]| Input::of_bytes("", start).ok().map(|input| input.format());
    // Packed data may be longer than what they unpack to.
    let by_start = (2 * START, found);
    let format = match source {
        STANDARD_INPUT => once::format(path, by_start, || Ok(Box::new(io::stdin()))),
        _ if path.is_file() => {
            return Input::open(path).is_ok_and(|input| input.format().is_table());
        }
        _ if path.exists() => once::format(path, by_start, || Ok(Box::new(File::open(path)?))),
        _ => return false,
    };
    format.is_none_or(Format::is_table)
}
