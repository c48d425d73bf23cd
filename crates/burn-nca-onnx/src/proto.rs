//! Protocol Buffers as far as ONNX needs them: a message is a sequence of numbered fields, and the fields here are
//! whole numbers, texts, bytes or messages.
//!
//! ```text
//! field  = key value                       key = number << 3 | kind
//! kind 0 : a varint, seven bits a byte, least first, the top bit set on all but the last
//! kind 2 : a length as a varint, then so many bytes (text, bytes, message)
//! ```

const VARINT: u64 = 0;
const LENGTH: u64 = 2;

/// A message under construction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message(Vec<u8>);

impl Message {
    /// A message without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a whole number.
    #[must_use]
    pub fn whole(mut self, field: u64, value: i64) -> Self {
        self.varint(field << 3 | VARINT);
        self.varint(value as u64);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// Adds bytes.
    #[must_use]
    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// Adds a message.
    #[must_use]
    pub fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// The message as it is written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_documentation_of_the_format_shows() {
        // protobuf.dev, "Encoding": Test1 { a: 150 }, Test2 { b: "testing" }, Test3 { c: Test1 { a: 150 } }.
        let test1 = Message::new().whole(1, 150);
        assert_eq!(test1.0, [0x08, 0x96, 0x01]);
        let test3 = Message::new().message(3, &test1);
        assert_eq!(test3.0, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let test2 = Message::new().text(2, "testing");
        assert_eq!(test2.0, [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        assert_eq!(Message::new().whole(1, -1).0.len(), 11);
    }
}
