//! What kind of file some bytes are the beginning of.

/// What the first bytes of a file say it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A NumPy array.
    Npy,
    /// An IDX array (the format of the MNIST files).
    Idx,
    /// A zip archive: the arrays of `.npz`, or `.xlsx`, …
    Zip,
    /// A sparse table in the Matrix Market format.
    MatrixMarket,
    /// A table in the Parquet format.
    Parquet,
    /// A table in the Arrow format for files (Feather, version 2).
    Arrow,
    /// The same in the form for pipes.
    ArrowStream,
    /// Anything else, taken for text.
    Text,
}

/// What a Matrix Market file begins with.
const MATRIX_MARKET: &[u8] = b"%%MatrixMarket";

impl Format {
    /// The format of a file that begins with these (unpacked) bytes.
    pub(crate) fn of(start: &[u8]) -> Self {
        match start {
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Self::Npy,
            [0, 0, 8..=14, rank, ..] if *rank > 0 => Self::Idx,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
            [0xff, 0xff, 0xff, 0xff, _, _, _, _, ..] => Self::ArrowStream,
            _ if start.len() >= MATRIX_MARKET.len()
                && start[..MATRIX_MARKET.len()].eq_ignore_ascii_case(MATRIX_MARKET) =>
            {
                Self::MatrixMarket
            }
            _ => Self::Text,
        }
    }

    /// What other format the bytes are of, and how to get at its table; none for one that is read, or for text.
    pub(crate) fn foreign(start: &[u8]) -> Option<(&'static str, &'static str)> {
        const SAVE: &str = "save the table as CSV or NPY, or as Parquet";
        Some(match start {
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => {
                ("packed by bzip2", "unpack it (bunzip2), or pack it by gzip")
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
                ("packed by xz", "unpack it (unxz), or pack it by gzip")
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                ("packed by zstd", "unpack it (unzstd), or pack it by gzip")
            }
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => ("a 7z archive", "unpack it (7z x)"),
            [0x89, b'H', b'D', b'F', b'\r', b'\n', ..] => {
                ("an HDF5 file (.h5, or .mat of MATLAB 7.3)", SAVE)
            }
            [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, ..] => {
                ("a workbook of Excel (.xls)", "save the sheet as CSV")
            }
            [0x80, 2..=5, 0x95 | b'c' | b']' | b'}' | b'(' | b'K' | b'X' | b'q' | 0x8c, ..] => (
                "a pickle of Python",
                "save the table as CSV (DataFrame.to_csv) or NPY (numpy.save)",
            ),
            [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => ("a rar archive", "unpack it (unrar x)"),
            _ if start.get(257..262) == Some(b"ustar") && start[..257].contains(&0) => {
                ("a tar archive", "unpack it (tar xf)")
            }
            _ if start.starts_with(b"MATLAB ")
                && start[..start.len().min(32)].windows(8).any(|word| word == b"MAT-file") =>
            {
                ("a .mat file of MATLAB", SAVE)
            }
            _ if start.starts_with(b"SQLite format 3\0") => {
                ("an SQLite database", "export the table as CSV")
            }
            _ if start.starts_with(b"%MatrixMarket") => (
                "a Matrix Market file whose first line lacks a percent sign",
                "begin it with %%MatrixMarket",
            ),
            _ if start.starts_with(b"%PDF-") => ("a PDF document", SAVE),
            _ if is_svmlight(start) => (
                "a sparse table in the format of svmlight",
                "save the rows by scipy.io.mmwrite(\"x.mtx\", x), the targets as y.csv, and give x.mtx,y.csv",
            ),
            _ => return None,
        })
    }

    /// Whether it holds a table of columns with names, as CSV text does.
    pub(crate) fn is_table(self) -> bool {
        self == Self::Text || self.is_columnar()
    }

    /// Whether it holds such a table column by column.
    pub(crate) fn is_columnar(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow | Self::ArrowStream)
    }

    /// What messages call a file of it.
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
            (&b"BZh91AY&SY"[..], "bzip2"),
            (b"\xfd7zXZ\x00\x00", "xz"),
            (b"\x28\xb5\x2f\xfd\x00", "zstd"),
            (b"\x89HDF\r\n\x1a\n", "HDF5"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel"),
            (b"\x80\x04\x95\x10\x00", "pickle"),
            (b"MATLAB 5.0 MAT-file, Platform", "MATLAB"),
            (b"MATLAB 7.3 MAT-file, Platform", "MATLAB"),
            (b"Rar!\x1a\x07\x01\x00", "rar"),
            (&[&b"t.csv"[..], &[0; 252], b"ustar\x0000"].concat(), "tar"),
            (b"# made\n+1 1:0.5 3:-2e3 # a row\n-1 2:1\n", "svmlight"),
            (b"3 qid:1 1:0.5 2:1\n", "svmlight"),
        ] {
            let (found, _) = Format::foreign(start).unwrap();
            assert!(found.contains(name), "{found}");
        }
        for text in [
            &b"a,b,y\n1,2,u\n"[..],
            b"BZh,class\n",
            b"MATLAB 7,class\n",
            b"\x93NUMPY\x01\x00",
            b"1 12:30 12:45\n",
            b"5 12:30\n6 13:10\n",
            b"5\n",
            b"",
        ] {
            assert_eq!(Format::foreign(text), None);
        }
    }

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        assert_eq!(Format::of(b"\x93NUMPY\x01\x00"), Format::Npy);
        assert_eq!(Format::of(&[0, 0, 8, 3, 0, 0, 0, 1]), Format::Idx);
        assert_eq!(Format::of(b"PK\x03\x04"), Format::Zip);
        assert_eq!(Format::of(b"%%matrixmarket matrix"), Format::MatrixMarket);
        assert_eq!(Format::of(b"PAR1\x15\x04"), Format::Parquet);
        assert_eq!(Format::of(b"ARROW1\0\0\xff\xff\xff\xff"), Format::Arrow);
        assert_eq!(Format::of(b"\xff\xff\xff\xff\x80\0\0\0"), Format::ArrowStream);
        assert_eq!(Format::of(b"%%Matrix"), Format::Text);
        assert_eq!(Format::of(b""), Format::Text);
    }
}
