//! One run: sets, cells, and the folder that they go to.

use anyhow::{Result, bail};
use burn_nca_learn::device;
use burn_nca_program::{
    Bar, Interrupt, RunFolder, Terminal, command_line, plain_table, print, write_file,
};

use crate::arguments::Arguments;
use crate::cell::measure;
use crate::method::Method;
use crate::reduce::prepared;
use crate::report::{PROGRAM, Results};
use crate::sets::{Limits, Set, load};
use crate::store::Store;

/// The cells of an interrupted run.
const CHECKPOINT: &str = "checkpoint.json";

/// The text next to the bar of work.
const BAR: &str = "{bar:24} {pos}/{len}  {msg}";

/// Measures the table again, and writes a folder with the report, its figure and all numbers.
///
/// # Errors
/// Files that cannot be used, a folder that exists, or a run that was interrupted.
pub fn run(args: &Arguments) -> Result<()> {
    let interrupt = Interrupt::listen("step")?;
    let limits = Limits { splits: args.splits, rows: args.rows };
    let sets = load(&args.sets, args.data.as_deref(), limits)?;
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let mut store = Store::open(folder.file(CHECKPOINT), &sets)?;
    let methods = if args.methods.is_empty() { &Method::ALL[..] } else { &args.methods[..] };
    let total: usize = sets.iter().map(|set| set.splits.len() * methods.len()).sum();
    let bar = Bar::new(BAR, args.quiet).with_length(total);
    let device = device::open("cpu")?;
    let mut done = 0;
    for (set, split) in smallest_first(&sets) {
        let name = &set.record.name;
        let missing =
            |store: &Store| methods.iter().copied().find(|method| !store.has(name, split, *method));
        done += methods.iter().filter(|method| store.has(name, split, **method)).count();
        if missing(&store).is_none() {
            continue;
        }
        let rows = prepared(set, split)?;
        while let Some(method) = missing(&store) {
            bar.step(done, format!("{name} {} (split {split})", method.name()));
            let cell = measure((set, split, method), &rows, (&device, &interrupt))?;
            let Some(cell) = cell.filter(|_| !interrupt.is_set()) else {
                let command = command_line(PROGRAM);
                bail!(
                    "interrupted after {done} of {total} fits; resume it with: {command} --resume"
                );
            };
            store.add(cell)?;
            done += 1;
        }
    }
    bar.finish();
    let measurements = store.into_measurements();
    let results = Results::new(&measurements);
    results.figure()?.write(&folder.file("table-1"))?;
    results.figure_five()?.write(&folder.file("figure-5"))?;
    write_file(&folder.file("results.json"), &serde_json::to_vec_pretty(&results)?)?;
    write_file(&folder.file("REPORT.md"), results.markdown().as_bytes())?;
    folder.finish()?;
    let table = plain_table(Results::head(), results.rows(), Terminal::PLAIN);
    print(&format!(
        "{table}\nTest error of 3-NN, %: mean over splits ± standard error (as printed in the paper)\n\
         report: {}\n",
        args.out.join("REPORT.md").display()
    ))
}

/// The splits of all sets, those of few rows first: a first look soon, and little lost if a file is in error.
fn smallest_first(sets: &[Set]) -> Vec<(&Set, usize)> {
    let mut splits: Vec<(&Set, usize)> =
        sets.iter().flat_map(|set| (0..set.splits.len()).map(move |split| (set, split))).collect();
    splits.sort_by_key(|(set, _)| set.record.train_rows * set.record.features);
    splits
}
