//! Damaged files of every kind that is read: a value or a short error, never a panic, and memory in proportion.
//!
//! Files of `tests/corpus` are damaged by a seed. The tests run some hundred of each kind; `benches/fuzz.py` runs more, as
//! does
//!
//! ```text
//! BURN_NCA_FUZZ_SECONDS=60 BURN_NCA_FUZZ_SEED=1 cargo test --test fuzz
//! ```
//!
//! A file that fails is kept in the folder of temporary files, and named with its number and seed.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod files;
mod mutate;
mod whole;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use burn_nca_data::{
    CsvOptions, DecimalSign, Features, Header, Message, RawOptions, Result, Table, TargetColumn,
    TargetKind, TextFormat, open, open_features, open_raw, read_csv, read_csv_features, read_idx,
    read_idx_labels, read_matrix_market, read_npy_features, read_pairs, read_sparse_npz,
    read_splits,
};
use flate2::{Compression, write::GzEncoder};
use peak_alloc::PeakAlloc;
use rand::RngExt;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The peak of the memory is one for all threads.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const ROWS: usize = 5;

/// Bytes that a reader may take for its buffers, and for each byte of the (unpacked) file.
const BUFFERS: usize = 4 << 20;
const A_BYTE: usize = 256;

/// What deflate can unpack a byte to.
const MOST_UNPACKED: usize = 1032;

/// The same of Zstandard, which packs parts of Parquet and Arrow files.
const MOST_OF_A_PART: usize = 1 << 16;

/// What any of these small files may take: the readers refuse to unpack more than 1 GiB.
const MOST: usize = 5 << 28;

fn corpus(kind: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(kind);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Reads damaged files and watches. `read` gives an error of its own where a value contradicts the file.
fn fuzz(kind: &str, read: impl Fn(&Path) -> Result<()>) {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    let files = corpus(kind);
    let packed_files: Vec<Vec<u8>> = files.iter().map(|file| gzip(file)).collect();
    let archives: Vec<_> = files.iter().map(|file| whole::members(file)).collect();
    let (mut tried, mut read_well) = (0, 0);
    for number in files::numbers(300) {
        let mut rng = files::generator(number);
        tried += 1;
        // Way 0 damages a packed file, way 1 packs a damaged one.
        let way = rng.random_range(0..8);
        let bytes = mutate::damaged(if way == 0 { &packed_files } else { &files }, &mut rng);
        let bytes = match (kind, way) {
            ("npy", 2..5) => whole::npy(bytes),
            ("npz", 2..6) => whole::archive(&archives, &mut rng),
            ("csv" | "pairs" | "splits" | "matrix_market", 2) => whole::utf_16(&bytes, &mut rng),
            _ => bytes,
        };
        // Deflate packs what zeros a size asks for.
        let is_packed = way == 0 || kind == "npz" && way > 1;
        let most = if is_packed { MOST_UNPACKED * bytes.len() } else { bytes.len() };
        let bytes = if way == 1 { gzip(&bytes) } else { bytes };
        std::fs::write(&path, &bytes).unwrap();
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&path)));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        let most = if ["arrow", "parquet"].contains(&kind) { MOST_OF_A_PART * most } else { most };
        let most = (BUFFERS + A_BYTE * most).min(MOST);
        let failure = match outcome {
            Err(_) => "a panic".to_string(),
            Ok(_) if taken > most => format!("{taken} bytes of memory"),
            Ok(Err(error)) if error.to_string().len() > 1500 => format!("a long message: {error}"),
            Ok(outcome) => {
                read_well += u64::from(outcome.is_ok());
                continue;
            }
        };
        let seed = files::seed();
        let kept = std::env::temp_dir().join(format!("burn-nca-fuzz-{kind}-{seed}-{number}"));
        std::fs::write(&kept, &bytes).unwrap();
        panic!("{kind}, seed {seed}, number {number}, kept as {}: {failure}", kept.display());
    }
    println!("{kind}: of {tried} files {read_well} were read");
    assert!(tried < 100 || read_well > 0, "some damage does no harm");
}

fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut unpacked = Vec::new();
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(&*bytes), &mut unpacked).unwrap();
    unpacked
}

/// The records of a text as the csv crate reads it with some separator, blank lines left out.
fn records_by_another_reader(bytes: &[u8]) -> Vec<usize> {
    let records = |separator: &u8| {
        let mut reader = csv::ReaderBuilder::new();
        let reader =
            reader.delimiter(*separator).flexible(true).has_headers(false).from_reader(bytes);
        let records = reader.into_byte_records().map(|record| record.unwrap());
        let blank = |record: &csv::ByteRecord| {
            record.len() == 1
                && !record[0].is_empty()
                && String::from_utf8_lossy(&record[0]).trim().is_empty()
        };
        records.filter(|record| !blank(record)).count()
    };
    b",;\t".iter().map(records).collect()
}

/// Each record is a row, but for the header line, where there is one, and the lines above it that a note counts.
fn check_rows(path: &Path, table: &Table) {
    let bytes = unpacked(path);
    // The other reader knows no other encoding.
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return;
    }
    let count = |note: &Message| {
        let (before, _) = note.text().split_once(" above the names of the columns")?;
        let mut words = before.rsplit(' ');
        words.next().map(|_| words.next().and_then(|many| many.parse().ok()).unwrap_or(1))
    };
    let above = table.notes.iter().find_map(count).unwrap_or(0);
    let records = records_by_another_reader(&bytes);
    let rows = table.features.rows() + above;
    assert!(
        records.contains(&rows) || records.contains(&(rows + 1)),
        "{rows} rows and lines above the names of {records:?} records"
    );
}

