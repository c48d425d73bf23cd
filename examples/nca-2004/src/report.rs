//! The report: the tables and figures of a run, and what a reader must know of them.

use std::collections::BTreeMap;

use anyhow::Result;
use burn_nca_figures::{Bars, Figure, Panels, Plot};
use burn_nca_learn::fit::Termination;
use burn_nca_program::number::duration;

use crate::document::{Block, Document, Row, Table};
use crate::estimate::Mean;
use crate::method::{Method, Panel};
use crate::peer::Peer;
use crate::results::{MeanRow, Results};

/// The part of the rows that an accuracy is taken on.
#[derive(Clone, Copy)]
enum Part {
    Test,
    Train,
}

impl Part {
    fn of(self, row: &MeanRow) -> Mean {
        match self {
            Self::Test => row.test,
            Self::Train => row.train,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Test => "1-NN accuracy on the test rows",
            Self::Train => "1-NN accuracy on the training rows, leave-one-out",
        }
    }
}

/// The report of a run, with the figures of figure 2, each with its set's name.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn report(
    results: &Results<'_>,
    peer: Option<&Peer>,
    figure_two: Vec<(String, Figure)>,
) -> Result<Document> {
    let mut blocks = vec![Block::Text(INTRODUCTION.to_string())];
    blocks.push(Block::Text(format!("Made by {} with: {}", results.program, results.command)));
    if !results.means.is_empty() {
        figure_one(results, peer, &mut blocks)?;
    }
    if !figure_two.is_empty() {
        blocks.push(Block::Heading("Figure 2: sets in two dimensions".to_string()));
        blocks.push(Block::Text(FIGURE_TWO.to_string()));
        blocks.push(Block::Table(pictures_table(results)));
    }
    for (name, figure) in figure_two {
        let row = results.pictures.iter().find(|row| row.set == name);
        let caption = row.map_or(name.clone(), |row| format!("{name}: {}", row.description));
        blocks.push(Block::Picture { figure, stem: format!("figure-2-{name}"), caption });
    }
    let title = "Neighborhood Components Analysis (2004): figures 1 and 2".to_string();
    Ok(Document { title, blocks })
}

const INTRODUCTION: &str = "The experiments of J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov, \
    Neighborhood Components Analysis, NIPS 2004. Accuracies are those of one nearest neighbor, in percent: mean \
    over splits ± standard error of the mean.";

const FIGURE_TWO: &str = "Each map is learned from one part of the rows; the points shown are the others. In the \
    titles: 1-NN accuracy on the points shown among the rows learned from, and on the latter, each left out in turn.";

fn figure_one(results: &Results<'_>, peer: Option<&Peer>, blocks: &mut Vec<Block>) -> Result<()> {
    blocks.push(Block::Heading("Figure 1: accuracy of 1-NN".to_string()));
    for (part, stem) in [(Part::Test, "figure-1-test"), (Part::Train, "figure-1-train")] {
        blocks.push(Block::Picture {
            figure: bars(results, part)?,
            stem: stem.to_string(),
            caption: format!(
                "{}; bars are means over splits, lines ± one standard error.",
                part.words()
            ),
        });
        for panel in [Panel::Square, Panel::RankTwo] {
            blocks.push(Block::Text(format!("{}: {}, %.", panel.title(), part.words())));
            blocks.push(Block::Table(accuracies(results, panel, part)));
        }
    }
    blocks.push(Block::Heading("Paired differences".to_string()));
    blocks.push(Block::Text(PAIRED.to_string()));
    blocks.push(Block::Table(differences(results)));
    if let Some(peer) = peer {
        blocks.push(Block::Text(format!(
            "The same against NCA of {} {}, on the same splits.",
            peer.program, peer.version
        )));
        blocks.push(Block::Table(beside_peer(results)));
    }
    blocks.push(Block::Heading("Sets and time".to_string()));
    blocks.push(Block::Table(sets(results)));
    blocks.push(Block::Heading("Protocol".to_string()));
    blocks.push(Block::List(remarks(results)));
    Ok(())
}

const PAIRED: &str = "Differences of test accuracy on the same split, percent points: mean over splits ± standard \
    error. A positive number speaks for the first of the two.";

fn bars(results: &Results<'_>, part: Part) -> Result<Figure> {
    let sets: Vec<&str> = results.measurements.sets.iter().map(|set| set.name.as_str()).collect();
    let lowest = results.means.iter().map(|row| 100.0 * part.of(row).mean).fold(100.0, f64::min);
    let low = (10.0 * ((lowest - 5.0) / 10.0).floor()).max(0.0);
    let mut panels = Panels::new(1);
    for panel in [Panel::Square, Panel::RankTwo] {
        let mut bars =
            Bars::new(&sets, "accuracy, %").with_title(panel.title()).with_range(low, 100.0);
        for method in panel.methods() {
            let means = sets.iter().map(|set| results.mean(set, method));
            let series: Vec<_> = means.map(|row| row.map(|row| part.of(row).bar())).collect();
            bars = bars.with_series(method.name(), &series);
        }
        panels = panels.with(bars);
    }
    Ok(panels.with_title(part.words()).figure()?)
}

fn accuracies(results: &Results<'_>, panel: Panel, part: Part) -> Table {
    let methods: Vec<Method> = panel.methods().collect();
    let rows = results.measurements.sets.iter().map(|set| {
        let cells = methods.iter().map(|method| {
            let mean = results.mean(&set.name, *method).map(|row| part.of(row));
            (mean.map_or_else(dash, |mean| mean.percent()), mean.map(|mean| mean.mean))
        });
        Row::with_greatest(&set.name, cells.collect())
    });
    Table { head: head("set", methods.iter().map(|method| method.name())), rows: rows.collect() }
}

