//! IDX arrays, the format of the MNIST files.

use crate::readers::class_names::{Classes, classes_of};
use crate::readers::csv;
use crate::readers::format::Format;
use crate::readers::input::Input;
use crate::readers::promised::{count_of, read_promised, room_for, shape_text};
use crate::{Error, Features, Result, Table};
use std::path::Path;

/// An array of bytes of any rank, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdxArray {
    /// The size of each dimension, slowest first: `[n, height, width]` for images, `[n]` for
    /// labels.
    pub shape: Vec<usize>,
    /// The bytes; as many as the product of the shape.
    pub values: Vec<u8>,
}

/// Reads an IDX file of unsigned bytes, gzipped or not.
///
/// ```text
/// 00 00 08 rank | size of each dimension, 4 bytes each, big-endian | the values
/// ```
///
/// # Errors
/// The file cannot be read, is no IDX file, holds another type than unsigned bytes, or holds more
/// or fewer bytes than its header promises (nothing is allocated on the word of a header, and nothing is read beyond
/// it).
pub fn read_idx(path: impl AsRef<Path>) -> Result<IdxArray> {
    read(Input::open(path.as_ref())?)
}

/// Images `[n, …]`, a row each; pixels are 0 to 255 and named `p0001`, `p0002`, ….
pub(crate) fn read_features(input: Input<'_>) -> Result<Features> {
    let (origin, mut input) = (input.origin(), input);
    let shape = read_shape(&mut input)?;
    let mut values = room_for(&input, count_of(&shape), 1);
    read_values(&mut input, &shape, |bytes| {
        bytes.iter().for_each(|&byte| values.push(f64::from(byte)));
    })?;
    if shape.len() < 2 {
        return Err(Error::data(format!(
            "{origin} holds one number per row (labels?), and images have at least rank 2; \
             give IMAGES first and LABELS second"
        )));
    }
    if values.is_empty() {
        return Err(Error::data(format!(
            "{origin} is of shape {} and holds no pixel; give a file with images",
            shape_text(&shape)
        )));
    }
    let columns: usize = shape[1..].iter().map(|&size| size as usize).product();
    check_columns(&origin, columns)?;
    let width = columns.to_string().len().max(4);
    let names = (1..=columns).map(|pixel| format!("p{pixel:0width$}")).collect();
    values.build(names)
}

/// Images and the label of each, as [`read_idx_labels`] reads it.
pub(crate) fn read_pair(images: Input<'_>, labels: &Path) -> Result<Table> {
    let origin = images.origin();
    let features = read_features(images)?;
    let classes = read_labels(Input::open(labels)?)?;
    if classes.0.len() != features.rows() {
        return Err(Error::data(format!(
            "{origin} holds {} images and {} holds {} labels; give the two files of one set",
            features.rows(),
            labels.display(),
            classes.0.len()
        )));
    }
    Ok(Table::new(features, "label", classes.into()))
}

/// Reads the labels of images: an IDX array `[n]`, or a CSV file of one column where a byte is too small for the
/// classes.
///
/// Gives the class of each image, from 0, and the names of the classes: their labels, ordered as in a CSV file.
///
/// # Errors
/// As [`read_idx`] and [`parse_csv`](crate::parse_csv); or an array of another rank.
pub fn read_idx_labels(path: impl AsRef<Path>) -> Result<(Vec<usize>, Vec<String>)> {
    read_labels(Input::open(path.as_ref())?)
}

fn read_labels(input: Input<'_>) -> Result<Classes> {
    if input.format() == Format::Text {
        return csv::read_labels(input);
    }
    let origin = input.origin();
    let array = read(input)?;
    if array.shape.len() != 1 {
        return Err(Error::data(format!(
            "{origin} is of shape {}, and labels are of rank 1; give IMAGES first and LABELS \
             second",
            shape_text(&array.shape)
        )));
    }
    Ok(classes_of(&array.values.iter().map(|value| Some(value.to_string())).collect()))
}

fn read(mut input: Input<'_>) -> Result<IdxArray> {
    let shape = read_shape(&mut input)?;
    let mut values = Vec::new();
    read_values(&mut input, &shape, |bytes| values.extend_from_slice(bytes))?;
    Ok(IdxArray { shape: shape.iter().map(|&size| size as usize).collect(), values })
}

