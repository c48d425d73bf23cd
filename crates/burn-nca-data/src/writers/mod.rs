//! Matrices of numbers as files: delimited text, NumPy, Parquet.

mod parquet;
mod thrift;

use std::fmt::{Display, LowerExp};

pub use parquet::parquet_file;

/// A matrix of numbers, row-major, in its own number type.
#[derive(Clone, Debug, PartialEq)]
pub enum Matrix {
    /// 32-bit floats.
    F32 {
        /// Row after row.
        values: Vec<f32>,
        /// Number of columns.
        columns: usize,
    },
    /// 64-bit floats.
    F64 {
        /// Row after row.
        values: Vec<f64>,
        /// Number of columns.
        columns: usize,
    },
}

impl Matrix {
    /// Number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Self::F32 { columns, .. } | Self::F64 { columns, .. } => *columns,
        }
    }

    fn cells(&self) -> Vec<String> {
        match self {
            Self::F32 { values, .. } => values.iter().copied().map(csv_number).collect(),
            Self::F64 { values, .. } => values.iter().copied().map(csv_number).collect(),
        }
    }
}

/// A matrix as CSV, with these column names; every value in the fewest digits that read back to it.
pub fn csv_file(names: &[String], matrix: &Matrix) -> Vec<u8> {
    let mut text = names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in matrix.cells().chunks_exact(matrix.columns()) {
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text.into_bytes()
}

/// A matrix as a NumPy file (format 1.0), in its own number type.
pub fn npy_file(matrix: &Matrix) -> Vec<u8> {
    match matrix {
        Matrix::F32 { values, columns } => npy("<f4", *columns, values, |x| x.to_le_bytes()),
        Matrix::F64 { values, columns } => npy("<f8", *columns, values, |x| x.to_le_bytes()),
    }
}

fn npy<T: Copy, const BYTES: usize>(
    kind: &str,
    columns: usize,
    values: &[T],
    bytes: fn(T) -> [u8; BYTES],
) -> Vec<u8> {
    let rows = values.len() / columns.max(1);
    let text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // Spaces and the end of the line make the values begin at a multiple of 64.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&(length as u16).to_le_bytes());
    file.extend_from_slice(format!("{text:<width$}\n", width = length - 1).as_bytes());
    values.iter().for_each(|value| file.extend_from_slice(&bytes(*value)));
    file
}

/// A cell of a CSV file, quoted where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_string()
}

/// A number of a CSV file in the fewest digits that read back to it, with an exponent where zeros would lead or follow.
pub fn csv_number<T: Display + LowerExp + Into<f64> + Copy>(value: T) -> String {
    let size = value.into().abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_written_in_the_digits_of_its_type() {
        let matrix = Matrix::F32 { values: vec![0.1, -2.0, 1e-7, 3.0], columns: 2 };
        let names = ["z1".to_string(), "a,b".to_string()];
        let text = String::from_utf8(csv_file(&names, &matrix)).unwrap();
        assert_eq!(text, "z1,\"a,b\"\n0.1,-2\n1e-7,3\n");
        let bytes = npy_file(&matrix);
        assert_eq!((bytes.len() - 16) % 64, 0);
        assert_eq!(bytes[bytes.len() - 4..], 3f32.to_le_bytes());
    }
}