fn differences(results: &Results<'_>) -> Table {
    let pairs = [
        (Method::NcaSquare, Method::Euclidean),
        (Method::NcaDiagonal, Method::Euclidean),
        (Method::NcaSquare, Method::Rca),
        (Method::NcaRankTwo, Method::Lda),
        (Method::NcaRankTwo, Method::Pca),
    ];
    let names = pairs.map(|(one, other)| {
        let rank = if one.panel() == Panel::RankTwo { ", rank 2" } else { "" };
        format!("{} − {}{rank}", one.name(), other.name())
    });
    let rows = results.measurements.sets.iter().map(|set| {
        let cells = pairs.iter().map(|(one, other)| {
            let mean = results.difference(&set.name, *one, *other);
            mean.map_or_else(dash, |mean| mean.points())
        });
        Row::plain(std::iter::once(set.name.clone()).chain(cells).collect())
    });
    Table { head: head("set", names.iter().map(String::as_str)), rows: rows.collect() }
}

fn beside_peer(results: &Results<'_>) -> Table {
    let columns = ["test, theirs", "test, ours − theirs", "train, ours − theirs"];
    let rows = results.paired.iter().map(|pairing| {
        let name = format!("{}, {}", pairing.set, pairing.method.panel().title());
        Row::plain(vec![
            name,
            pairing.their_test.percent(),
            pairing.test.points(),
            pairing.train.points(),
        ])
    });
    Table { head: head("set", columns.into_iter()), rows: rows.collect() }
}

fn sets(results: &Results<'_>) -> Table {
    let columns =
        ["rows", "features", "classes", "train/test", "splits", "rows from", "splits from"];
    let times = ["NCA, square", "diagonal", "rank 2"];
    let methods = [Method::NcaSquare, Method::NcaDiagonal, Method::NcaRankTwo];
    let rows = results.measurements.sets.iter().map(|set| {
        let seconds = methods.map(|method| {
            let row = results.mean(&set.name, method);
            row.map_or_else(dash, |row| duration(row.seconds.mean))
        });
        let mut cells = vec![
            set.name.clone(),
            set.rows.to_string(),
            set.features.to_string(),
            set.classes.to_string(),
            format!("{}/{}", set.train_rows, set.test_rows),
            set.test_row_sums.len().to_string(),
            set.source.split(',').next().unwrap_or_default().to_string(),
            set.splits_from.clone(),
        ];
        cells.extend(seconds);
        Row::plain(cells)
    });
    Table { head: head("set", columns.into_iter().chain(times)), rows: rows.collect() }
}

fn pictures_table(results: &Results<'_>) -> Table {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let rows = results.pictures.iter().map(|picture| {
        let cells = picture.reached.iter().map(|reached| {
            let words = format!("{} (train {})", percent(reached.test), percent(reached.train));
            (words, Some(reached.test))
        });
        Row::with_greatest(&picture.set, cells.collect())
    });
    let methods = results.pictures.first().map_or(&[][..], |picture| &picture.reached);
    Table {
        head: head("set", methods.iter().map(|reached| reached.method.name())),
        rows: rows.collect(),
    }
}

/// What a reader must know, and what happened on the way.
fn remarks(results: &Results<'_>) -> Vec<String> {
    let mut remarks: Vec<String> = PROTOCOL.iter().map(|remark| (*remark).to_string()).collect();
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for cell in &results.measurements.cells {
        let limit = cell.fit.as_ref().filter(|fit| fit.termination == Termination::MaxIterations);
        let limit =
            limit.map(|fit| format!("stopped by the limit of {} iterations", fit.iterations));
        for remark in cell.remark.iter().cloned().chain(limit) {
            let name = format!("{}, {}", cell.method.panel().title(), cell.method.name());
            *counts.entry((&cell.set, format!("{name}: {remark}"))).or_default() += 1;
        }
    }
    remarks.extend(
        counts
            .into_iter()
            .map(|((set, remark), count)| format!("{set}, {remark} ({count} of the splits)")),
    );
    remarks
}

const PROTOCOL: [&str; 6] = [
    "Features are standardized with the mean and deviation of a split's training rows; a constant column becomes \
     zero.",
    "NCA maximizes f, the sum of p_i, by L-BFGS in 64-bit numbers with scikit-learn's stopping rule, from the \
     identity (square A, diagonal A), and from LDA (or from PCA for two classes) in two dimensions. There is no \
     penalty and nothing is held out: what is shown is the paper's method, not the program's best.",
    "Whitening and RCA drop directions below 1e-8 of the largest variance. RCA takes the classes as chunklets.",
    "LDA has at most one dimension fewer than classes: one for ionosphere. Its directions have unit variance within \
     the classes (as in scikit-learn); RCA after it can then only rotate, and the two agree up to ties. Directions in \
     which the classes differ without variance inside them are dropped, as scikit-learn's solver svd does.",
    "Equal distances go to the lower row. On balance, whose rows are a grid, a Euclidean nearest neighbor is seldom \
     unique: programs that let rounding decide differ there by more than the standard error.",
    "Seconds are those of one core; several fits ran at once.",
];

fn head<'a>(first: &'a str, others: impl Iterator<Item = &'a str>) -> Vec<String> {
    std::iter::once(first).chain(others).map(String::from).collect()
}

fn dash() -> String {
    "–".to_string()
}
