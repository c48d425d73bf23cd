//! The rows where the map put them at some steps of a fit: the axes of the learned map throughout.

use anyhow::Result;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::Fitted;
use burn_nca_learn::baseline::{PcaConfig, Projection};
use burn_nca_learn::data::{Coincidences, Features, Labeled, RegressionData, TensorFeatures};
use burn_nca_learn::encoder::{AnyEncoder, Encoder};
use burn_nca_learn::evaluate::{Accuracy, PartnerRanks, RegressionScores};
use burn_nca_learn::neighbors::{ClassReferences, Numbers};

use super::Stages;
use super::pairs::PairParts;
use super::sampled_rows::SampledRows;
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

/// The embedding of some rows at the steps of a fit, with the figures of both parts; `None` where they cannot be had, and
/// where the stages end before the last step.
///
/// # Errors
/// An embedding that is not finite.
pub fn replay(
    model: &Fitted,
    rows: ReplayRows<'_>,
    steps: &[Step],
    stages: &dyn Stages,
) -> Result<Option<Replay>> {
    let encoders: Option<Vec<AnyEncoder>> =
        steps.iter().map(|step| model.encoder_at(&step.parameters)).collect();
    let Some(encoders) = encoders.filter(|encoders| encoders.len() > 2) else { return Ok(None) };
    let ReplayRows { place, drawn, points, neighbors, values, figures } = rows;
    let learned = place.of(&model.encoder, &drawn);
    let shown = Shown::of(&learned)?;
    let end = shown.coordinates(&learned)?;
    let mut places = Vec::with_capacity(encoders.len());
    let mut found = Vec::with_capacity(encoders.len());
    for (at, encoder) in encoders.iter().enumerate() {
        if !stages.admits_replay(at + 1, encoders.len()) {
            return Ok(None);
        }
        let drawn = place.of(encoder, &drawn);
        found.push(figures(encoder, &drawn)?);
        places.push(shown.coordinates(&drawn)?);
    }
    let finite = |frame: &Vec<f64>| frame.iter().all(|place| place.is_finite());
    if !places.iter().all(finite) {
        return Ok(None);
    }
    let kept = nearest(&places, &end);
    let window = Window::around(&places, kept, shown.dimension());
    let frames = steps.iter().zip(&places).zip(found).enumerate();
    let frames = frames.map(|(at, ((step, places), [train, test]))| ReplayFrame {
        iteration: step.iteration as u64,
        train,
        test,
        kept: at == kept,
        places: window.places(places, shown.dimension()),
    });
    let (dimension, frames) = (shown.dimension(), frames.collect());
    Ok(Some(Replay { dimension, neighbors, points, values, window, frames }))
}

/// What is measured of the rows that are drawn, embedded by a map: of training rows, and of those held out.
type Figures<'a> = dyn Fn(&AnyEncoder, &Tensor<2>) -> Result<[Option<f64>; 2]> + 'a;

/// The rows that take part.
pub struct ReplayRows<'a> {
    place: Place,
    /// The scaled features of the rows that are drawn, those held out last.
    drawn: Features,
    points: Vec<ReplayPoint>,
    neighbors: usize,
    values: Option<ReplayValues>,
    figures: Box<Figures<'a>>,
}

/// Where the rows are embedded.
#[derive(Clone)]
struct Place {
    device: Device,
    dtype: DType,
}

impl Place {
    fn model(model: &Fitted) -> Self {
        Self { device: model.references().device(), dtype: model.references().dtype() }
    }

    fn of(&self, encoder: &AnyEncoder, features: &Features) -> Tensor<2> {
        encoder.forward(features.to_tensor(&self.device, self.dtype))
    }
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
        let mut places = thinned(places, TRAIN);
        places.sort_by_key(|&place| (group(split[place]), place));
        let mut test = thinned(test, TEST);
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

    /// The embedded rows of both parts.
    fn parts(&self, embedded: &Tensor<2>) -> (Tensor<2>, Option<Tensor<2>>) {
        let (n, all) = (self.train, self.rows.len());
        let test = (all > n).then(|| embedded.clone().slice([n..all]));
        (embedded.clone().slice([0..n]), test)
    }
}

