//! The digits: images of 28 x 28 bytes, and the class of each.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use burn_nca_data::read_idx;

/// Width and height of a digit.
pub const SIDE: usize = 28;

/// Pixels of a digit, d.
pub const PIXELS: usize = SIDE * SIDE;

/// Number of classes.
pub const CLASSES: usize = 10;

/// Digits and their classes.
#[derive(Clone, Debug)]
pub struct Digits {
    pixels: Vec<u8>,
    labels: Vec<usize>,
}

/// The standard split.
pub struct Mnist {
    /// 60000 digits.
    pub train: Digits,
    /// 10000 digits of other writers.
    pub test: Digits,
}

impl Mnist {
    /// Reads the four files; `folder` holds them side by side, or in `train` and `test` as Burn's cache does.
    ///
    /// # Errors
    /// A file that is missing or damaged, or that holds no digits of 28 x 28 pixels.
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self {
            train: Digits::read(folder, "train", "train")?,
            test: Digits::read(folder, "test", "t10k")?,
        })
    }
}

impl Digits {
    fn read(folder: &Path, subfolder: &str, name: &str) -> Result<Self> {
        let images = find(folder, subfolder, &format!("{name}-images-idx3-ubyte"))?;
        let classes = find(folder, subfolder, &format!("{name}-labels-idx1-ubyte"))?;
        let (pixels, labels) = (read_idx(&images)?, read_idx(&classes)?);
        let [n, SIDE, SIDE] = pixels.shape[..] else {
            bail!(
                "{} is of shape {:?}; give images of {SIDE} x {SIDE} pixels",
                images.display(),
                pixels.shape
            );
        };
        if labels.shape != [n] {
            bail!(
                "{} holds {n} images and {} is of shape {:?}; give the files of one set",
                images.display(),
                classes.display(),
                labels.shape
            );
        }
        if let Some(at) = labels.values.iter().position(|&label| usize::from(label) >= CLASSES) {
            bail!(
                "label {} of {} is {}; digits are 0 to 9",
                at + 1,
                classes.display(),
                labels.values[at]
            );
        }
        Ok(Self {
            pixels: pixels.values,
            labels: labels.values.into_iter().map(usize::from).collect(),
        })
    }

    /// Number of digits.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The class of each digit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The pixels of digit `index`, row by row.
    pub fn image(&self, index: usize) -> &[u8] {
        &self.pixels[index * PIXELS..(index + 1) * PIXELS]
    }

    /// The digits before `at`, and those from there on.
    pub fn split_at(&self, at: usize) -> (Self, Self) {
        let (pixels, other_pixels) = self.pixels.split_at(at * PIXELS);
        let (labels, other_labels) = self.labels.split_at(at);
        let part = |pixels: &[u8], labels: &[usize]| Self {
            pixels: pixels.to_vec(),
            labels: labels.to_vec(),
        };
        (part(pixels, labels), part(other_pixels, other_labels))
    }
}

/// How pixels become features: `x = (pixel - mean of that pixel) / 255`, one scale for all.
///
/// A scale of its own for each pixel would blow up the noise of those at the border.
pub struct Centering {
    mean: Vec<f32>,
}

impl Centering {
    /// Learns the mean digit.
    pub fn of(train: &Digits) -> Self {
        let mut sums = vec![0u64; PIXELS];
        for image in train.pixels.chunks_exact(PIXELS) {
            for (sum, &pixel) in sums.iter_mut().zip(image) {
                *sum += u64::from(pixel);
            }
        }
        let n = train.len().max(1) as f64;
        Self { mean: sums.into_iter().map(|sum| (sum as f64 / n) as f32).collect() }
    }

    /// Appends the features of a digit to `out`.
    pub fn push(&self, image: impl Iterator<Item = f32>, out: &mut Vec<f32>) {
        out.extend(image.zip(&self.mean).map(|(pixel, mean)| (pixel - mean) / 255.0));
    }