#[test]
fn csv_files() {
    let untargeted = CsvOptions { target: TargetColumn::None, ..CsvOptions::default() };
    let numeric = CsvOptions { task: TargetKind::Numeric, ..CsvOptions::default() };
    fuzz("csv", |path| {
        let mut first = None;
        for options in [&CsvOptions::default(), &untargeted, &numeric] {
            match read_csv(path, options) {
                Ok(table) => check_rows(path, &table),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let _ = read_csv(path, &CsvOptions { format: some_format(path), ..untargeted.clone() });
        let raw = RawOptions { format: some_format(path), ..RawOptions::default() };
        for options in [&RawOptions::default(), &raw] {
            if let Ok(table) = open_raw(&path.display().to_string(), options) {
                assert!(table.columns().iter().all(|column| column.rows() == table.rows()));
            }
        }
        let _ = read_csv_features(path, &["b".to_string()]);
        first.map_or(Ok(()), Err)
    });
}

/// A way to write text, another one for each length of the file.
fn some_format(path: &Path) -> TextFormat {
    let length = std::fs::metadata(path).unwrap().len() as usize;
    let separators = [None, Some(';'), Some('\t'), Some('|'), Some(' ')];
    let encodings = ["latin1", "utf-16le", "utf-16be", "windows-1250", "shift_jis"];
    TextFormat {
        separator: separators[length % 5],
        decimal: if length.is_multiple_of(2) { DecimalSign::Comma } else { DecimalSign::Point },
        encoding: (length % 6).checked_sub(1).map(|at| encodings[at].to_string()),
        header: [Header::Auto, Header::Yes, Header::No][length % 3],
        missing: length.is_multiple_of(7).then(|| vec!["NA".to_string(), "-".to_string()]),
    }
}

#[cfg(feature = "parquet")]
fn columnar(path: &Path) -> Result<()> {
    let path = path.display().to_string();
    let table = open_raw(&path, &RawOptions::default())?;
    assert!(table.rows() > 0 && !table.columns().is_empty());
    // Most of the corpus holds text.
    let _ = open(&path, &CsvOptions { target: TargetColumn::None, ..CsvOptions::default() });
    Ok(())
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files() {
    fuzz("parquet", columnar);
}

#[cfg(feature = "parquet")]
#[test]
fn arrow_files() {
    fuzz("arrow", columnar);
}

fn features(path: &Path) -> Result<Features> {
    open_features(&path.display().to_string(), &[])
}

fn with_targets(source: &str) -> [Result<()>; 2] {
    [TargetKind::Classes, TargetKind::Numeric]
        .map(|task| open(source, &CsvOptions { task, ..CsvOptions::default() }).map(drop))
}

#[test]
fn idx_files() {
    fuzz("idx", |path| {
        let array = read_idx(path)?;
        let size = array.shape.iter().try_fold(1_usize, |size, &side| size.checked_mul(side));
        assert!(array.shape.contains(&0) || size == Some(array.values.len()), "{:?}", array.shape);
        let (images, labels) = (features(path), read_idx_labels(path));
        assert!(images.is_err() || labels.is_err(), "an array is images or labels");
        Ok(())
    });
}

#[test]
fn npy_files() {
    let features = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/npy/f2.npy");
    fuzz("npy", |path| {
        let rows = read_npy_features(path).map(drop);
        with_targets(&format!("{features},{}", path.display())).into_iter().fold(rows, Result::or)
    });
}

#[test]
fn npz_files() {
    fuzz("npz", |path| {
        let rows = features(path).map(drop);
        let rows = rows.or(read_sparse_npz(path).map(drop));
        with_targets(&path.display().to_string()).into_iter().fold(rows, Result::or)
    });
}

#[test]
fn pair_lists() {
    fuzz("pairs", |path| read_pairs(path, ROWS).map(drop));
}

#[test]
fn matrix_market_files() {
    fuzz("matrix_market", |path| {
        let table = read_matrix_market(path)?;
        let mut entries = (0..table.rows()).flat_map(|row| table.row(row));
        assert!(entries.all(|(column, value)| column < table.columns() && value.is_finite()));
        Ok(())
    });
}

#[test]
fn splits() {
    fuzz("splits", |path| {
        for split in read_splits(path, ROWS)? {
            assert!(split.train.iter().chain(&split.test).all(|row| *row < ROWS));
        }
        Ok(())
    });
}

/// Reads a table of this file, and gives the most memory that took.
fn memory_of(file: &[u8], read: impl Fn(&Path) -> Result<Features>) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, file).unwrap();
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let features = read(&path).unwrap();
    assert_eq!((features.rows(), features.columns()), (1 << 18, 8));
    MEMORY.peak_usage() - before
}

#[test]
fn an_array_takes_the_memory_of_its_values_and_no_file_beside_them() {
    const VALUES: usize = 1 << 21;
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let npy = |kind: &str, values: &[u8]| {
        let shape = format!("'shape': ({}, 8)", VALUES / 8);
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), values].concat()
    };
    let singles: Vec<u8> = (0..VALUES).flat_map(|at| (at as f32 / 3.0).to_le_bytes()).collect();
    let doubles: Vec<u8> = (0..VALUES).flat_map(|at| (at as f64 / 3.0).to_le_bytes()).collect();
    let pixels: Vec<u8> = (0..VALUES).map(|at| (at % 251) as u8).collect();
    let shape = [0, 0, 8, 2, 0, 4, 0, 0, 0, 0, 0, 8];
    let small = 2 << 20;
    let npy_of =
        |kind: &str, values: &[u8]| memory_of(&npy(kind, values), |path| read_npy_features(path));
    assert!(npy_of("<f4", &singles) < 4 * VALUES + small);
    assert!(npy_of("<f8", &doubles) < 8 * VALUES + small);
    assert!(npy_of("|u1", &pixels) < 4 * VALUES + small);
    assert!(memory_of(&[shape.as_slice(), &pixels].concat(), features) < 4 * VALUES + small);
}
