//! Figure 2: sets in two dimensions, by PCA, LDA and NCA.

use std::path::Path;

use anyhow::Result;
use burn::tensor::{Device, Tensor};
use burn_nca_data::generate::{RingsOptions, rings};
use burn_nca_figures::{Panels, Scatter};
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::{Features, Labeled, ScalingKind, Split, stratified_split};
use burn_nca_program::Interrupt;
use serde::Serialize;

use crate::method::{Method, Terms};
use crate::parts::Parts;
use crate::sets::{Choice, rows};

/// The methods of figure 2, from left to right.
const METHODS: [Method; 3] = [Method::Pca, Method::Lda, Method::NcaRankTwo];
const MAX_ITERATIONS: usize = 200;
/// More rows than this are not drawn.
const MOST_SHOWN: usize = 2000;
/// USPS digits to learn from, as in figure 1: 200 of each class.
const USPS_TRAIN: usize = 2000;
/// The side of a digit of USPS.
const DIGIT_SIDE: usize = 16;
/// The side of a face, and the number of principal components of faces that all methods start from.
const FACE_SIDE: usize = 64;
const FACE_COMPONENTS: usize = 60;

/// A set that is drawn: rows to learn from, and others that are judged and shown.
pub struct Subject {
    /// Its name.
    pub name: &'static str,
    /// What it is, for a reader.
    pub description: String,
    parts: Parts,
}

/// What a method reached in two dimensions; accuracies of 1-NN, 0..1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// The method.
    pub method: Method,
    /// On the rows learned from, each left out in turn.
    pub train: f64,
    /// On the other rows.
    pub test: f64,
}

/// A set in two dimensions.
pub struct Picture {
    /// The three panels.
    pub panels: Panels,
    /// What each method reached.
    pub reached: Vec<Reached>,
}

/// The chosen sets of figure 2 that are there.
///
/// # Errors
/// Files that cannot be used.
pub fn subjects(choice: &Choice<'_>, data: Option<&Path>) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    if choice.includes("rings") {
        subjects.push(concentric_rings()?);
    }
    if choice.includes("wine")
        && let Some((data, _)) = rows("wine", data, false)?
    {
        let parts = halves(&data, 0.5, ScalingKind::Standardize)?;
        let description =
            "13 standardized measurements of 178 wines; half to learn from".to_string();
        subjects.push(Subject { name: "wine", description, parts });
    }
    if choice.includes("faces")
        && let Some((data, _)) = rows("faces", data, choice.is_named("faces"))?
    {
        subjects.push(faces(&data)?);
    }
    if choice.includes(FIVE_DIGITS)
        && let Some((data, _)) = rows("usps", data, choice.is_named(FIVE_DIGITS))?
    {
        subjects.push(five_digits(&data)?);
    }
    subjects.extend(digits(choice, data)?);
    Ok(subjects)
}

fn concentric_rings() -> Result<Subject> {
    let options = RingsOptions { rows_per_class: 200, ..RingsOptions::default() };
    let description = format!(
        "{} points of {} rings in two of three columns, the third noise of deviation {}; not scaled; half to \
         learn from",
        options.classes * options.rows_per_class,
        options.classes,
        options.noise
    );
    let parts = halves(&rings(options, 0)?, 0.5, ScalingKind::None)?;
    Ok(Subject { name: "rings", description, parts })
}

/// The paper's own digits: the classes "one" through "five" of USPS, at 8 x 8 pixels.
const FIVE_DIGITS: &str = "usps-1-5";

/// The first five digit classes, their images of half the side.
fn five_digits(data: &Labeled) -> Result<Subject> {
    let names: Vec<String> = (1..=5).map(|digit: u8| digit.to_string()).collect();
    let class =
        |row: &usize| names.iter().position(|n| *n == data.class_names()[data.labels()[*row]]);
    let rows: Vec<usize> = (0..data.rows()).filter(|row| class(row).is_some()).collect();
    let small = halved_images(data.select(&rows).features(), DIGIT_SIDE)?;
    let labels = rows.iter().filter_map(class).collect();
    let digits = Labeled::new(small, labels, names)?;
    let share = 1.0 - USPS_TRAIN as f64 / (2 * digits.rows()) as f64;
    let parts = halves(&digits, share, ScalingKind::Standardize)?;
    let description = format!(
        "the digits one to five of USPS, averaged to 8 x 8 pixels as in the paper, standardized; 200 of each class to \
         learn from, {} shown",
        parts.test.rows()
    );
    Ok(Subject { name: FIVE_DIGITS, description, parts })
}

/// USPS digits where they are there, else the bundled ones.
fn digits(choice: &Choice<'_>, data: Option<&Path>) -> Result<Option<Subject>> {
    let usps = if choice.includes("usps") { rows("usps", data, false)? } else { None };
    if let Some((data, _)) = usps {
        let share = 1.0 - USPS_TRAIN as f64 / data.rows() as f64;
        let parts = halves(&data, share, ScalingKind::Standardize)?;
        let description = format!(
            "256 standardized pixels of USPS digits; 200 of each class to learn from, {} shown",
            parts.test.rows()
        );
        return Ok(Some(Subject { name: "usps", description, parts }));
    }
    if !choice.includes("digits") {
        return Ok(None);
    }
    let Some((data, _)) = rows("digits", data, false)? else { return Ok(None) };
    let parts = halves(&data, 0.5, ScalingKind::Standardize)?;
    let description =
        "64 standardized pixels of 1797 handwritten digits; half to learn from".to_string();
    Ok(Some(Subject { name: "digits", description, parts }))
}

