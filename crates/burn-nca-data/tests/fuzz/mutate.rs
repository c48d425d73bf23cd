//! Damages files as bad disks, editors and attackers do, by a seed.

use std::ops::Range;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// Pieces of text and numbers at which readers take another way, between tildes.
const PIECES: &[u8] =
    b"\"~\"\"~\n~\r~\r\n\r\n~,~;~\t~\xef\xbb\xbf~\xff~\0~\xc3\xa9~NaN~-inf~1e309~1,5~12 %~\
    NA~ ~9999999999999999999999~-1~0x10~'<f8'~'|O'~'|S0'~'<U4'~'>f2'~(0, 99999999999)~\
    (4294967296, 4294967296)~[('a', '<f8')]~True~'shape': ~((((~\x1f\x8b~\
    \x93NUMPY\x02\x00~\x00\x00\x08\x03";

/// Numbers at the limits of their types, as the sizes in a header.
const SIZES: [u64; 10] =
    [0, 1, 2, 0xff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, u64::MAX];

/// Numbers at the limits of their types, as they are spelled.
const NUMBERS: &str = "0 -0 -1 255 65536 4294967295 4294967296 4294967297 9007199254740993 \
    18446744073709551615 18446744073709551616 1e308 1e309 -1e309 5e-324 1e-400 0.1e-5 1_000";

/// One of the files with one to four pieces of damage.
pub fn damaged(files: &[Vec<u8>], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = files.choose(rng).cloned().unwrap_or_default();
    for _ in 0..rng.random_range(1..=4) {
        damage(&mut bytes, files, rng);
        bytes.truncate(1 << 16);
    }
    bytes
}

fn damage(bytes: &mut Vec<u8>, files: &[Vec<u8>], rng: &mut impl Rng) {
    let at = rng.random_range(0..=bytes.len());
    let end = rng.random_range(at..=bytes.len().min(at + 40));
    match rng.random_range(0..11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = rng.random(),
        2 => {
            let pieces: Vec<&[u8]> = PIECES.split(|byte| *byte == b'~').collect();
            insert(bytes, at, pieces.choose(rng).copied().unwrap_or_default());
        }
        3 => drop(bytes.drain(at..end)),
        4 => {
            let again = bytes[at..end].repeat(1 << rng.random_range(0..8));
            insert(bytes, at, &again);
        }
        5 => bytes.truncate(at),
        6 => {
            let size = SIZES.choose(rng).copied().unwrap_or_default().to_le_bytes();
            let mut size = size[..*[2, 4, 8].choose(rng).unwrap_or(&4)].to_vec();
            if rng.random() {
                size.reverse();
            }
            let end = bytes.len().min(at + size.len());
            bytes[at..end].copy_from_slice(&size[..end - at]);
        }
        7 => {
            let place = number_after(bytes, at);
            let numbers: Vec<&str> = NUMBERS.split(' ').collect();
            bytes.splice(place, numbers.choose(rng).copied().unwrap_or_default().bytes());
        }
        8 => {
            let other = files.choose(rng).cloned().unwrap_or_default();
            let from = rng.random_range(0..=other.len());
            insert(bytes, at, &other[from..rng.random_range(from..=other.len().min(from + 200))]);
        }
        9 => {
            let other = files.choose(rng).cloned().unwrap_or_default();
            let lines: Vec<&[u8]> = other.split_inclusive(|byte| *byte == b'\n').collect();
            let line = lines.choose(rng).copied().unwrap_or_default();
            let start =
                bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            insert(bytes, start, line);
        }
        _ => {
            let other = files.choose(rng).cloned().unwrap_or_default();
            let from = rng.random_range(0..=other.len());
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The first number that is spelled from this place on, or nothing there.
fn number_after(bytes: &[u8], at: usize) -> Range<usize> {
    let spells = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let start = bytes[at..].iter().position(u8::is_ascii_digit).map_or(at, |place| at + place);
    let length =
        bytes[start..].iter().position(|byte| !spells(byte)).unwrap_or(bytes.len() - start);
    start..start + length
}
