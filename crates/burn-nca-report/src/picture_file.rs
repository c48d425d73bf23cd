//! The picture of a report as a file of its own, SVG or PNG: for a paper, a slide or a message.

use std::path::Path;

use anyhow::{Result, anyhow};
use burn_nca_figures::{Figure, Plot, Scatter};

use super::number::counted;
use super::sections::picture::{Embedding, Part, Point};
use super::{ClassMark, Data, Report, Results, ValueMark};

/// Pixels of a PNG per unit of a figure.
#[cfg(feature = "png")]
const PIXELS: f32 = 2.0;

/// The formats of a picture's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Scalable: for a page or a paper.
    Svg,
    /// Pixels: for a slide or a message.
    #[cfg(feature = "png")]
    Png,
}

impl PictureFormat {
    /// The format that a file's name asks for.
    ///
    /// # Errors
    /// A name that ends in neither `.svg` nor `.png`, or in `.png` without the feature `png`.
    pub fn of(path: &Path) -> Result<Self, String> {
        let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        match end.as_deref() {
            Some("svg") => Ok(Self::Svg),
            #[cfg(feature = "png")]
            Some("png") => Ok(Self::Png),
            _ if cfg!(feature = "png") => {
                Err("a picture is written as .svg or .png; give the file one of these endings"
                    .to_string())
            }
            _ => Err("this build writes pictures as .svg; name the file so, or build it with \
                 --features png for .png"
                .to_string()),
        }
    }
}

/// The share of the golden section: neighboring rows of a lane are far apart.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// The picture in the format that the file's name asks for.
///
/// # Errors
/// As [`PictureFormat::of`], or a run without a picture.
pub fn picture_file(report: &Report, path: &Path) -> Result<Vec<u8>> {
    let format = PictureFormat::of(path);
    let format = format.map_err(|why| anyhow!("--picture {}: {why}", path.display()))?;
    let figure = figure(report)?;
    match format {
        PictureFormat::Svg => Ok(figure.svg().as_bytes().to_vec()),
        #[cfg(feature = "png")]
        PictureFormat::Png => Ok(figure.png(PIXELS)?),
    }
}

fn figure(report: &Report) -> Result<Figure> {
    let data = &report.header.data;
    let scatter = match &report.results {
        Results::Classes(found) => of_classes(&found.embedding, data),
        Results::Numbers(found) | Results::Pairs(found) => of_values(&found.embedding, data),
    };
    let scatter = scatter.ok_or_else(|| {
        anyhow!("this run has no picture: no row has a place in its embedding; leave --picture out")
    })?;
    Ok(scatter.with_title(format!("{}, {}", data.name, report.header.method)).figure()?)
}

fn of_classes(embedding: &Embedding<ClassMark>, data: &Data) -> Option<Scatter> {
    let names: Vec<String> = data.classes.iter().map(|class| class.name.clone()).collect();
    let labels: Vec<usize> = embedding.points.iter().map(|point| point.mark.class).collect();
    // The rows without a class have a lane of their own.
    let lanes = Lanes::of(embedding, names.len() + usize::from(!embedding.unlabeled.is_empty()))?;
    let places = lanes.places(embedding, |mark| mark.class);
    let others = embedding.unlabeled.iter().enumerate();
    let others = others.map(|(at, row)| lanes.place(&row.coordinates, names.len(), at)).collect();
    let scatter = drawn(Scatter::by_class(&places, &labels, &names), embedding, data.rows);
    let scatter = scatter.with_others(others);
    Some(match names.len() > Scatter::MOST_NAMES {
        true => scatter.with_names_in_place(&labels, &names),
        false => scatter,
    })
}

fn of_values(embedding: &Embedding<ValueMark>, data: &Data) -> Option<Scatter> {
    let places = Lanes::of(embedding, 1)?.places(embedding, |_| 0);
    let values: Vec<f64> = embedding.points.iter().map(|point| point.mark.value).collect();
    let name = embedding.color.as_deref().unwrap_or("value");
    Some(drawn(Scatter::by_value(&places, &values, name), embedding, data.rows))
}

/// Where rows of one dimension are in the plane: each class in a lane of its own, one below the other.
struct Lanes {
    height: f64,
}

impl Lanes {
    fn of<M>(embedding: &Embedding<M>, lanes: usize) -> Option<Self> {
        let first = embedding.points.iter().filter_map(|point| point.coordinates.first());
        let finite = first.copied().filter(|place| place.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        let wide = (high / 2.0 - low / 2.0) * 2.0;
        (low <= high).then(|| Self {
            height: 0.9 * if wide > 0.0 { wide } else { 1.0 } / lanes.max(3) as f64,
        })
    }

    fn places<M>(&self, embedding: &Embedding<M>, lane: impl Fn(&M) -> usize) -> Vec<[f64; 2]> {
        let points = embedding.points.iter().enumerate();
        points.map(|(at, point)| self.place(&point.coordinates, lane(&point.mark), at)).collect()
    }

    fn place(&self, coordinates: &[f64], lane: usize, row: usize) -> [f64; 2] {
        match coordinates {
            [x, y, ..] => [*x, *y],
            [x] => {
                let within = 0.7 * ((row as f64 * GOLDEN).fract() - 0.5);
                [*x, -self.height * (lane as f64 + within)]
            }
            [] => [f64::NAN; 2],
        }
    }
}

/// Training rows are pale where rows are held out; below the title, what is shown: the dimensions, and of how many rows.
fn drawn<M>(scatter: Scatter, embedding: &Embedding<M>, rows: usize) -> Scatter {
    let held_out = embedding.judged() == Part::Test;
    let is_pale = |point: &Point<M>| held_out && point.part == Part::Train;
    let pale: Vec<bool> = embedding.points.iter().map(is_pale).collect();
    let mut text = match embedding.variance_share {
        Some(share) => {
            format!("{} dimensions by PCA ({:.0} %)", embedding.dimension, 100.0 * share)
        }
        None => counted(embedding.dimension, "dimension"),
    };
    let drawn = embedding.points.len() + embedding.unlabeled.len();
    if drawn < rows {
        text += &format!("; {drawn} of {rows} rows");
    }
    if pale.contains(&true) {
        text += "; pale: training";
    }
    scatter.with_pale(&pale).with_subtitle(text)
}
