//! What kind of file some bytes are the beginning of.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    /// An IDX array (the format of the MNIST files).
    Idx,
    Zip,
    MatrixMarket,
    Parquet,
    /// A table in the Arrow format for files (Feather, version 2).
    Arrow,
    /// The same in the form for pipes.
    ArrowStream,
    Text,
}

const MATRIX_MARKET: &[u8] = b"%%MatrixMarket";

const SAVE: &str = "save the table as CSV or NPY, or as Parquet";
const PICKLE: &str = "save the table as CSV (DataFrame.to_csv) or NPY (numpy.save)";

/// What files of other formats begin with, what messages call them, and how to get at their table.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\xfd7zXZ\0", "packed by xz", "unpack it (unxz), or pack it by gzip"),
    (b"]\0\0", "packed by lzma", "unpack it (unlzma), or pack it by gzip"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", "unpack it (unzstd), or pack it by gzip"),
    (b"\x04\x22\x4d\x18", "packed by lz4", "unpack it (unlz4), or pack it by gzip"),
    (b"\x1f\x9d", "packed by compress", "unpack it (uncompress), or pack it by gzip"),
    (b"\x1f\x8b", "packed by gzip twice", "unpack it once (gunzip)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it (7z x)"),
    (b"Rar!\x1a\x07", "a rar archive", "unpack it (unrar x)"),
    (b"\x89HDF\r\n", "an HDF5 file (.h5, or .mat of MATLAB 7.3)", SAVE),
    (b"CDF\x01", "a NetCDF file", SAVE),
    (b"CDF\x02", "a NetCDF file", SAVE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "a workbook of Excel (.xls)", "save the sheet as CSV"),
    (b"SQLite format 3\0", "an SQLite database", "export the table as CSV"),
    (b"$FL2@(#)", "a .sav file of SPSS", SAVE),
    (b"<stata_dta>", "a .dta file of Stata", SAVE),
    (b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", "a .sas7bdat file of SAS", SAVE),
    (b"RDX2\n", "an .rda file of R", R),
    (b"RDX3\n", "an .rda file of R", R),
    (b"X\n\0\0\0", "an .rds file of R", R),
    (b"FEA1\0", "a Feather file of version 1", SAVE),
    (b"ORC\x08", "an ORC file", SAVE),
    (b"Obj\x01", "an Avro file", SAVE),
    (b"HEADER RECORD*******LIBRARY", "an .xpt file of SAS", SAVE),
    (b"SIMPLE  = ", "a FITS file", SAVE),
    (b"%PDF-", "a PDF document", SAVE),
    (b"\x89PNG\r\n", "a picture", PIXELS),
    (b"\xff\xd8\xff", "a picture", PIXELS),
    (b"GIF8", "a picture", PIXELS),
    (
        b"version https://git-lfs",
        "a pointer of Git LFS in place of the file",
        "fetch the file (git lfs pull)",
    ),
    (
        b"%MatrixMarket",
        "a Matrix Market file whose first line lacks a percent sign",
        "begin it with %%MatrixMarket",
    ),
];
/// The modules whose functions a pickle of a table begins with.
const MODULES: [&[u8]; 6] =
    [b"numpy.", b"pandas.", b"scipy.", b"sklearn.", b"copy_reg", b"collections"];
const PIXELS: &str = "save the pixels of all pictures as NPY, a row each";
const R: &str = "save the table as CSV (write.csv with row.names = FALSE)";

impl Format {
    pub(crate) fn of(start: &[u8]) -> Self {
        match start {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [0, 0, 8..=14, rank, ..] if *rank > 0 => Self::Idx,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
            [0xff, 0xff, 0xff, 0xff, _, _, _, _, ..] => Self::ArrowStream,
            _ if begins_with(start, MATRIX_MARKET) => Self::MatrixMarket,
            _ => Self::Text,
        }
    }

    /// What other format the bytes are of, and how to get at its table; none for one that is read, or for text.
    pub(crate) fn foreign(start: &[u8]) -> Option<(&'static str, &'static str)> {
        let by_start = FOREIGN.iter().find(|(first, _, _)| start.starts_with(first));
        if let Some(&(_, name, cure)) = by_start {
            return Some((name, cure));
        }
        let is_pickle = |mark| b"\x95c]}(KXq\x8c".contains(mark);
        match start {
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => {
                Some(("packed by bzip2", "unpack it (bunzip2), or pack it by gzip"))
            }
            [0x80, 2..=5, mark, ..] if is_pickle(mark) => Some(("a pickle of Python", PICKLE)),
            _ if is_early_pickle(start) => Some(("a pickle of Python", PICKLE)),
            _ if is_matlab_4(start) => Some(("a .mat file of MATLAB 4", SAVE)),
            _ if is_spss_portable(start) => Some(("a .por file of SPSS", SAVE)),
            _ if start.get(257..262) == Some(b"ustar") && start[..257].contains(&0) => {
                Some(("a tar archive", "unpack it (tar xf)"))
            }
            _ if start.starts_with(b"MATLAB ")
                && start[..start.len().min(32)].windows(8).any(|word| word == b"MAT-file") =>
            {
                Some(("a .mat file of MATLAB", SAVE))
            }
            _ if is_svmlight(start) => Some((
                "a sparse table in the format of svmlight",
                "save the rows by scipy.io.mmwrite(\"x.mtx\", x), the targets as y.csv, and give x.mtx,y.csv",
            )),
            _ if is_json(start) => Some(("a JSON document", PICKLE)),
            _ if is_arff(start) => Some((
                "an ARFF file of Weka",
                "save the table as CSV (scipy.io.arff.loadarff reads it)",
            )),
            _ if is_page(start) => {
                Some(("an HTML or XML document", "fetch the table itself, or save it as CSV"))
            }
            [0x71..=0x73, 1 | 2, 1, 0, ..] => Some(("a .dta file of Stata", SAVE)),
            _ => None,
        }
    }

    pub(crate) fn is_table(self) -> bool {
        self == Self::Text || self.is_columnar()
    }

    /// Whether it holds such a table column by column.
    pub(crate) fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::ArrowStream)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Npy => "a NumPy array",
            Self::Idx => "an IDX array",
            Self::MatrixMarket => "a Matrix Market file",
            Self::Zip => "a zip archive (.npz or .xlsx?)",
            Self::Parquet => "a Parquet file",
            Self::Arrow | Self::ArrowStream => "an Arrow file",
            Self::Text => "CSV text",
        }
    }
}

