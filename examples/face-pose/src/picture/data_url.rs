const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A PNG file as a URL that holds all of it.
pub fn png(bytes: &[u8]) -> String {
    let mut url = String::from("data:image/png;base64,");
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| (group << 8) | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = ALPHABET[((group >> (18 - 6 * place)) & 63) as usize];
            url.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    url
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
