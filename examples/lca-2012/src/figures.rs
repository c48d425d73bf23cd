//! Figures 2 and 3: the test error of classifiers against the number of dimensions, and rows in two of them.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use burn::tensor::Device;
use burn_nca_figures::{Curves, Panels, Plot, Scatter};
use burn_nca_learn::baseline::{LdaConfig, PcaConfig, Projection};
use burn_nca_learn::data::{Features, Labeled, ScalingKind, TensorFeatures};
use burn_nca_learn::device;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::evaluate::Accuracy;
use burn_nca_learn::fit::{FitConfig, FitSession, Progress, Termination};
use burn_nca_learn::method::{AnyMethod, Lca, LcaClassifier};
use burn_nca_program::{
    Bar, Cells, Interrupt, RunFolder, Terminal, command_line, plain_table, print, write_file,
};
use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::gaussian::Gaussians;
use crate::reduce::{Prepared, prepared};
use crate::report::PROGRAM;
use crate::sets::{Limits, Set, load};
use crate::store::Sets;

/// The points of an interrupted run.
const CHECKPOINT: &str = "figures-checkpoint.json";

/// The dimensions of figure 2.
const DIMENSIONS: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];

/// The sets of the paper's figures.
const FIRST_FOUR: [&str; 4] = ["mnist", "bbc", "classic4", "isolet"];

/// Rows of figure 3 that are drawn at most.
const DRAWN: usize = 1000;

/// A line of figure 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// Gaussians on the principal components.
    PcaGaussians,
    /// Gaussians whose covariances are those of p factors.
    FactorGaussians,
    /// Gaussians on linear discriminants.
    LdaGaussians,
    /// LCA's classifier, a map per class (section 3.1).
    Lca,
}

impl Line {
    const ALL: [Self; 4] =
        [Self::PcaGaussians, Self::FactorGaussians, Self::LdaGaussians, Self::Lca];

    fn name(self) -> &'static str {
        match self {
            Self::PcaGaussians => "PCA, Gaussians",
            Self::FactorGaussians => "Factor analyzers",
            Self::LdaGaussians => "LDA, Gaussians",
            Self::Lca => "LCA",
        }
    }
}

/// A point of figure 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    set: String,
    split: usize,
    line: Line,
    /// Dimensions p.
    dimension: usize,
    /// Share of the test rows that are classified wrongly.
    error: f64,
    seconds: f64,
}

/// `figures.json`: all points, and their means over splits.
#[derive(Serialize)]
struct Results<'a> {
    experiment: &'static str,
    program: String,
    command: String,
    points: &'a [Point],
}

/// Measures figure 2, draws figure 3, and writes a folder with both and all numbers.
///
/// # Errors
/// Files that cannot be used, a folder that exists, or a run that was interrupted.
pub fn run(args: &Arguments) -> Result<()> {
    let interrupt = Interrupt::listen("step")?;
    let limits = Limits { splits: Some(args.splits.unwrap_or(1)), rows: args.rows };
    let mut sets = load(&args.sets, args.data.as_deref(), limits)?;
    if args.sets.is_empty() && sets.iter().any(|set| FIRST_FOUR.contains(&set.plan.name)) {
        sets.retain(|set| FIRST_FOUR.contains(&set.plan.name));
    }
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let sums = Sets::of(&sets);
    let mut store: Cells<Sets, Point> = Cells::open(folder.file(CHECKPOINT), sums, |_| true)?;
    let place = (&device::open("cpu")?, &interrupt);
    let jobs: Vec<(&Set, usize)> =
        sets.iter().flat_map(|set| (0..set.splits.len()).map(move |split| (set, split))).collect();
    let bar = Bar::new("{bar:24} {pos}/{len}  {msg}", args.quiet)
        .with_length(jobs.len() * Line::ALL.len() * DIMENSIONS.len());
    for (at, (set, split)) in jobs.iter().enumerate() {
        let rows = prepared(set, *split)?;
        for (step, (line, dimension)) in points_of(&rows).into_iter().enumerate() {
            let name = &set.record.name;
            let is = |point: &Point| {
                (point.set.as_str(), point.split, point.line, point.dimension)
                    == (name.as_str(), *split, line, dimension)
            };
            if store.done().iter().any(is) {
                continue;
            }
            let place_of_bar = at * Line::ALL.len() * DIMENSIONS.len() + step;
            bar.step(place_of_bar, format!("{name} {} to {dimension}", line.name()));
            let started = Instant::now();
            let error = error(line, dimension, &rows, place)
                .with_context(|| format!("the set {name}, split {split}, {}", line.name()))?;
            let Some(error) = error.filter(|_| !interrupt.is_set()) else {
                bail!("interrupted; resume it with: {} --resume", command_line(PROGRAM));
            };
            let seconds = started.elapsed().as_secs_f64();
            store.add(Point {
                set: name.clone(),
                split: *split,
                line,
                dimension,
                error,
                seconds,
            })?;
        }
    }
    bar.finish();
    let (_, points) = store.into_parts();
    figure_two(&sets, &points, &folder.file("figure-2"))?;
    let Some(()) = figure_three(&sets, place, &folder.file("figure-3"))? else {
        bail!("interrupted; resume it with: {} --resume", command_line(PROGRAM));
    };
    let results = Results {
        experiment: "lca-2012-figures",
        program: format!("burn-nca {}", env!("CARGO_PKG_VERSION")),
        command: command_line(PROGRAM),
        points: &points,
    };
    write_file(&folder.file("figures.json"), &serde_json::to_vec_pretty(&results)?)?;
    folder.finish()?;
    let head = ["set", "p"].into_iter().chain(Line::ALL.map(Line::name)).map(String::from);
    print(&format!(
        "{}\nTest error, %: mean over splits\nfigures: {}\n",
        plain_table(head.collect(), table(&sets, &points), Terminal::PLAIN),
        args.out.join("figure-2.svg").display()
    ))
}