/// Whether it is no text in UTF-8 and holds control characters that no text has; UTF-16 has a NUL in two bytes, or some.
pub(crate) fn is_binary(start: &[u8]) -> bool {
    let cut_off = |error: std::str::Utf8Error| error.error_len().is_none();
    let is_control = |byte: &&u8| matches!(byte, 1..=8 | 0x0e..=0x1a | 0x1c..=0x1f);
    let nuls = start.iter().filter(|byte| **byte == 0).count();
    std::str::from_utf8(start).is_err_and(|error| !cut_off(error))
        && start.iter().filter(is_control).count() > start.len() / 64
        && 8 * nuls < start.len()
}

/// Whether it is a pickle of protocol 0 or 1: a list, a dictionary or the name of a function, and where it is kept.
fn is_early_pickle(start: &[u8]) -> bool {
    let is_module = |line: &[u8]| MODULES.iter().any(|module| line.starts_with(module));
    let mut lines = start.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    match start {
        [b'(', b'd' | b'l' | b't', b'p', digit, ..] => {
            digit.is_ascii_digit() && first[3..].iter().all(u8::is_ascii_digit)
        }
        [b']' | b'}', b'q', 0, ..] => true,
        [b'c', ..] => {
            let kept = lines.nth(1).unwrap_or_default();
            let is_kept = match kept {
                [b'p', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
                [b'q', 0, ..] => true,
                _ => false,
            };
            is_module(&first[1..]) && is_kept
        }
        _ => false,
    }
}

/// Whether it begins with a matrix of MATLAB 4: its type, its size, whether it is complex, and its name.
fn is_matlab_4(start: &[u8]) -> bool {
    let (words, _) = start.as_chunks::<4>();
    let Some(words) = words.first_chunk::<5>() else { return false };
    // The type of a matrix of a machine of the other byte order has a 1 in the thousands.
    let is_little = words[0][3] == 0 && words[3][3] == 0 && words[4][3] == 0;
    let read = if is_little { u32::from_le_bytes } else { u32::from_be_bytes };
    let [kind, rows, columns, complex, length] = words.map(read);
    let is_kind = matches!(kind / 1000, 0 | 1) && kind % 1000 < 60 && kind % 10 < 3;
    let name = start.get(20..).and_then(|rest| rest.get(..length as usize));
    let is_name = |name: &[u8]| {
        let (last, letters) = name.split_last().unwrap_or((&1, &[]));
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        *last == 0 && !letters.is_empty() && letters.iter().all(is_letter)
    };
    is_kind && rows > 0 && columns > 0 && complex < 2 && length < 65 && name.is_some_and(is_name)
}

/// Whether it is a portable file of SPSS: 200 characters that say so, a table of 256 characters, and a mark.
fn is_spss_portable(start: &[u8]) -> bool {
    let start = &start[..start.len().min(600)];
    let mark = b"SPSSPORT";
    let letters: Vec<u8> = start.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
    letters.get(456..464) == Some(mark)
}

fn is_json(start: &[u8]) -> bool {
    let mut bytes = start.iter().filter(|byte| !byte.is_ascii_whitespace());
    match (bytes.next(), bytes.next()) {
        (Some(b'['), Some(b'{' | b'[')) => true,
        (Some(b'{'), Some(b'"')) => bytes.skip_while(|byte| **byte != b'"').nth(1) == Some(&b':'),
        _ => false,
    }
}

fn is_arff(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%"));
    first.is_some_and(|line| begins_with(line, b"@relation "))
}

fn is_page(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    [&b"<!doctype"[..], b"<html", b"<?xml", b"<table"].iter().any(|word| begins_with(text, word))
}

fn begins_with(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Whether the first line is a target and then `column:value` in rising order, and one of the first has two of these.
fn is_svmlight(start: &[u8]) -> bool {
    let lines = start.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| std::str::from_utf8(line).unwrap_or("?").trim());
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entries: Vec<Option<usize>> = rows.take(10).map(entries_of_svmlight).collect();
    entries.first().is_some_and(|first| *first > Some(0))
        && entries.iter().any(|row| *row > Some(1))
}

/// How many entries a row of svmlight has; none where the line is no such row.
fn entries_of_svmlight(line: &str) -> Option<usize> {
    let mut words = line.split('#').next()?.split_ascii_whitespace();
    words.next()?.parse::<f64>().ok()?;
    let column = |word: &str| {
        let (column, value) = word.split_once(':')?;
        value.parse::<f64>().ok()?;
        column.parse::<u64>().ok().or((column == "qid").then_some(0))
    };
    let columns = words.map(column).collect::<Option<Vec<u64>>>()?;
    columns.is_sorted_by(|one, next| one < next).then_some(columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_others_are_named_and_text_is_none() {
        for (start, name) in [
            (&b"MATLAB 5.0 MAT-file, Platform"[..], "MATLAB"),
            (b"MATLAB 7.3 MAT-file, Platform", "MATLAB"),
            (b"(dp0\nVx\np1\n", "pickle"),
            (b"(lp1\nF1.5\n", "pickle"),
            (b"]q\0(G?", "pickle"),
            (b"cnumpy._core.multiarray\n_reconstruct\np0\n", "pickle"),
            (
                &[&[0; 4][..], &[4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0], b"x\0"].concat(),
                "MATLAB 4",
            ),
            (
                &[&[0, 0, 3, 0xe8][..], &[0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2], b"x\0"]
                    .concat(),
                "MATLAB 4",
            ),
            (&[&[b' '; 456][..], b"SPSSPORT"].concat(), ".por"),
            (b"# made\n+1 1:0.5 3:-2e3 # a row\n-1 2:1\n", "svmlight"),
            (b"3 qid:1 1:0.5 2:1\n", "svmlight"),
            (b"[\n  {\"a\": 1}]", "JSON"),
            (b"{\"a\": 1}\n", "JSON"),
            (b"% iris\n\n@RELATION iris\n", "ARFF"),
            (b"\n<!DOCTYPE html>\n", "HTML"),
        ] {
            let (found, _) = Format::foreign(start).unwrap();
            assert!(found.contains(name), "{found}");
        }
        for text in [
            &b"a,b,y\n1,2,u\n"[..],
            b"BZh,class\n",
            b"(dose,y\n1,u\n",
            b"(dp0x,y\n1,u\n",
            b"cnumpy.x\ny\npx\n",
            b"count\nclass\np5\n",
            b"city\nRome\nparis\n",
            b"MATLAB 7,class\n",
            b"\x93NUMPY\x01\x00",
            b"1 12:30 12:45\n",
            b"5 12:30\n6 13:10\n",
            b"5\n",
            b"{a},[b],y\n",
            b"<5,y\n",
            b"",
        ] {
            assert_eq!(Format::foreign(text), None);
        }
    }

    #[test]
    fn binary_files_are_no_text_of_another_encoding() {
        assert!(is_binary(b"x^\x9c\x01\x02\xff\xfe\x10a"));
        for text in [
            &b"a,\xe9,y\n1,2,u\n"[..],
            b"a\x01y\n1\x01u\n",
            b"\x34\x04,\x00\xe4\x04y\x00\n\x00",
            b"\xd0",
        ] {
            assert!(!is_binary(text), "{text:?}");
        }
    }
}