    /// The features of the digits `rows`, row-major `[rows, 784]`.
    pub fn features(&self, digits: &Digits, rows: std::ops::Range<usize>) -> Vec<f32> {
        let mut features = Vec::with_capacity(rows.len() * PIXELS);
        for row in rows {
            self.push(digits.image(row).iter().copied().map(f32::from), &mut features);
        }
        features
    }
}

/// The file `name` in `folder` or its `subfolder`, gzipped or not.
fn find(folder: &Path, subfolder: &str, name: &str) -> Result<PathBuf> {
    let dotted = name.replace("-idx", ".idx");
    let names = [name.to_string(), format!("{name}.gz"), dotted.clone(), format!("{dotted}.gz")];
    let folders = [folder.to_path_buf(), folder.join(subfolder)];
    let places = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    match places.into_iter().find(|place| place.is_file()) {
        Some(place) => Ok(place),
        None => bail!(
            "{} holds no {name} (nor {name}.gz); give the folder of the four MNIST files with --data",
            folder.display()
        ),
    }
}

/// Digits of ten classes for tests: a bright block in a place of the class, on noise.
#[cfg(test)]
pub fn synthetic(n: usize) -> Digits {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(n as u64);
    let labels: Vec<usize> = (0..n).map(|at| at % CLASSES).collect();
    let mut pixels = Vec::with_capacity(n * PIXELS);
    for &label in &labels {
        let (top, left) = (4 + 8 * (label / 4), 2 + 7 * (label % 4));
        for at in 0..PIXELS {
            let block =
                (top..top + 5).contains(&(at / SIDE)) && (left..left + 4).contains(&(at % SIDE));
            pixels.push(if block { 255 } else { 0 } ^ rng.random_range(0..64u8));
        }
    }
    Digits { pixels, labels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, shape: &[u32], values: &[u8]) {
        let mut bytes = vec![0, 0, 8, shape.len() as u8];
        bytes.extend(shape.iter().flat_map(|size| size.to_be_bytes()));
        bytes.extend_from_slice(values);
        std::fs::write(folder.join(name), bytes).unwrap();
    }

    fn set(folder: &Path, name: &str, labels: &[u8]) {
        let images = vec![7u8; labels.len() * PIXELS];
        let n = labels.len() as u32;
        write(folder, &format!("{name}-images-idx3-ubyte"), &[n, 28, 28], &images);
        write(folder, &format!("{name}-labels-idx1-ubyte"), &[n], labels);
    }

    #[test]
    fn files_side_by_side_and_in_subfolders_are_found() {
        let folder = tempfile::tempdir().unwrap();
        set(folder.path(), "train", &[1, 2, 3]);
        std::fs::create_dir(folder.path().join("test")).unwrap();
        set(&folder.path().join("test"), "t10k", &[9]);
        let mnist = Mnist::read(folder.path()).unwrap();
        assert_eq!(
            (mnist.train.labels(), mnist.test.labels()),
            ([1, 2, 3].as_slice(), [9].as_slice())
        );
        let (before, after) = mnist.train.split_at(2);
        assert_eq!((before.len(), after.labels()), (2, [3].as_slice()));
    }

    #[test]
    fn what_is_missing_or_no_digit_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let message = || Mnist::read(folder.path()).err().unwrap().to_string();
        assert!(message().contains("holds no train-images-idx3-ubyte"), "{}", message());
        set(folder.path(), "train", &[1, 12]);
        assert!(message().contains("is 12; digits are 0 to 9"), "{}", message());
    }

    #[test]
    fn features_are_centered_on_the_mean_digit_in_units_of_the_brightest_pixel() {
        let digits =
            Digits { pixels: [vec![0u8; PIXELS], vec![255; PIXELS]].concat(), labels: vec![0, 1] };
        let features = Centering::of(&digits).features(&digits, 0..2);
        assert_eq!((features[0], features[PIXELS]), (-0.5, 0.5));
    }
}