/// The points of a split: each line in as many dimensions as there are.
fn points_of(rows: &Prepared) -> Vec<(Line, usize)> {
    let train = &rows.reduced[0];
    let d = train.features().columns();
    let most = |line: Line| match line {
        Line::LdaGaussians => LdaConfig::max_directions(train).min(d),
        Line::PcaGaussians | Line::FactorGaussians | Line::Lca => d,
    };
    let of_line = |line: Line| {
        DIMENSIONS.into_iter().filter(move |p| *p <= most(line)).map(move |p| (line, p))
    };
    // The cheap ones first.
    Line::ALL.into_iter().flat_map(of_line).collect()
}

/// The share of test rows that are wrong; `None` where the user stopped it.
fn error(
    line: Line,
    dimension: usize,
    rows: &Prepared,
    place: (&Device, &Interrupt),
) -> Result<Option<f64>> {
    let [train, test] = &rows.reduced;
    let by_gaussians = |map: &Projection| -> Result<Vec<usize>> {
        let embedded = train.with_features(map.apply(train.features())?)?;
        Ok(Gaussians::fit(&embedded)?.predict(&map.apply(test.features())?))
    };
    let predicted = match line {
        Line::PcaGaussians => {
            by_gaussians(&PcaConfig::new(dimension).fit(train.features())?.projection)?
        }
        Line::FactorGaussians => Gaussians::of_factors(train, dimension)?.predict(test.features()),
        Line::LdaGaussians => by_gaussians(&LdaConfig::new(dimension).fit(train)?.projection)?,
        Line::Lca => {
            let method = LcaClassifier::new().into();
            match fitted(method, dimension, train, place)? {
                Some(fitted) => fitted.predict(test.features(), 1)?,
                None => return Ok(None),
            }
        }
    };
    let accuracy = Accuracy::of(&predicted, test.labels())?.value();
    Ok(Some(1.0 - accuracy.context("there is no test row")?))
}

/// A model of these rows; `None` where the user stopped it.
fn fitted(
    method: AnyMethod,
    dimension: usize,
    train: &Labeled,
    (device, interrupt): (&Device, &Interrupt),
) -> Result<Option<burn_nca_learn::Fitted>> {
    let mut watch = |_: &Progress| match interrupt.is_set() {
        true => ControlFlow::Break(Termination::Stopped),
        false => ControlFlow::Continue(()),
    };
    let fitted = Estimator::new(train.features().columns(), dimension, method)
        .with_fit(FitConfig::new().with_scaling(ScalingKind::None))
        .fit_session(train, device, FitSession::new().with_progress(&mut watch))?;
    Ok(Some(fitted).filter(|fitted| fitted.summary().termination != Termination::Stopped))
}

/// The mean error of a line in percent.
fn mean(points: &[Point], set: &str, line: Line, dimension: usize) -> Option<f64> {
    let of = |point: &&Point| {
        (point.set.as_str(), point.line, point.dimension) == (set, line, dimension)
    };
    let errors: Vec<f64> = points.iter().filter(of).map(|point| 100.0 * point.error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

fn table(sets: &[Set], points: &[Point]) -> Vec<Vec<String>> {
    let row = |set: &Set, p: usize| {
        let cell = |line| mean(points, &set.record.name, line, p);
        let cells = Line::ALL.map(cell);
        cells.iter().any(Option::is_some).then(|| {
            let cells = cells.map(|cell| cell.map_or("–".into(), |error| format!("{error:.2}")));
            [set.record.name.clone(), p.to_string()].into_iter().chain(cells).collect()
        })
    };
    sets.iter().flat_map(|set| DIMENSIONS.into_iter().filter_map(move |p| row(set, p))).collect()
}

/// A panel per set; the dimensions as powers of 2, each as far from the next.
fn figure_two(sets: &[Set], points: &[Point], stem: &Path) -> Result<()> {
    let mut panels =
        Panels::new(sets.len().min(2)).with_title("Figure 2: test error against dimensions");
    let ticks: Vec<(f64, String)> = DIMENSIONS.map(|p| ((p as f64).log2(), p.to_string())).into();
    for set in sets {
        let name = &set.record.name;
        let mut curves = Curves::new("dimensions p", "test error, %")
            .with_title(name)
            .with_x_ticks(ticks.clone());
        for line in Line::ALL {
            let places = DIMENSIONS
                .into_iter()
                .filter_map(|p| Some([(p as f64).log2(), mean(points, name, line, p)?]));
            let places: Vec<[f64; 2]> = places.collect();
            if !places.is_empty() {
                curves = curves.with_line(line.name(), &places);
            }
        }
        panels = panels.with(curves);
    }
    panels.figure()?.write(stem)?;
    Ok(())
}

/// Test rows of the first split of each set in two dimensions, by PCA and by the metric of LCA; `None` where the user
/// stopped it.
fn figure_three(sets: &[Set], place: (&Device, &Interrupt), stem: &Path) -> Result<Option<()>> {
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
