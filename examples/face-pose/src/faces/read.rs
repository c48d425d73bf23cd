//! Banks of faces from files.

use std::fs;
use std::path::{Path, PathBuf};

use burn_nca_learn::{Error, Result};
use image::GrayImage;
use image::imageops::{FilterType, crop_imm, resize};

use super::bank::{FaceBank, Framing};
use burn_nca_data::{read_idx, read_idx_labels};

/// Reads square pictures `[n, size, size]` from an IDX file, gzipped or not.
///
/// `people` names the person of each picture: a CSV file of one column with a header line, or an IDX file of
/// labels. Without it every picture is a person of its own. The faces are taken to fill half the height of
/// photographs without a border of their own.
///
/// # Errors
/// As [`read_idx`]; pictures that are not square, or not one person a picture.
pub fn read_face_idx(images: impl AsRef<Path>, people: Option<&Path>) -> Result<FaceBank> {
    let path = images.as_ref();
    let array = read_idx(path)?;
    let [count, height, width] = array.shape[..] else {
        return Err(Error::data(format!(
            "{} is of rank {}, and pictures are of rank 3 (count, height, width); give a file of images",
            path.display(),
            array.shape.len()
        )));
    };
    if height != width || count == 0 || height < 2 {
        return Err(Error::data(format!(
            "{} holds {count} pictures of {width} x {height} pixels; give square pictures, at least one",
            path.display()
        )));
    }
    let side = height as u32; // an exact chunk is a whole picture: none is left out below
    let pictures = array
        .values
        .chunks_exact(height * width)
        .filter_map(|pixels| GrayImage::from_raw(side, side, pixels.to_vec()));
    let person = match people {
        None => (0..count).collect(),
        Some(people) => read_people(people, path, count)?,
    };
    FaceBank::new(pictures.collect(), person, 0.5 * height as f64, Framing::Filled)
}

fn read_people(people: &Path, images: &Path, count: usize) -> Result<Vec<usize>> {
    let (labels, _) = read_idx_labels(people)?;
    if labels.len() != count {
        return Err(Error::data(format!(
            "{} holds {count} pictures and {} names {} people; give the two files of one set",
            images.display(),
            people.display(),
            labels.len()
        )));
    }
    Ok(labels)
}

/// Reads a folder of PNG and JPEG pictures, cut to squares of `size` pixels from their middle.
///
/// Each folder in it holds the pictures of one person; a picture that lies in the folder itself is a person of
/// its own. Names are taken in their order, so that the bank does not depend on the file system. Framing as in
/// [`read_face_idx`].
///
/// # Errors
/// A folder that cannot be read or holds no picture, or a picture that cannot be decoded.
pub fn read_face_folder(folder: impl AsRef<Path>, size: u32) -> Result<FaceBank> {
    let folder = folder.as_ref();
    let (mut images, mut person) = (Vec::new(), Vec::new());
    for (number, entry) in entries(folder)?.into_iter().enumerate() {
        let pictures = if entry.is_dir() { entries(&entry)? } else { vec![entry] };
        for picture in pictures.iter().filter(|path| is_picture(path)) {
            images.push(read_picture(picture, size)?);
            person.push(number);
        }
    }
    if images.is_empty() {
        return Err(Error::data(format!(
            "{} holds no picture; put .png or .jpg files into it, or a folder of them for each person",
            folder.display()
        )));
    }
    FaceBank::new(images, person, 0.5 * f64::from(size), Framing::Filled)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::io(folder, source);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let known = |extension: &str| {
        ["png", "jpg", "jpeg"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    path.is_file() && extension.is_some_and(known)
}

fn read_picture(path: &Path, size: u32) -> Result<GrayImage> {
    let picture = image::open(path).map_err(|error| {
        Error::data(format!(
            "{} cannot be read as a picture ({error}); save it again, or take it out of the folder",
            path.display()
        ))
    })?;
    let gray = picture.into_luma8();
    let (width, height) = gray.dimensions();
    let side = width.min(height);
    let square = crop_imm(&gray, (width - side) / 2, (height - side) / 2, side, side).to_image();
    Ok(if side == size { square } else { resize(&square, size, size, FilterType::Triangle) })
}

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    /// The IDX file of an array of bytes.
    fn idx(shape: &[u32], values: &[u8]) -> Vec<u8> {
        let sizes = shape.iter().flat_map(|size| size.to_be_bytes());
        [0, 0, 8, shape.len() as u8]
            .into_iter()
            .chain(sizes)
            .chain(values.iter().copied())
            .collect()
    }

    #[test]
    fn an_idx_file_and_its_people_become_a_bank() {
        let folder = tempfile::tempdir().unwrap();
        let (images, people) = (folder.path().join("faces"), folder.path().join("people.csv"));
        fs::write(&images, idx(&[3, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])).unwrap();
        fs::write(&people, "person\n5748\n300\n5748\n").unwrap();
        let bank = read_face_idx(&images, Some(&people)).unwrap();
        assert_eq!((bank.len(), bank.people(), bank.size()), (3, 2, 2));
        assert_eq!((bank.person(0), bank.person(1)), (1, 0));
        assert_eq!(bank.image(1).as_raw(), &[5, 6, 7, 8]);
        assert_eq!((bank.nominal_height(), bank.framing()), (1.0, Framing::Filled));
        assert_eq!(read_face_idx(&images, None).unwrap().people(), 3);
        fs::write(&people, "person\n1\n2\n").unwrap();
        let error = read_face_idx(&images, Some(&people)).unwrap_err().to_string();
        assert!(error.contains("holds 3 pictures and") && error.contains("names 2 people"));
        fs::write(&images, idx(&[1, 2, 3], &[0; 6])).unwrap();
        let error = read_face_idx(&images, None).unwrap_err().to_string();
        assert!(
            error.ends_with("holds 1 pictures of 3 x 2 pixels; give square pictures, at least one")
        );
        fs::write(&images, idx(&[2], &[0; 2])).unwrap();
        assert!(read_face_idx(&images, None).unwrap_err().to_string().contains("is of rank 1"));
    }

    #[test]
    fn a_folder_holds_a_folder_a_person() {
        let folder = tempfile::tempdir().unwrap();
        let save = |name: &str, width: u32, gray: u8| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            GrayImage::from_pixel(width, 12, Luma([gray])).save(path).unwrap();
        };
        save("ann/1.png", 12, 10);
        save("ann/2.png", 20, 20);
        save("bob/1.PNG", 6, 30);
        save("zoe.png", 12, 40);
        fs::write(folder.path().join("ann/notes.txt"), "no picture").unwrap();
        let bank = read_face_folder(folder.path(), 8).unwrap();
        assert_eq!((bank.len(), bank.people(), bank.size()), (4, 3, 8));
        let seen = (0..4).map(|face| (bank.person(face), bank.image(face).get_pixel(3, 3).0[0]));
        assert_eq!(seen.collect::<Vec<_>>(), [(0, 10), (0, 20), (1, 30), (2, 40)]);
    }

    #[test]
    fn a_folder_that_is_no_bank_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_face_folder(folder.path(), 8).unwrap_err().to_string();
        assert!(error.contains("holds no picture; put .png or .jpg files into it"), "{error}");
        fs::write(folder.path().join("a.png"), "text").unwrap();
        let error = read_face_folder(folder.path(), 8).unwrap_err().to_string();
        assert!(error.contains("a.png cannot be read as a picture"), "{error}");
        assert!(read_face_folder(folder.path().join("none"), 8).is_err());
    }
}
