//! The bytes of an array as numbers.

use half::f16;

use super::header::Kind;

/// Adds the numbers that some bytes spell, in big-endian order or not; what follows the last whole one is left out. Gives
/// a byte that should be true or false and is neither.
pub(super) type Decode = fn(&[u8], bool, &mut Vec<f64>) -> Option<u8>;

/// How the values of an array become numbers; `None` where they are no real numbers of at most 64 bits. Integers beyond 2^53
/// are rounded to the nearest f64.
pub(super) fn decoder(kind: &Kind) -> Option<Decode> {
    macro_rules! of {
        ($number:ty) => {{
            fn decode(bytes: &[u8], big: bool, into: &mut Vec<f64>) -> Option<u8> {
                let values = bytes.as_chunks().0.iter();
                if big {
                    into.extend(values.map(|value| <$number>::from_be_bytes(*value) as f64));
                } else {
                    into.extend(values.map(|value| <$number>::from_le_bytes(*value) as f64));
                }
                None
            }
            decode
        }};
    }
    Some(match (kind.letter, kind.width) {
        ('f', 2) => halves,
        ('f', 4) => of!(f32),
        ('f', 8) => of!(f64),
        ('i', 1) => of!(i8),
        ('i', 2) => of!(i16),
        ('i', 4) => of!(i32),
        ('i', 8) => of!(i64),
        ('u', 1) => of!(u8),
        ('u', 2) => of!(u16),
        ('u', 4) => of!(u32),
        ('u', 8) => of!(u64),
        ('b', 1) => flags,
        _ => return None,
    })
}

fn halves(bytes: &[u8], big: bool, into: &mut Vec<f64>) -> Option<u8> {
    let values = bytes.as_chunks().0.iter();
    let from =
        |value: &[u8; 2]| if big { f16::from_be_bytes(*value) } else { f16::from_le_bytes(*value) };
    into.extend(values.map(|value| from(value).to_f64()));
    None
}

fn flags(bytes: &[u8], _: bool, into: &mut Vec<f64>) -> Option<u8> {
    into.extend(bytes.iter().map(|byte| f64::from(*byte)));
    bytes.iter().copied().find(|byte| *byte > 1)
}
