//! Figures 2 and 4: the error of classifiers and of 3-NN against the number of dimensions; figure 3: rows in two of them.

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::baseline::{LdaConfig, PcaConfig, Projection};
use burn_nca_learn::data::{Labeled, ScalingKind, TensorFeatures};
use burn_nca_learn::device;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::evaluate::{Accuracy, Embedded, held_out_accuracy, leave_one_out_accuracy};
use burn_nca_learn::fit::{FitConfig, FitSession, Progress, Termination};
use burn_nca_learn::method::{AnyMethod, Lca, LcaClassifier};
use burn_nca_program::{
    Bar, Cells, Interrupt, RunFolder, Terminal, command_line, plain_table, print, write_file,
};
use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::draw;
use crate::gaussian::Gaussians;
use crate::method::NEIGHBORS;
use crate::reduce::{Prepared, prepared};
use crate::report::PROGRAM;
use crate::sets::{Limits, Set, load};
use crate::store::Sets;

/// The points of an interrupted run.
const CHECKPOINT: &str = "figures-checkpoint.json";

/// The dimensions of figures 2 and 4.
pub const DIMENSIONS: [usize; 7] = [2, 4, 8, 16, 32, 64, 128];

/// The sets of the paper's figures.
const FIRST_FOUR: [&str; 4] = ["mnist", "bbc", "classic4", "isolet"];

/// A line of figure 2 or 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// Gaussians on the principal components.
    PcaGaussians,
    /// Gaussians whose covariances are those of p factors.
    FactorGaussians,
    /// Gaussians on linear discriminants.
    LdaGaussians,
    /// LCA's classifier, a map per class (section 3.1).
    Lca,
    /// 3-NN of the principal components: of figure 4, as the next.
    PcaNeighbors,
    /// 3-NN of LCA's metric (section 3.2).
    LcaNeighbors,
}

impl Line {
    const ALL: [Self; 6] = [
        Self::PcaGaussians,
        Self::FactorGaussians,
        Self::LdaGaussians,
        Self::PcaNeighbors,
        Self::Lca,
        Self::LcaNeighbors,
    ];

    /// The lines of figure 2.
    pub const CLASSIFIERS: [Self; 4] =
        [Self::PcaGaussians, Self::FactorGaussians, Self::LdaGaussians, Self::Lca];

    /// The lines of figure 4.
    pub const NEIGHBORS: [Self; 2] = [Self::PcaNeighbors, Self::LcaNeighbors];

    /// Its name in legends and in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::PcaGaussians => "PCA, Gaussians",
            Self::FactorGaussians => "Factor analyzers",
            Self::LdaGaussians => "LDA, Gaussians",
            Self::Lca => "LCA",
            Self::PcaNeighbors => "PCA, 3-NN",
            Self::LcaNeighbors => "LCA, 3-NN",
        }
    }
}

/// A point of figure 2 or 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    set: String,
    split: usize,
    line: Line,
    /// Dimensions p.
    dimension: usize,
    /// Share of the test rows that are classified wrongly.
    error: f64,
    /// Share of the training rows that 3-NN among the others classifies wrongly.
    training_error: Option<f64>,
    seconds: f64,
}

/// The errors of a point: of the test rows, and of the training rows where the figure has them.
type Errors = (f64, Option<f64>);

/// The points of a run.
pub struct Points(Vec<Point>);

impl Points {
    /// The mean errors over splits, in percent.
    pub fn mean(&self, set: &str, line: Line, dimension: usize) -> Option<Errors> {
        let of = |point: &&Point| {
            (point.set.as_str(), point.line, point.dimension) == (set, line, dimension)
        };
        let points: Vec<&Point> = self.0.iter().filter(of).collect();
        let mean = |error: &dyn Fn(&Point) -> Option<f64>| -> Option<f64> {
            let errors: Option<Vec<f64>> = points.iter().map(|point| error(point)).collect();
            let errors = errors.filter(|errors| !errors.is_empty())?;
            Some(100.0 * errors.iter().sum::<f64>() / errors.len() as f64)
        };
        Some((mean(&|point| Some(point.error))?, mean(&|point| point.training_error)))
    }
}

/// `figures.json`: all points, and their means over splits.
#[derive(Serialize)]
struct Results<'a> {
    experiment: &'static str,
    program: String,
    command: String,
    points: &'a [Point],
}

