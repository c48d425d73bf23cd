//! One run: sets, cells, pictures, and the folder that they go to.

use std::path::Path;

use anyhow::{Result, bail};
use burn::tensor::Device;
use burn_nca_figures::{Figure, Panels, Plot};
use burn_nca_learn::device;
use burn_nca_program::{
    Bar, Interrupt, RunFolder, Terminal, command_line, plain_table, print, write_file,
};

use crate::arguments::{Arguments, Format};
use crate::cell::Job;
use crate::document::{Block, Document};
use crate::method::{Method, Panel};
use crate::peer::Peer;
use crate::results::{PROGRAM, PictureRow, Results};
use crate::sets::{Choice, Set};
use crate::store::{Measurements, Store};
use crate::{pictures, report, sets, workers};

/// The cells of an interrupted run.
const CHECKPOINT: &str = "checkpoint.json";

/// The text next to the bar of work.
const BAR: &str = "{bar:24} {percent} %  {msg}  about {eta} left";

/// Measures the experiments again, and writes a folder with the report, its figures and all numbers.
///
/// # Errors
/// Files that cannot be used, a folder that exists, or a run that was interrupted.
pub fn run(args: &Arguments) -> Result<()> {
    let choice = Choice::new(&args.sets);
    let data = args.data.as_deref();
    let interrupt = Interrupt::listen("step")?;
    let sets = sets::load(&choice, data, args.splits)?;
    let subjects = pictures::subjects(&choice, data)?;
    let peer = args.peer.as_deref().map(Peer::read).transpose()?;
    if let Some(peer) = &peer {
        peer.check(sets.iter().map(|set| &set.record))?;
    }
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let store = Store::open(folder.file(CHECKPOINT), &sets)?;
    let place = (&device::open("cpu")?, &interrupt);
    let measurements = measure(args, &sets, store, place)?;
    let drawn = draw(&subjects, place)?;
    let Some(drawn) = drawn else { bail!(interrupted("while the pictures were drawn")) };
    let (pictures, panels): (Vec<_>, Vec<_>) = drawn.into_iter().unzip();
    let threads = args.threads.unwrap_or_else(workers::all_cores);
    let results = Results::new(&measurements, peer.as_ref(), pictures, threads);
    let figures = figure_two(&folder, &results, panels)?;
    let report = report::report(&results, peer.as_ref(), figures)?;
    write(&folder, &results, &report)?;
    folder.finish()?;
    match args.format {
        Format::Table => print(&summary(&results, &args.out)),
        Format::Json => print(&format!("{}\n", serde_json::to_string_pretty(&results)?)),
    }
}

fn interrupted(place: &str) -> String {
    format!("interrupted {place}; resume it with: {} --resume", command_line(PROGRAM))
}

/// Measures every cell that is not there yet.
fn measure(
    args: &Arguments,
    sets: &[Set],
    mut store: Store,
    place: (&Device, &Interrupt),
) -> Result<Measurements> {
    let methods = if args.methods.is_empty() { &Method::ALL[..] } else { &args.methods[..] };
    let all = sets.iter().flat_map(|set| jobs(set, methods));
    let mut jobs: Vec<Job<'_>> = all.filter(|job| !store.has(job)).collect();
    let total: usize = sets.iter().map(|set| set.splits.len() * methods.len()).sum();
    // The cheap ones first: a first look soon, and little lost if there is an error in the dear ones' files.
    jobs.sort_by_key(Job::cost);
    // The bar counts work, as some fits take ten thousand times as long as others.
    let bar = Bar::new(BAR, args.quiet).with_length(jobs.iter().map(Job::cost).sum());
    let mut spent = 0;
    let mut done = total - jobs.len();
    let threads = args.threads.unwrap_or_else(workers::all_cores);
    workers::run(&jobs, threads, place, |job, cell| {
        done += 1;
        spent += job.cost();
        bar.step(spent, format!("{done}/{total}  {} {}", cell.set, job.method.name()));
        store.add(cell)
    })?;
    bar.finish();
    if done < total {
        bail!(interrupted(&format!("after {done} of {total} fits")));
    }
    Ok(store.into_measurements())
}

fn jobs<'s>(set: &'s Set, methods: &'s [Method]) -> impl Iterator<Item = Job<'s>> {
    let of_split = move |split| methods.iter().map(move |&method| Job { set, split, method });
    (0..set.splits.len()).flat_map(of_split)
}

/// The sets of figure 2; `None` where the user stopped it.
fn draw(
    subjects: &[pictures::Subject],
    (device, interrupt): (&Device, &Interrupt),
) -> Result<Option<Vec<(PictureRow, Panels)>>> {
    let mut drawn = Vec::new();
    for subject in subjects {
        let picture = if interrupt.is_set() { None } else { subject.draw(device, interrupt)? };
        let Some(picture) = picture else { return Ok(None) };
        let row = PictureRow {
            set: subject.name.to_string(),
            description: subject.description.clone(),
            reached: picture.reached,
        };
        drawn.push((row, picture.panels));
    }
    Ok(Some(drawn))
}

/// The figure of each set, and one of all sets that is written at once.
fn figure_two(
    folder: &RunFolder,
    results: &Results<'_>,
    panels: Vec<Panels>,
) -> Result<Vec<(String, Figure)>> {
    let mut figures = Vec::new();
    let mut all = Panels::new(1);
    for (row, panels) in results.pictures.iter().zip(panels) {
        figures.push((row.set.clone(), panels.figure()?));
        all = all.with(panels);
    }
    if !figures.is_empty() {
        all.figure()?.write(&folder.file("figure-2"))?;
    }
    Ok(figures)
}

fn write(folder: &RunFolder, results: &Results<'_>, report: &Document) -> Result<()> {
    for block in &report.blocks {
        if let Block::Picture { figure, stem, .. } = block {
            figure.write(&folder.file(stem))?;
        }
    }
    write_file(&folder.file("results.json"), &serde_json::to_vec_pretty(results)?)?;
    write_file(&folder.file("REPORT.md"), report.markdown().as_bytes())?;
    write_file(&folder.file("report.html"), report.page().as_bytes())
}

/// The test accuracies, for a terminal.
fn summary(results: &Results<'_>, out: &Path) -> String {
    let mut text = String::new();
    for panel in [Panel::Square, Panel::RankTwo] {
        let methods: Vec<Method> = panel.methods().collect();
        let rows = results.measurements.sets.iter().map(|set| {
            let means = methods.iter().map(|method| {
                let row = results.mean(&set.name, *method);
                row.map_or_else(String::new, |row| row.test.percent())
            });
            std::iter::once(set.name.clone()).chain(means).collect()
        });
        let names = methods.iter().map(|method| method.name().to_string());
        let head = std::iter::once(panel.title().to_string()).chain(names).collect();
        if !results.measurements.sets.is_empty() {
            text.push_str(&format!("{}\n", plain_table(head, rows.collect(), Terminal::PLAIN)));
        }
    }
    if !text.is_empty() {
        text.push_str("1-NN accuracy on the test rows, %: mean over splits ± standard error\n");
    }
    format!("{text}report: {}\n", out.join("report.html").display())
}
