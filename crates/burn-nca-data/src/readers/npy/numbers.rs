//! The bytes of an array as numbers.

use half::f16;
use npyz::{DType, Endianness, TypeChar};

use super::scalar;

/// Adds the numbers that some bytes spell, in big-endian order or not; what follows the last whole one is left out. Gives
/// a byte that should be true or false and is neither.
pub(super) type Decode = fn(&[u8], bool, &mut Vec<f64>) -> Option<u8>;

/// How the values of an array become numbers, and whether their bytes are in big-endian order; `None` where they are
/// no real numbers of at most 64 bits. Integers beyond 2^53 are rounded to the nearest f64.
pub(super) fn decoder(dtype: &DType) -> Option<(Decode, bool)> {
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
    let decode: Decode = match scalar(dtype)? {
        (TypeChar::Float, 2) => halves,
        (TypeChar::Float, 4) => of!(f32),
        (TypeChar::Float, 8) => of!(f64),
        (TypeChar::Int, 1) => of!(i8),
        (TypeChar::Int, 2) => of!(i16),
        (TypeChar::Int, 4) => of!(i32),
        (TypeChar::Int, 8) => of!(i64),
        (TypeChar::Uint, 1) => of!(u8),
        (TypeChar::Uint, 2) => of!(u16),
        (TypeChar::Uint, 4) => of!(u32),
        (TypeChar::Uint, 8) => of!(u64),
        (TypeChar::Bool, _) => flags,
        _ => return None,
    };
    let big = matches!(dtype, DType::Plain(kind) if kind.endianness() == Endianness::Big);
    Some((decode, big))
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
