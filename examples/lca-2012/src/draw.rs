//! Figures 2, 3 and 4.

use std::path::Path;

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_figures::{Curves, Panels, Plot, Scatter};
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::method::Lca;
use burn_nca_program::Interrupt;

use crate::figures::{DIMENSIONS, Line, Points, fitted};
use crate::reduce::prepared;
use crate::sets::Set;

/// Rows of figure 3 that are drawn at most.
const DRAWN: usize = 1000;

/// A panel per set: the test error of the classifiers.
///
/// # Errors
/// A figure that cannot be drawn or written.
pub fn figure_two(sets: &[Set], points: &Points, stem: &Path) -> Result<()> {
    let title = "Figure 2: test error against dimensions";
    let lines = |name: &str, p: usize| {
        let error = |line: Line| {
            (line.name().to_string(), points.mean(name, line, p).map(|(error, _)| error))
        };
        Line::CLASSIFIERS.map(error).to_vec()
    };
    against_dimensions(sets, (title, "test error, %"), &lines, stem)
}

/// A panel per set: the test error and the training error of 3-NN.
///
/// # Errors
/// A figure that cannot be drawn or written.
pub fn figure_four(sets: &[Set], points: &Points, stem: &Path) -> Result<()> {
    let title = "Figure 4: error of 3-NN against dimensions";
    let lines = |name: &str, p: usize| {
        let both = |line: Line| {
            let (test, training) = points.mean(name, line, p).unzip();
            let map = line.name().trim_end_matches(", 3-NN");
            let named = |part: &str| format!("{map}, {part}");
            [(named("test"), test), (named("training"), training.flatten())]
        };
        Line::NEIGHBORS.map(both).concat()
    };
    against_dimensions(sets, (title, "error, %"), &lines, stem)
}

/// A line's name, and its error in some dimensions.
type Named = (String, Option<f64>);

/// A panel per set; the dimensions as powers of 2, each as far from the next.
fn against_dimensions(
    sets: &[Set],
    (title, y_label): (&str, &str),
    lines: &dyn Fn(&str, usize) -> Vec<Named>,
    stem: &Path,
) -> Result<()> {
    let mut panels = Panels::new(sets.len().min(2)).with_title(title);
    let ticks: Vec<(f64, String)> = DIMENSIONS.map(|p| ((p as f64).log2(), p.to_string())).into();
    for set in sets {
        let name = &set.record.name;
        let mut curves =
            Curves::new("dimensions p", y_label).with_title(name).with_x_ticks(ticks.clone());
        let columns = DIMENSIONS.map(|p| ((p as f64).log2(), lines(name, p)));
        for (at, (line, _)) in columns[0].1.iter().enumerate() {
            let places = columns.iter().filter_map(|(p, errors)| Some([*p, errors[at].1?]));
            let places: Vec<[f64; 2]> = places.collect();
            if !places.is_empty() {
                curves = curves.with_line(line, &places);
            }
        }
        panels = panels.with(curves);
    }
    panels.figure()?.write(stem)?;
    Ok(())
}

/// Test rows of the first split of each set in two dimensions, by PCA and by the metric of LCA; `None` where the user
/// stopped it.
///
/// # Errors
/// Rows that cannot be learned from, or a figure that cannot be drawn or written.
pub fn figure_three(sets: &[Set], place: (&Device, &Interrupt), stem: &Path) -> Result<Option<()>> {
    let mut panels = Panels::new(2)
        .with_title("Figure 3: two dimensions by PCA and by LCA")
        .with_subtitle("test rows of the first split, a color a class");
    for set in sets {
        let rows = prepared(set, 0)?;
        let [train, test] = &rows.reduced;
        let pca = PcaConfig::new(2).fit(train.features())?.projection;
        let Some(lca) = fitted(Lca::new().into(), 2, train, place)? else { return Ok(None) };
        let drawn: Vec<usize> =
            (0..test.rows()).step_by(test.rows().div_ceil(DRAWN).max(1)).collect();
        let test = test.select(&drawn);
        let by_lca = Features::from_tensor(lca.transform(test.features())?)?;
        for (name, places) in [("PCA", pca.apply(test.features())?), ("LCA", by_lca)] {
            let points: Vec<[f64; 2]> =
                (0..places.rows()).map(|row| [places.row(row)[0], places.row(row)[1]]).collect();
            let scatter = Scatter::by_class(&points, test.labels(), test.class_names())
                .with_title(format!("{}, {name}", set.record.name))
                .without_legend();
            panels = panels.with(scatter);
        }
    }
    panels.figure()?.write(stem)?;
    Ok(Some(()))
}