impl<'a> ReplayRows<'a> {
    /// Rows with classes, and their 1-NN accuracy: training rows left out in turn, and those held out.
    pub fn of_classes(model: &'a Fitted, rows: &SampledRows<'_, Labeled>) -> Self {
        let (split, labels, classes) = (&rows.split.train, rows.data.labels(), rows.data.classes());
        let drawn = Drawn::of((split, &rows.sample.train), &rows.sample.test, &|row| labels[row]);
        let references: Labeled = rows.data.select(drawn.neighbors(split));
        let truth: Vec<usize> = drawn.rows.iter().map(|&row| labels[row]).collect();
        let (features, points) = (rows.data.features().select(&drawn.rows), drawn.points.clone());
        let (place, neighbors) = (Place::model(model), references.rows());
        let of = place.clone();
        let figures = move |encoder: &AnyEncoder, embedded: &Tensor<2>| -> Result<_> {
            let (train, test) = drawn.parts(embedded);
            let embedding = &of.of(encoder, references.features());
            let among = ClassReferences {
                weights: references.weights(),
                groups: references.groups(),
                ..ClassReferences::new(embedding, references.labels(), classes)
            };
            let rule = model.rule();
            let right =
                |queries: &Tensor<2>, truth: &[usize], own: Option<&[usize]>| -> Result<_> {
                    let predicted = rule.classes(queries, among, &[1], own)?;
                    let predicted = predicted.into_iter().next().unwrap_or_default();
                    Ok(Accuracy::of(&predicted, truth)?.value())
                };
            let (known, unknown) = truth.split_at(drawn.train);
            let of_test = test.map(|test| right(&test, unknown, None)).transpose()?;
            Ok([right(&train, known, Some(&drawn.places))?, of_test.flatten()])
        };
        Self { place, drawn: features, points, neighbors, values: None, figures: Box::new(figures) }
    }

    /// Rows with numbers, and R² of the kernel rule.
    pub fn of_numbers(model: &'a Fitted, rows: &SampledRows<'_, RegressionData>) -> Self {
        let (split, targets) = (&rows.split.train, rows.data.targets());
        let bands = Bands::of(targets.values().iter().step_by(targets.columns()).copied());
        let band = |row: usize| bands.band(targets.row(row)[0]);
        let drawn = Drawn::of((split, &rows.sample.train), &rows.sample.test, &band);
        let references: RegressionData = rows.data.select(drawn.neighbors(split));
        let shown = rows.data.select(&drawn.rows);
        let color = targets.names().first().cloned().unwrap_or_default();
        let values = ReplayValues { color, bands: bands.middles(), figure: ReplayFigure::R2 };
        let (place, neighbors, points) =
            (Place::model(model), references.rows(), drawn.points.clone());
        let (of, truth) = (place.clone(), shown.targets().clone());
        let figures = move |encoder: &AnyEncoder, embedded: &Tensor<2>| -> Result<_> {
            let (train, test) = drawn.parts(embedded);
            let among = of.of(encoder, references.features());
            let known = references.targets();
            let numbers = Numbers::new(known.values(), known.columns());
            let numbers =
                numbers.with_weights(references.weights()).with_groups(references.groups());
            let r2 = |queries: &Tensor<2>, truth: &[f64], own: Option<&[usize]>| -> Result<_> {
                let means = model.rule().kernel_means(queries, &among, numbers, own)?;
                Ok(RegressionScores::of(&means, truth)?.r2())
            };
            let (known, unknown) = truth.values().split_at(drawn.train * truth.columns());
            let of_test = test.map(|test| r2(&test, unknown, None)).transpose()?;
            Ok([r2(&train, known, Some(&drawn.places))?, of_test.flatten()])
        };
        let (drawn, figures) = (shown.features().clone(), Box::new(figures));
        Self { place, drawn, points, neighbors, values: Some(values), figures }
    }

