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
            _ if start.len() >= MATRIX_MARKET.len()
                && start[..MATRIX_MARKET.len()].eq_ignore_ascii_case(MATRIX_MARKET) =>
            {
                Self::MatrixMarket
            }
            _ => Self::Text,
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
        assert_eq!(Format::of(b"%%Matrix"), Format::Text);
        assert_eq!(Format::of(b""), Format::Text);
    }
}
