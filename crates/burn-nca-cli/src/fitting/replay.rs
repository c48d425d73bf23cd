//! The rows where the map put them at some steps of a fit: the axes of the learnt map throughout.

use anyhow::Result;
use burn::tensor::{DType, Device, Tensor};
use burn_nca::Fitted;
use burn_nca::baseline::{PcaConfig, Projection};
use burn_nca::data::{Features, Labelled};
use burn_nca::encoder::{AnyEncoder, Encoder};
use burn_nca::evaluate::Accuracy;
use burn_nca::neighbors::ClassReferences;

use super::classes::ClassRows;
use super::recorder::Step;
use burn_nca_report::{Part, Replay, ReplayFrame, ReplayPoint, Window};

/// Training rows that are drawn at most.
const TRAIN: usize = 1000;

/// Rows held out that are drawn at most.
const TEST: usize = 500;

/// Training rows up to which all of them are neighbours; beyond, those that are drawn.
const NEIGHBORS: usize = 4000;

/// The embedding of some rows at the steps of a fit, with the accuracy of both parts; `None` where they cannot be had.
///
/// # Errors
/// An embedding that is not finite.
pub fn replay(model: &Fitted, rows: &ClassRows<'_>, steps: &[Step]) -> Result<Option<Replay>> {
    let encoders: Option<Vec<AnyEncoder>> =
        steps.iter().map(|step| model.encoder_at(&step.parameters)).collect();
    let Some(encoders) = encoders.filter(|encoders| encoders.len() > 2) else { return Ok(None) };
    let cast = Cast::of(model, rows);
    let learnt = cast.place(&model.encoder, &cast.drawn);
    let shown = Shown::of(&learnt)?;
    let end = shown.coordinates(&learnt)?;
    let mut places = Vec::with_capacity(encoders.len());
    let mut accuracies = Vec::with_capacity(encoders.len());
    for encoder in &encoders {
        let drawn = cast.place(encoder, &cast.drawn);
        accuracies.push(cast.accuracy(model, encoder, &drawn)?);
        places.push(shown.coordinates(&drawn)?);
    }
    let finite = |frame: &Vec<f64>| frame.iter().all(|place| place.is_finite());
    if !places.iter().all(finite) {
        return Ok(None);
    }
    let kept = nearest(&places, &end);
    let window = Window::around(&places, kept, shown.dimension());
    let frames = steps.iter().zip(&places).zip(accuracies).enumerate();
    let frames = frames.map(|(at, ((step, places), [train, test]))| ReplayFrame {
        iteration: step.iteration as u64,
        train,
        test,
        kept: at == kept,
        places: window.places(places, shown.dimension()),
    });
    Ok(Some(Replay {
        dimension: shown.dimension(),
        neighbors: cast.references.as_ref().map_or(cast.train.len(), Labelled::rows),
        points: cast.points,
        window,
        frames: frames.collect(),
    }))
}

/// The rows that take part.
struct Cast {
    /// The scaled features of the rows that are drawn, those held out last.
    drawn: Features,
    points: Vec<ReplayPoint>,
    /// Places of the drawn training rows among the neighbours.
    train: Vec<usize>,
    labels: Vec<usize>,
    classes: usize,
    /// All training rows, scaled, where they are the neighbours; else the drawn ones are.
    references: Option<Labelled>,
    device: Device,
    dtype: DType,
}

impl Cast {
    fn of(model: &Fitted, rows: &ClassRows<'_>) -> Self {
        let labels = rows.data.labels();
        // Places among the training rows, and rows of the data; a class is drawn as one stroke.
        let mut places = thinned(&rows.sample.train, TRAIN);
        places.sort_by_key(|&place| (labels[rows.split.train[place]], place));
        let mut test = thinned(&rows.sample.test, TEST);
        test.sort_by_key(|&row| (labels[row], row));
        let train: Vec<usize> = places.iter().map(|&place| rows.split.train[place]).collect();
        let point = |row: &usize, part| ReplayPoint { row: row + 1, class: labels[*row], part };
        let points = train.iter().map(|row| point(row, Part::Train));
        let points = points.chain(test.iter().map(|row| point(row, Part::Test))).collect();
        let rows_drawn: Vec<usize> = train.iter().chain(&test).copied().collect();
        let all = rows.split.train.len() <= NEIGHBORS;
        let drawn = rows.data.select(&rows_drawn);
        let references = all.then(|| rows.data.select(&rows.split.train));
        Self {
            labels: drawn.labels().to_vec(),
            drawn: drawn.features().clone(),
            points,
            train: if all { places } else { (0..train.len()).collect() },
            classes: rows.data.classes(),
            references,
            device: model.references().device(),
            dtype: model.references().dtype(),
        }
    }

    fn place(&self, encoder: &AnyEncoder, features: &Features) -> Tensor<2> {
        encoder.forward(features.to_tensor(&self.device, self.dtype))
    }

    /// The 1-NN accuracy of the training rows, each left out in turn, and of those held out.
    fn accuracy(
        &self,
        model: &Fitted,
        encoder: &AnyEncoder,
        drawn: &Tensor<2>,
    ) -> Result<[Option<f64>; 2]> {
        let (n, all) = (self.train.len(), self.labels.len());
        let train = drawn.clone().slice([0..n]);
        let neighbors = match &self.references {
            Some(references) => self.place(encoder, references.features()),
            None => train.clone(),
        };
        let labels = self.references.as_ref().map_or(&self.labels[..n], Labelled::labels);
        let references = ClassReferences {
            embedding: &neighbors,
            labels,
            classes: self.classes,
            weights: self.references.as_ref().and_then(Labelled::weights),
        };
        let rule = model.rule().of_classes();
        let right = |queries: &Tensor<2>, truth: &[usize], own: Option<&[usize]>| -> Result<_> {
            let predicted = rule.classes(queries, references, &[1], own)?;
            let predicted = predicted.into_iter().next().unwrap_or_default();
            Ok(Accuracy::of(&predicted, truth)?.value())
        };
        let of_train = right(&train, &self.labels[..n], Some(&self.train))?;
        let test = (all > n).then(|| drawn.clone().slice([n..all]));
        let of_test = test.map(|test| right(&test, &self.labels[n..], None)).transpose()?;
        Ok([of_train, of_test.flatten()])
    }
}

/// The axes of the picture: those of the learnt map, its principal ones where there are more than two.
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