fn read_shape(input: &mut Input<'_>) -> Result<Vec<u32>> {
    let origin = input.origin();
    let start = input.read_at_most(4)?;
    let [0, 0, kind, rank @ 1..=255] = start[..] else {
        let start: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
        return Err(Error::data(format!(
            "{origin} is not an IDX file (it starts with {:?}, not with 00 00, a type and a rank); \
             give an idx-ubyte file",
            start.join(" ")
        )));
    };
    if kind != 0x08 {
        return Err(Error::data(format!(
            "{origin} holds {} (type {kind:02x}), and only unsigned bytes (type 08) are read; \
             save it as .npy instead",
            type_name(kind)
        )));
    }
    let sizes = input.read_at_most(4 * usize::from(rank))?;
    if sizes.len() < 4 * usize::from(rank) {
        return Err(Error::data(format!(
            "{origin} ends within its header, after {} of {} bytes; fetch it again",
            4 + sizes.len(),
            4 + 4 * usize::from(rank)
        )));
    }
    Ok(sizes.as_chunks().0.iter().map(|size| u32::from_be_bytes(*size)).collect())
}

/// Takes the values: as many as the shape promises, and no byte more.
fn read_values(input: &mut Input<'_>, shape: &[u32], take: impl FnMut(&[u8])) -> Result<()> {
    let Some(found) = read_promised(input, (count_of(shape), ""), take)? else { return Ok(()) };
    Err(Error::data(format!(
        "the header of {} promises {} bytes, {found}; fetch it again",
        input.origin(),
        shape_text(shape)
    )))
}

pub(crate) fn check_columns(origin: &str, columns: usize) -> Result<()> {
    if columns <= csv::MAX_COLUMNS {
        return Ok(());
    }
    Err(Error::data(format!(
        "{origin} has {columns} columns, and at most {} are read; give rows of fewer values",
        csv::MAX_COLUMNS
    )))
}

fn type_name(kind: u8) -> &'static str {
    match kind {
        0x09 => "signed bytes",
        0x0b => "16-bit integers",
        0x0c => "32-bit integers",
        0x0d => "32-bit floats",
        0x0e => "64-bit floats",
        _ => "an unknown type",
    }
}

#[cfg(test)]
pub(crate) fn idx(shape: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    bytes.extend(shape.iter().flat_map(|size| size.to_be_bytes()));
    bytes.extend_from_slice(values);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::temporary::{file, gzip};

    /// Writes the two files and reads them as a pair.
    fn pair(images: &[u8], labels: &[u8]) -> Result<Table> {
        let (_folder, x) = file("x-idx3-ubyte", images);
        let y = x.with_file_name("y-idx1-ubyte");
        std::fs::write(&y, labels).unwrap();
        read_pair(Input::open(&x)?, &y)
    }

    #[test]
    fn images_become_rows_of_pixels_and_labels_classes() {
        let images = idx(&[3, 2, 2], &[0, 1, 2, 255, 4, 5, 6, 7, 8, 9, 10, 11]);
        let table = pair(&images, &idx(&[3], &[10, 2, 10])).unwrap();
        assert_eq!(table.features.names(), ["p0001", "p0002", "p0003", "p0004"]);
        assert_eq!(table.features.row(0), [0.0, 1.0, 2.0, 255.0]);
        let data = table.into_labeled().unwrap();
        assert_eq!(
            (data.labels(), data.class_names()),
            ([1, 0, 1].as_slice(), ["2", "10"].map(String::from).as_slice())
        );
    }

    #[test]
    fn labels_may_stand_in_a_csv_file() {
        let table = pair(&idx(&[4, 1], &[5, 6, 7, 8]), b"person\n5748\n300\n7\n300\n").unwrap();
        let data = table.into_labeled().unwrap();
        assert_eq!(data.labels(), [2, 1, 0, 1]);
        assert_eq!(data.class_names(), ["7", "300", "5748"]);
    }

    #[test]
    fn a_header_that_promises_more_than_the_file_holds_is_refused() {
        for (shape, values, part) in [
            (
                &[60000, 28, 28][..],
                3,
                "header of f promises 60000 x 28 x 28 bytes, the file holds 3;",
            ),
            (&[u32::MAX; 4], 0, "which no file holds"),
            (&[2], 3, "promises 2 bytes, the file holds more"),
            (&[70_000; 255], 0, "the header of f promises"),
        ] {
            let error = Input::of_bytes("f", &idx(shape, &vec![1; values])).and_then(read);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(part) && error.len() < 200, "{error}");
        }
    }

    #[test]
    fn a_bomb_is_read_no_further_than_its_header_promises() {
        let packed = gzip(&idx(&[60, 4, 4], &vec![0; 32 << 20]));
        let mut input = Input::of_bytes("bomb.gz", &packed).unwrap();
        input.read_at_most(16).unwrap();
        let error = read_values(&mut input, &[60, 4, 4], |_| ()).unwrap_err().to_string();
        assert!(error.contains("promises 60 x 4 x 4 bytes, the file holds more"), "{error}");
        assert_eq!(input.read, 16 + 960 + 1);
    }
}
