//! Where results go: stdout, or a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use burn::tensor::{DType, Tensor};
use serde::Serialize;

/// Prints results.
///
/// # Errors
/// A closed stdout.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).context("writing to stdout")
}

/// Prints one JSON document.
///
/// # Errors
/// A closed stdout.
pub fn print_json(document: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// Tells the user what is worth knowing, on stderr.
pub fn warn(message: &str) {
    eprintln!("warning: {message}");
}

/// Writes a file under a temporary name beside it, then renames it: no reader sees half of it.
///
/// # Errors
/// A folder that does not exist or cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let failed = || format!("{} cannot be written", path.display());
    let mut builder = tempfile::Builder::new();
    // Temporary files are the owner's alone; a result has the permissions of any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).with_context(failed)?;
    file.write_all(bytes).with_context(failed)?;
    file.persist(path).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}

/// A matrix as CSV, with these column names; every value in the fewest digits that read back to it.
pub fn matrix_csv(names: &[String], matrix: &Tensor<2>) -> Vec<u8> {
    let [_, columns] = matrix.dims();
    let mut text = names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    let cells = decimal_cells(matrix);
    for row in cells.chunks_exact(columns) {
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text.into_bytes()
}

/// A matrix as a NumPy file (format 1.0), in its own number type.
pub fn matrix_npy(matrix: &Tensor<2>) -> Vec<u8> {
    let [rows, columns] = matrix.dims();
    let (kind, values) = match floats(matrix) {
        Floats::F32(values) => {
            ("<f4", values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
        }
        Floats::F64(values) => {
            ("<f8", values.iter().flat_map(|value| value.to_le_bytes()).collect())
        }
    };
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The values are to start at a multiple of 64 bytes; the header ends with a newline.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), &values].concat()
}

/// A cell of a CSV file, quoted where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_string()
}

enum Floats {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

fn floats(matrix: &Tensor<2>) -> Floats {
    let data = matrix.clone().into_data();
    const CONVERTED: &str = "data that were just converted have that type";
    if data.dtype() == DType::F64 {
        Floats::F64(data.try_to_vec().expect(CONVERTED))
    } else {
        Floats::F32(data.convert::<f32>().try_to_vec().expect(CONVERTED))
    }
}

fn decimal_cells(matrix: &Tensor<2>) -> Vec<String> {
    match floats(matrix) {
        Floats::F32(values) => values.iter().map(f32::to_string).collect(),
        Floats::F64(values) => values.iter().map(f64::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use burn_nca::device;

    use super::*;

    #[test]
    fn a_matrix_is_written_in_the_digits_of_its_type() {
        let host = device::host().unwrap();
        let matrix = Tensor::<2>::from_data([[0.1f32, -2.0], [1e-7, 3.0]], (&host, DType::F32));
        let names = ["z1".to_string(), "a,b".to_string()];
        let text = String::from_utf8(matrix_csv(&names, &matrix)).unwrap();
        assert_eq!(text, "z1,\"a,b\"\n0.1,-2\n0.0000001,3\n");
        let bytes = matrix_npy(&matrix);
        assert_eq!((bytes.len() - 16) % 64, 0);
        assert_eq!(bytes[bytes.len() - 4..], 3f32.to_le_bytes());
    }

    #[test]
    fn a_written_file_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("z.csv");
        write_file(&path, b"old").unwrap();
        write_file(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert!(write_file(&folder.path().join("no/z.csv"), b"").is_err());
    }
}