/// Measures figures 2 and 4, draws them and figure 3, and writes a folder with all and their numbers.
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
            let errors = errors(line, dimension, &rows, place)
                .with_context(|| format!("the set {name}, split {split}, {}", line.name()))?;
            let Some((error, training_error)) = errors.filter(|_| !interrupt.is_set()) else {
                bail!("interrupted; resume it with: {} --resume", command_line(PROGRAM));
            };
            let seconds = started.elapsed().as_secs_f64();
            store.add(Point {
                set: name.clone(),
                split: *split,
                line,
                dimension,
                error,
                training_error,
                seconds,
            })?;
        }
    }
    bar.finish();
    let (_, points) = store.into_parts();
    let points = Points(points);
    draw::figure_two(&sets, &points, &folder.file("figure-2"))?;
    draw::figure_four(&sets, &points, &folder.file("figure-4"))?;
    let Some(()) = draw::figure_three(&sets, place, &folder.file("figure-3"))? else {
        bail!("interrupted; resume it with: {} --resume", command_line(PROGRAM));
    };
    let results = Results {
        experiment: "lca-2012-figures",
        program: format!("burn-nca {}", env!("CARGO_PKG_VERSION")),
        command: command_line(PROGRAM),
        points: &points.0,
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
        _ => d,
    };
    let of_line = |line: Line| {
        DIMENSIONS.into_iter().filter(move |p| *p <= most(line)).map(move |p| (line, p))
    };
    // The cheap ones first.
    Line::ALL.into_iter().flat_map(of_line).collect()
}

/// The errors of a line; `None` where the user stopped it.
fn errors(
    line: Line,
    dimension: usize,
    rows: &Prepared,
    place: (&Device, &Interrupt),
) -> Result<Option<Errors>> {
    let [train, test] = &rows.reduced;
    let pca = || -> Result<Projection> {
        Ok(PcaConfig::new(dimension).fit(train.features())?.projection)
    };
    let by_gaussians = |map: &Projection| -> Result<Vec<usize>> {
        let embedded = train.with_features(map.apply(train.features())?)?;
        Ok(Gaussians::fit(&embedded)?.predict(&map.apply(test.features())?))
    };
    let predicted = match line {
        Line::PcaGaussians => by_gaussians(&pca()?)?,
        Line::FactorGaussians => Gaussians::of_factors(train, dimension)?.predict(test.features()),
        Line::LdaGaussians => by_gaussians(&LdaConfig::new(dimension).fit(train)?.projection)?,
        Line::Lca => match fitted(LcaClassifier::new().into(), dimension, train, place)? {
            Some(fitted) => fitted.predict(test.features(), 1)?,
            None => return Ok(None),
        },
        Line::PcaNeighbors => {
            let pca = pca()?;
            let part = |part: &Labeled| -> Result<Tensor<2>> {
                Ok(pca.apply(part.features())?.to_tensor(place.0, DType::F64))
            };
            return by_neighbors(rows, [part(train)?, part(test)?]).map(Some);
        }
        Line::LcaNeighbors => {
            let Some(fitted) = fitted(Lca::new().into(), dimension, train, place)? else {
                return Ok(None);
            };
            let part = |part: &Labeled| fitted.transform(part.features());
            return by_neighbors(rows, [part(train)?, part(test)?]).map(Some);
        }
    };
    let accuracy = Accuracy::of(&predicted, test.labels())?.value();
    Ok(Some((1.0 - accuracy.context("there is no test row")?, None)))
}

/// The errors of 3-NN: of the test rows, and of each training row by the others.
fn by_neighbors(rows: &Prepared, points: [Tensor<2>; 2]) -> Result<Errors> {
    let [train, test] =
        [0, 1].map(|part| Embedded::new(&points[part], rows.reduced[part].labels()));
    let error = held_out_accuracy(train, test, NEIGHBORS)?.value();
    let of_training = leave_one_out_accuracy(train, NEIGHBORS)?.value();
    Ok((1.0 - error.context("there is no test row")?, of_training.map(|value| 1.0 - value)))
}

/// A model of these rows; `None` where the user stopped it.
pub fn fitted(
    method: AnyMethod,
    dimension: usize,
    train: &Labeled,
    place: (&Device, &Interrupt),
) -> Result<Option<burn_nca_learn::Fitted>> {
    fitted_by(FitConfig::new(), method, dimension, train, place)
}

/// The same with these settings, of the features as they are.
pub fn fitted_by(
    fit: FitConfig,
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
        .with_fit(fit.with_scaling(ScalingKind::None))
        .fit_session(train, device, FitSession::new().with_progress(&mut watch))?;
    Ok(Some(fitted).filter(|fitted| fitted.summary().termination != Termination::Stopped))
}

fn table(sets: &[Set], points: &Points) -> Vec<Vec<String>> {
    let row = |set: &Set, p: usize| {
        let cell = |line| points.mean(&set.record.name, line, p);
        let cells = Line::ALL.map(cell);
        cells.iter().any(Option::is_some).then(|| {
            let cells =
                cells.map(|cell| cell.map_or("–".into(), |(error, _)| format!("{error:.2}")));
            [set.record.name.clone(), p.to_string()].into_iter().chain(cells).collect()
        })
    };
    sets.iter().flat_map(|set| DIMENSIONS.into_iter().filter_map(move |p| row(set, p))).collect()
}
