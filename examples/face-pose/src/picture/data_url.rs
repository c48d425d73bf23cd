//! PNG pictures inside a page.

use base64::{Engine, prelude::BASE64_STANDARD};

/// A PNG file as a URL that holds all of it.
pub fn png(bytes: &[u8]) -> String {
    format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_examples_of_rfc_4648() {
        for (text, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(super::png(text.as_bytes()), format!("data:image/png;base64,{expected}"));
        }
    }
}
