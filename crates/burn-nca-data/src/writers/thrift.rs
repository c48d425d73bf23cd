//! The footer and the page headers of a Parquet file are structures of Thrift in its compact protocol.
//!
//! ```text
//! structure   fields, then 0
//! field       (number - number of the field before) << 4 | type, then the value
//! i32, i64    zigzag, seven bits a byte, the low ones first
//! text        length, bytes         list   length << 4 | type (or 0xF0 | type, length), values
//! ```
//! Source: the specification of the protocol in the Thrift repository.

const I32: u8 = 5;
const I64: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCTURE: u8 = 12;

/// A structure under way; fields are given in ascending order of their numbers, from 1 to 15.
#[derive(Default)]
pub struct Structure {
    bytes: Vec<u8>,
    last: u8,
}

impl Structure {
    pub fn i32(self, field: u8, value: i32) -> Self {
        self.field(field, I32, |bytes| signed(bytes, value.into()))
    }

    pub fn i64(self, field: u8, value: i64) -> Self {
        self.field(field, I64, |bytes| signed(bytes, value))
    }

    pub fn text(self, field: u8, value: &str) -> Self {
        self.field(field, TEXT, |bytes| text(bytes, value))
    }

    pub fn structure(self, field: u8, value: Self) -> Self {
        self.field(field, STRUCTURE, |bytes| bytes.extend(value.finish()))
    }

    pub fn structures(self, field: u8, values: Vec<Self>) -> Self {
        self.list(field, STRUCTURE, values, |bytes, value| bytes.extend(value.finish()))
    }

    pub fn i32s(self, field: u8, values: &[i32]) -> Self {
        self.list(field, I32, values, |bytes, value| signed(bytes, (*value).into()))
    }

    pub fn texts(self, field: u8, values: &[&str]) -> Self {
        self.list(field, TEXT, values, |bytes, value| text(bytes, value))
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn list<T>(
        self,
        field: u8,
        kind: u8,
        values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        write: impl Fn(&mut Vec<u8>, T),
    ) -> Self {
        let values = values.into_iter();
        self.field(field, LIST, |bytes| {
            match values.len() {
                length @ 0..15 => bytes.push(((length as u8) << 4) | kind),
                length => {
                    bytes.push(0xf0 | kind);
                    unsigned(bytes, length as u64);
                }
            }
            values.for_each(|value| write(bytes, value));
        })
    }

    fn field(mut self, field: u8, kind: u8, value: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.bytes.push(((field - self.last) << 4) | kind);
        self.last = field;
        value(&mut self.bytes);
        self
    }
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    unsigned(bytes, value.len() as u64);
    bytes.extend(value.as_bytes());
}

fn signed(bytes: &mut Vec<u8>, value: i64) {
    unsigned(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

/// A number of seven bits a byte, the low ones first.
pub fn unsigned(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_lists_are_those_of_the_specification() {
        let inner = Structure::default().i64(2, 300);
        let bytes = Structure::default().i32(1, -1).text(4, "é").structure(5, inner).finish();
        assert_eq!(bytes, [0x15, 1, 0x38, 2, 0xc3, 0xa9, 0x1c, 0x26, 0xd8, 4, 0, 0]);
        let long = Structure::default().i32s(3, &[7; 15]).texts(4, &["a"]).finish();
        assert_eq!(
            (&long[..3], &long[18..]),
            (&[0x39, 0xf5, 15][..], &[0x19, 0x18, 1, b'a', 0][..])
        );
    }
}
