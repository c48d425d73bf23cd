//! Damage behind what a reader checks first: sizes that agree with the file, archives whose checksums are right.

use std::io::{Cursor, Write};

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter, ZipDataWriter};

use super::mutate;

/// An NPY file whose length of the header is that of the header there is.
pub fn npy(mut bytes: Vec<u8>) -> Vec<u8> {
    const START: usize = 10;
    let header = bytes.get(START..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n'));
    if let Some(length) = header.and_then(|end| u16::try_from(end + 1).ok()) {
        bytes[8..START].copy_from_slice(&length.to_le_bytes());
    }
    bytes
}

/// A file of an archive: its name and its bytes.
pub type Member = (String, Vec<u8>);

/// The files of an archive; none of one that is damaged.
pub fn members(archive: &[u8]) -> Vec<Member> {
    let read = || -> Option<Vec<Member>> {
        let zip = ZipArchive::from_slice(archive).ok()?;
        let mut found = Vec::new();
        for entry in zip.entries() {
            let entry = entry.ok()?;
            let name = String::from_utf8_lossy(entry.file_path().as_bytes()).into_owned();
            let packed = zip.get_entry(entry.wayfinder()).ok()?.data().to_vec();
            let mut bytes = packed.clone();
            if entry.compression_method() == CompressionMethod::DEFLATE {
                bytes.clear();
                let mut decoder = flate2::read::DeflateDecoder::new(Cursor::new(packed));
                std::io::copy(&mut decoder, &mut bytes).ok()?;
            }
            found.push((name, bytes));
        }
        Some(found)
    };
    read().unwrap_or_default()
}

/// An archive of one of these lists of files, some of them damaged, renamed, doubled or left out, with checksums that are
/// right.
pub fn archive(lists: &[Vec<Member>], rng: &mut impl Rng) -> Vec<u8> {
    let mut files = lists.choose(rng).cloned().unwrap_or_default();
    let all: Vec<Vec<u8>> = lists.iter().flatten().map(|(_, bytes)| bytes.clone()).collect();
    let names: Vec<String> = lists.iter().flatten().map(|(name, _)| name.clone()).collect();
    for _ in 0..rng.random_range(1..=2) {
        let Some(at) = (0..files.len()).collect::<Vec<_>>().choose(rng).copied() else { break };
        match rng.random_range(0..8) {
            0 => files[at].0 = names.choose(rng).cloned().unwrap_or_default(),
            1 => files.push(files[at].clone()),
            2 => drop(files.remove(at)),
            3 => files[at].1 = all.choose(rng).cloned().unwrap_or_default(),
            _ => {
                let bytes = vec![files[at].1.clone(), files[at].1.clone(), all[0].clone()];
                files[at].1 = npy(mutate::damaged(&bytes, rng));
            }
        }
    }
    let mut writer = ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in &files {
        let file = writer.new_file(name.as_str()).compression_method(CompressionMethod::STORE);
        let (mut entry, config) = file.start().unwrap();
        let mut data: ZipDataWriter<_> = config.wrap(&mut entry);
        data.write_all(bytes).unwrap();
        let descriptor = data.finish().unwrap().1;
        entry.finish(descriptor).unwrap();
    }
    writer.finish().unwrap()
}

/// The text in UTF-16, with a byte order mark.
pub fn utf_16(bytes: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let little = rng.random();
    let text = format!("\u{feff}{}", String::from_utf8_lossy(bytes));
    let units = text.encode_utf16();
    units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}
