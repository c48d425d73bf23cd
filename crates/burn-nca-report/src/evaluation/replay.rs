//! The rows where the map put them at some steps of a fit: the axes of the learned map throughout.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, TensorFeatures,
};
use burn_nca_learn::encoder::{AnyEncoder, Encoder};
use burn_nca_learn::evaluate::{Accuracy, PartnerRanks, RegressionScores};
use burn_nca_learn::neighbors::Numbers;

use super::Stages;
use super::judging::class_references;
use super::rows::Rows;
use super::sample::Sample;
use super::space::Axes;
use crate::sections::picture::thinned;
use crate::{Part, Replay, ReplayFigure, ReplayFrame, ReplayPoint, ReplayValues, Window};

/// Training rows that are drawn at most.
const TRAIN: usize = 1000;

/// Rows held out that are drawn at most.
const TEST: usize = 500;

/// Training rows up to which all of them are neighbors; beyond, those that are drawn.
const NEIGHBORS: usize = 4000;

/// Bands of color of a numeric target.
const BANDS: usize = 16;

/// A step of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number; 0 is the start.
    pub iteration: usize,
    /// The parameters of the model.
    pub parameters: Vec<f64>,
}

/// A fit that is replayed: its model, its steps, and what is said meanwhile.
pub type Fit<'a> = (&'a Fitted, &'a [Step], &'a dyn Stages);

/// The embedding of the rows drawn of `features` at the steps of a fit, with the `figures` of both parts of them; `None` where
/// they cannot be had, and where the stages end before the last step.
fn replay(
    (model, steps, stages): Fit<'_>,
    (features, drawn): (&Features, &Drawn),
    (neighbors, values): (usize, Option<ReplayValues>),
    figures: impl Fn(&AnyEncoder, &Tensor<2>) -> Result<[Option<f64>; 2]>,
) -> Result<Option<Replay>> {
    let encoders: Option<Vec<AnyEncoder>> =
        steps.iter().map(|step| model.encoder_at(&step.parameters)).collect();
    let Some(encoders) = encoders.filter(|encoders| encoders.len() > 2) else { return Ok(None) };
    let shown = features.select(&drawn.rows);
    let learned = embedded(model, &model.encoder, &shown);
    let axes = Axes::of(&learned)?;
    let end = axes.coordinates(&learned)?;
    let (mut places, mut found) = (Vec::new(), Vec::new());
    for (at, encoder) in encoders.iter().enumerate() {
        if !stages.admits_replay(at + 1, encoders.len()) {
            return Ok(None);
        }
        let embedding = embedded(model, encoder, &shown);
        found.push(figures(encoder, &embedding)?);
        places.push(axes.coordinates(&embedding)?.values().to_vec());
    }
    let kept = nearest(&places, end.values());
    let dimension = axes.dimension;
    let window = Window::around(&places, kept, dimension);
    let frames = steps.iter().zip(&places).zip(found).enumerate();
    let frames = frames.map(|(at, ((step, places), [train, test]))| ReplayFrame {
        iteration: step.iteration as u64,
        train,
        test,
        kept: at == kept,
        places: window.places(places, dimension),
    });
    let (frames, points) = (frames.collect(), drawn.points.clone());
    Ok(Some(Replay { dimension, neighbors, points, values, window, frames }))
}

/// Where a map of the model's kind puts rows.
fn embedded(model: &Fitted, encoder: &AnyEncoder, features: &Features) -> Tensor<2> {
    let references = model.references();
    encoder.forward(features.to_tensor(&references.device(), references.dtype()))
}

/// The rows that are drawn, a group of one color after the other.
struct Drawn {
    /// Rows of the data: training rows, then those held out.
    rows: Vec<usize>,
    points: Vec<ReplayPoint>,
    /// Training rows among them.
    train: usize,
    /// Places of the drawn training rows among the neighbors.
    places: Vec<usize>,
    /// Whether all training rows are the neighbors; else the drawn ones are.
    all: bool,
}

impl Drawn {
    /// Some of the training rows (each by its place among them) and of the rows held out; `group` is the color of a row.
    fn of(
        (split, places): (&[usize], &[usize]),
        test: &[usize],
        group: &dyn Fn(usize) -> usize,
    ) -> Self {
        // A group is drawn as one stroke.
        let mut places: Vec<usize> = thinned(places.len(), TRAIN).map(|at| places[at]).collect();
        places.sort_by_key(|&place| (group(split[place]), place));
        let mut test: Vec<usize> = thinned(test.len(), TEST).map(|at| test[at]).collect();
        test.sort_by_key(|&row| (group(row), row));
        let train: Vec<usize> = places.iter().map(|&place| split[place]).collect();
        let point = |row: &usize, part| ReplayPoint { row: row + 1, class: group(*row), part };
        let points = train.iter().map(|row| point(row, Part::Train));
        let points = points.chain(test.iter().map(|row| point(row, Part::Test))).collect();
        let all = split.len() <= NEIGHBORS;
        Self {
            points,
            train: train.len(),
            places: if all { places } else { (0..train.len()).collect() },
            rows: train.into_iter().chain(test).collect(),
            all,
        }
    }

    /// The rows that are neighbors.
    fn neighbors<'s>(&'s self, split: &'s [usize]) -> &'s [usize] {
        if self.all { split } else { &self.rows[..self.train] }
    }

