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

#[cfg(test)]
mod tests {
    use super::*;

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