/// Faces, made smaller by averaging and projected to their leading principal components.
fn faces(data: &Labeled) -> Result<Subject> {
    let small = data.with_features(halved_images(data.features(), FACE_SIDE)?)?;
    let parts = halves(&small, 0.5, ScalingKind::None)?;
    let pca = PcaConfig::new(FACE_COMPONENTS).fit(parts.train.features())?.projection;
    let reduce = |part: &Labeled| part.with_features(pca.apply(part.features())?);
    let parts = Parts { train: reduce(&parts.train)?, test: reduce(&parts.test)? };
    let side = FACE_SIDE / 2;
    let description = format!(
        "400 faces of 40 people, averaged to {side} x {side} pixels, by their first {FACE_COMPONENTS} principal \
         components; half of each person's to learn from"
    );
    Ok(Subject { name: "faces", description, parts })
}

/// Square images of half the side, each pixel the mean of four.
fn halved_images(images: &Features, side: usize) -> Result<Features> {
    let half = side / 2;
    let mut values = Vec::with_capacity(images.rows() * half * half);
    for row in 0..images.rows() {
        let image = images.row(row);
        for pixel in 0..half * half {
            let corner = 2 * (pixel / half) * side + 2 * (pixel % half);
            let four = [corner, corner + 1, corner + side, corner + side + 1];
            values.push(four.iter().map(|place| image[*place]).sum::<f64>() / 4.0);
        }
    }
    Ok(Features::unnamed(values, half * half)?)
}

/// Two parts of a set, scaled by the first; the second is cut to what can be shown.
fn halves(data: &Labeled, share: f64, kind: ScalingKind) -> Result<Parts> {
    let Split { train, mut test } = stratified_split(data.labels(), share, 0)?;
    if test.len() > MOST_SHOWN {
        let most = MOST_SHOWN as f64 / test.len() as f64;
        let labels: Vec<usize> = test.iter().map(|row| data.labels()[*row]).collect();
        let shown = stratified_split(&labels, most, 0)?.test;
        test = shown.into_iter().map(|place| test[place]).collect();
    }
    Parts::of(data, &Split { train, test }, kind)
}

impl Subject {
    /// Learns the three maps and draws the rows that they were not learned from; `None` where the user stopped it.
    ///
    /// # Errors
    /// Rows that a method cannot learn from.
    pub fn draw(&self, device: &Device, interrupt: &Interrupt) -> Result<Option<Picture>> {
        let names = self.parts.train.class_names();
        let mut panels = Panels::new(METHODS.len()).with_title(self.name);
        let mut reached = Vec::new();
        for method in METHODS {
            let terms = Terms { device, max_iterations: MAX_ITERATIONS, interrupt };
            let Some(learned) = method.learn(&self.parts.train, terms)? else { return Ok(None) };
            let mapped = self.parts.mapped(&learned.map, device)?;
            let (train, test) = (mapped.train_accuracy, mapped.test_accuracy);
            let scores = format!("1-NN {:.1} %  (train {:.1} %)", 100.0 * test, 100.0 * train);
            let points = coordinates(&mapped.test);
            let scatter = Scatter::by_class(&points, self.parts.test.labels(), names)
                .with_title(method.name())
                .with_subtitle(scores)
                .without_legend();
            panels = panels.with(scatter);
            reached.push(Reached { method, train, test });
        }
        if names.len() <= Scatter::MOST_NAMES {
            panels = panels.with_classes(names);
        }
        Ok(Some(Picture { panels, reached }))
    }
}

/// The rows of an embedding in two dimensions (or one, drawn along a line).
fn coordinates(points: &Tensor<2>) -> Vec<[f64; 2]> {
    let [_, dimensions] = points.dims();
    let values: Vec<f64> = points
        .clone()
        .into_data()
        .convert::<f64>()
        .try_to_vec()
        .expect("data that were just converted have that type");
    let second = |row: &[f64]| row.get(1).copied().unwrap_or(0.0);
    values.chunks_exact(dimensions).map(|row| [row[0], second(row)]).collect()
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::device;

    use super::*;

    #[test]
    fn nca_finds_the_rings_that_pca_loses() {
        let device = device::host().unwrap();
        let subject = concentric_rings().unwrap();
        let picture = subject.draw(&device, &Interrupt::default()).unwrap().unwrap();
        let test = |at: usize| picture.reached[at].test;
        assert!(test(0) < 0.6 && test(2) > 0.9, "{:?}", picture.reached);
    }

    #[test]
    fn the_five_digits_are_one_to_five_in_64_pixels() {
        let rows = 40 * 220;
        let values = (0..rows * 256).map(|at| (at % 97) as f64).collect();
        let features = Features::unnamed(values, 256).unwrap();
        let labels = (0..rows).map(|row| row % 10).collect();
        let subject = five_digits(&Labeled::from_labels(features, labels).unwrap()).unwrap();
        let train = &subject.parts.train;
        assert_eq!((train.rows(), train.features().columns(), train.classes()), (1000, 64, 5));
        assert_eq!(train.class_names(), ["1", "2", "3", "4", "5"]);
    }

    #[test]
    fn a_smaller_image_has_the_means() {
        let image = Features::unnamed((0..16).map(f64::from).collect(), 16).unwrap();
        assert_eq!(halved_images(&image, 4).unwrap().values(), [2.5, 4.5, 10.5, 12.5]);
    }

    #[test]
    fn only_chosen_sets_are_drawn() {
        let names = ["wine".to_string(), "iris".to_string()];
        let found = subjects(&Choice::new(&names), None).unwrap();
        assert_eq!(found.iter().map(|subject| subject.name).collect::<Vec<_>>(), ["wine"]);
    }
}