    /// The figures of both parts of the rows drawn, whose targets have so many values each: `figure` is that of some rows, which
    /// may be references themselves.
    fn figures<T>(
        &self,
        embedded: &Tensor<2>,
        (targets, columns): (&[T], usize),
        figure: impl Fn(&Tensor<2>, &[T], Option<&[usize]>) -> Result<Option<f64>>,
    ) -> Result<[Option<f64>; 2]> {
        let (n, all) = (self.train, self.rows.len());
        let (known, unknown) = targets.split_at(n * columns);
        let of_test = match all > n {
            true => figure(&embedded.clone().slice([n..all]), unknown, None)?,
            false => None,
        };
        Ok([figure(&embedded.clone().slice([0..n]), known, Some(&self.places))?, of_test])
    }
}

/// Rows with classes, and their 1-NN accuracy: training rows left out in turn, and those held out.
pub fn of_classes(fit: Fit<'_>, rows: &Rows<Labeled>, sample: &Sample) -> Result<Option<Replay>> {
    let (split, labels) = (&rows.split.train, rows.data.labels());
    let drawn = Drawn::of((split, &sample.train), &sample.test, &|row| labels[row]);
    let references: Labeled = rows.data.select(drawn.neighbors(split));
    let truth: Vec<usize> = drawn.rows.iter().map(|&row| labels[row]).collect();
    let about = (references.rows(), None);
    replay(fit, (rows.data.features(), &drawn), about, |encoder, shown| {
        let embedding = embedded(fit.0, encoder, references.features());
        let among = class_references(&references, &embedding);
        drawn.figures(shown, (&truth, 1), |queries, truth, own| {
            let predicted = fit.0.rule().classes(queries, among, &[1], own)?.concat();
            Ok(Accuracy::of(&predicted, truth)?.value())
        })
    })
}

/// Rows with numbers, and R² of the kernel rule.
pub fn of_numbers(
    fit: Fit<'_>,
    rows: &Rows<RegressionData>,
    sample: &Sample,
) -> Result<Option<Replay>> {
    let (split, targets) = (&rows.split.train, rows.data.targets());
    let bands = Bands::of(targets.values().iter().step_by(targets.columns()).copied());
    let band = |row: usize| bands.band(targets.row(row)[0]);
    let drawn = Drawn::of((split, &sample.train), &sample.test, &band);
    let references: RegressionData = rows.data.select(drawn.neighbors(split));
    let truth = rows.data.select(&drawn.rows).targets().clone();
    let color = targets.names().first().cloned().unwrap_or_default();
    let values = ReplayValues { color, bands: bands.middles(), figure: ReplayFigure::R2 };
    let known = references.targets();
    let numbers = Numbers::new(known.values(), known.columns());
    let numbers = numbers.with_weights(references.weights()).with_groups(references.groups());
    let about = (references.rows(), Some(values));
    replay(fit, (rows.data.features(), &drawn), about, |encoder, shown| {
        let among = embedded(fit.0, encoder, references.features());
        drawn.figures(shown, (truth.values(), truth.columns()), |queries, truth, own| {
            let means = fit.0.rule().kernel_means(queries, &among, numbers, own)?;
            Ok(RegressionScores::of(&means, truth)?.r2())
        })
    })
}

/// Rows of pairs, and how often the partner of the pairs `asked` is the nearest row; `None` for more rows than are looked
/// at.
pub fn of_pairs(fit: Fit<'_>, rows: &Rows<Coincidences>, asked: &Pairs) -> Result<Option<Replay>> {
    let features = rows.data.features();
    let all: Vec<usize> = (0..features.rows()).collect();
    if all.len() > NEIGHBORS {
        return Ok(None);
    }
    let bands = Bands::of(all.iter().map(|row| (row + 1) as f64));
    let drawn = Drawn::of((&all, &all), &[], &|row| bands.band((row + 1) as f64));
    let figure = match rows.split.test.is_empty() {
        true => ReplayFigure::TrainingPairs,
        false => ReplayFigure::HeldOutPairs,
    };
    let values = ReplayValues { color: "row".to_string(), bands: bands.middles(), figure };
    replay(fit, (features, &drawn), (all.len(), Some(values)), |encoder, _| {
        let embedding = embedded(fit.0, encoder, features);
        let ranks = PartnerRanks::of(&embedding, asked, Some(rows.data.pairs()))?;
        Ok([ranks.recall(1), None])
    })
}

/// Values from the lowest to the highest, in bands of equal width.
struct Bands {
    low: f64,
    width: f64,
}

impl Bands {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        Self { low, width: (high - low) / BANDS as f64 }
    }

    fn band(&self, value: f64) -> usize {
        // A value at the upper end, and all where there is no width, are in a band.
        (((value - self.low) / self.width) as usize).min(BANDS - 1)
    }

    fn middles(&self) -> Vec<f64> {
        (0..BANDS).map(|band| self.low + (band as f64 + 0.5) * self.width).collect()
    }
}

/// The frame that is the nearest to the end, the last of equals.
fn nearest(frames: &[Vec<f64>], end: &[f64]) -> usize {
    let gap = |frame: &Vec<f64>| frame.iter().zip(end).map(|(a, b)| (a - b).powi(2)).sum();
    let gaps: Vec<f64> = frames.iter().map(gap).collect();
    (0..gaps.len()).rev().min_by(|a, b| gaps[*a].total_cmp(&gaps[*b])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_bands_of_equal_width() {
        let bands = Bands::of([0.0, 32.0, 5.0].into_iter());
        assert_eq!([0.0, 1.9, 2.0, 32.0].map(|value| bands.band(value)), [0, 0, 1, 15]);
        assert_eq!((bands.middles()[0], bands.middles()[15]), (1.0, 31.0));
        assert_eq!(Bands::of([7.0].into_iter()).band(7.0), 0);
    }
}