    /// Rows of pairs, and how often the partner is the nearest row; `None` for more rows than are looked at.
    pub fn of_pairs(model: &'a Fitted, data: &'a Coincidences, parts: PairParts) -> Option<Self> {
        let features = data.features();
        let all: Vec<usize> = (0..features.rows()).collect();
        if all.len() > NEIGHBORS {
            return None;
        }
        let bands = Bands::of(all.iter().map(|row| (row + 1) as f64));
        let drawn = Drawn::of((&all, &all), &[], &|row| bands.band((row + 1) as f64));
        let figure = match parts.test {
            0 => ReplayFigure::TrainingPairs,
            _ => ReplayFigure::HeldOutPairs,
        };
        let values = ReplayValues { color: "row".to_string(), bands: bands.middles(), figure };
        let place = Place::model(model);
        let of = place.clone();
        let figures = move |encoder: &AnyEncoder, _: &Tensor<2>| -> Result<_> {
            let embedded = of.of(encoder, features);
            let ranks = PartnerRanks::of(&embedded, &parts.asked, Some(data.pairs()))?;
            Ok([ranks.recall(1), None])
        };
        Some(Self {
            place,
            drawn: features.select(&drawn.rows),
            points: drawn.points,
            neighbors: all.len(),
            values: Some(values),
            figures: Box::new(figures),
        })
    }
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

/// The axes of the picture: those of the learned map, its principal ones where there are more than two.
enum Shown {
    Own(usize),
    Principal(Projection),
}

impl Shown {
    fn of(end: &Tensor<2>) -> Result<Self> {
        let [_, k] = end.dims();
        if k <= 2 {
            return Ok(Self::Own(k));
        }
        Ok(Self::Principal(PcaConfig::new(2).fit(&Features::from_tensor(end.clone())?)?.projection))
    }

    fn dimension(&self) -> usize {
        match self {
            Self::Own(k) => *k,
            Self::Principal(_) => 2,
        }
    }

    /// Row-major, as many a row as there are axes.
    fn coordinates(&self, embedding: &Tensor<2>) -> Result<Vec<f64>> {
        let features = Features::from_tensor(embedding.clone())?;
        Ok(match self {
            Self::Own(_) => features.values().to_vec(),
            Self::Principal(axes) => axes.apply(&features)?.values().to_vec(),
        })
    }
}

/// The frame that is the nearest to the end, the last of equals.
fn nearest(frames: &[Vec<f64>], end: &[f64]) -> usize {
    let gap =
        |frame: &Vec<f64>| -> f64 { frame.iter().zip(end).map(|(a, b)| (a - b).powi(2)).sum() };
    let gaps: Vec<f64> = frames.iter().map(gap).collect();
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    gaps.iter().rposition(|gap| *gap <= least).unwrap_or(0)
}

/// At most so many of these rows, evenly spaced.
fn thinned(rows: &[usize], most: usize) -> Vec<usize> {
    let drawn = rows.len().min(most);
    (0..drawn).map(|at| rows[at * rows.len() / drawn]).collect()
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::NcaConfig;
    use burn_nca_learn::data::Split;

    use super::*;
    use crate::evaluation::AllStages;
    use crate::evaluation::rows::Rows;
    use crate::evaluation::sample::Sample;

    /// Stages that end before a step of the replay.
    struct EndBefore(usize);

    impl Stages for EndBefore {
        fn admits_replay(&self, step: usize, _: usize) -> bool {
            step < self.0
        }
    }

    #[test]
    fn a_replay_is_left_out_where_the_stages_end_before_its_last_step() {
        let (data, device) = (iris(), burn_nca_learn::device::host().unwrap());
        let mut config = NcaConfig::new(4, 2);
        config.fit.stop_at = Some(0);
        let model = config.fit(&data, &device).unwrap();
        let parameters = model.matrix().unwrap();
        let step = |iteration| Step { iteration, parameters: parameters.clone() };
        let steps: Vec<Step> = (0..3).map(step).collect();
        let split = Split { train: (0..150).collect(), test: Vec::new() };
        let sample = Sample::of(&split, [150, 4], 0).unwrap();
        let rows = Rows::new(data.clone(), (split, data), 0);
        let rows = rows.sampled(&sample);
        let replayed = |stages: &dyn Stages| {
            let found =
                replay(&model, ReplayRows::of_classes(&model, &rows), &steps, stages).unwrap();
            found.map(|replay| replay.frames.len())
        };
        assert_eq!(replayed(&AllStages), Some(3));
        assert_eq!([1, 3].map(|step| replayed(&EndBefore(step))), [None, None]);
    }

    #[test]
    fn values_fall_into_bands_of_equal_width() {
        let bands = Bands::of([0.0, 32.0, 5.0].into_iter());
        assert_eq!([0.0, 1.9, 2.0, 32.0].map(|value| bands.band(value)), [0, 0, 1, 15]);
        assert_eq!((bands.middles()[0], bands.middles()[15]), (1.0, 31.0));
        assert_eq!(Bands::of([7.0].into_iter()).band(7.0), 0);
    }
}
