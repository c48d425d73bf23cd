//! The embedding of the test digits in two dimensions.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_figures::palette::class_color;
use burn_nca_figures::plotters::prelude::*;
use burn_nca_figures::plotters::style::text_anchor::{HPos, Pos, VPos};
use burn_nca_figures::{Canvas, Figure};
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::{Features, TensorFeatures};

use crate::digits::CLASSES;

const SIZE: (u32, u32) = (820, 760);
const TITLE: i32 = 64;
const LEGEND: i32 = 70;
const MARGIN: i32 = 20;

/// A point for each digit, colored by its class.
///
/// More than two dimensions are shown by their two directions of largest variance.
///
/// # Errors
/// Coordinates that are not finite, or a drawing that fails.
pub fn picture(embedding: &Tensor<2>, labels: &[usize], title: &str) -> Result<Figure> {
    let features = Features::from_tensor(embedding.clone())?;
    let (points, subtitle) = if features.columns() <= 2 {
        (features, "the two dimensions of the embedding".to_string())
    } else {
        let pca = PcaConfig::new(2).fit(&features)?;
        let share = 100.0 * pca.explained_variance_ratio.iter().sum::<f64>();
        let subtitle = format!("two directions that hold {share:.0} % of its variance");
        (pca.projection.apply(&features)?, subtitle)
    };
    Ok(Figure::draw(SIZE, |canvas| {
        let text = ("sans-serif", 20).into_font().color(&BLACK);
        canvas.draw(&Text::new(title.to_string(), (MARGIN, 14), text))?;
        let small = ("sans-serif", 15).into_font().color(&RGBColor(90, 90, 90));
        canvas.draw(&Text::new(subtitle, (MARGIN, 40), small))?;
        draw_points(canvas, &points, labels)?;
        draw_legend(canvas)
    })?)
}

fn draw_points(
    canvas: &Canvas<'_>,
    points: &Features,
    labels: &[usize],
) -> burn_nca_figures::Result<()> {
    let coordinate = |row: usize, axis: usize| points.row(row).get(axis).copied().unwrap_or(0.0);
    let range = |axis: usize| {
        (0..points.rows())
            .map(|row| coordinate(row, axis))
            .fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (x, y) = (range(0), range(1));
    let width = f64::from(SIZE.0 as i32 - LEGEND - 2 * MARGIN);
    let height = f64::from(SIZE.1 as i32 - TITLE - 2 * MARGIN);
    // One scale for both axes: distances are what the picture is about.
    let span = ((x.1 - x.0) / width).max((y.1 - y.0) / height).max(f64::MIN_POSITIVE);
    let place = |row: usize| {
        let across = 0.5 * width + (coordinate(row, 0) - 0.5 * (x.0 + x.1)) / span;
        let down = 0.5 * height - (coordinate(row, 1) - 0.5 * (y.0 + y.1)) / span;
        (MARGIN + across.round() as i32, TITLE + MARGIN + down.round() as i32)
    };
    for (row, &label) in labels.iter().enumerate() {
        let style = class_color(label).mix(0.55).filled();
        canvas.draw(&Circle::new(place(row), 2, style))?;
    }
    Ok(())
}

fn draw_legend(canvas: &Canvas<'_>) -> burn_nca_figures::Result<()> {
    let left = SIZE.0 as i32 - LEGEND + 14;
    for class in 0..CLASSES {
        let at = TITLE + MARGIN + 26 * class as i32;
        canvas.draw(&Circle::new((left, at), 6, class_color(class).filled()))?;
        let text =
            ("sans-serif", 17).into_font().color(&BLACK).pos(Pos::new(HPos::Left, VPos::Center));
        canvas.draw(&Text::new(class.to_string(), (left + 14, at), text))?;
    }
    Ok(())
}
