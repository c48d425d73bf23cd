//! One run: all cells, kept after each, and the folder that the results go to.

use anyhow::{Result, bail};
use burn_nca_learn::device;
use burn_nca_program::{Bar, Cells, Interrupt, RunFolder, command_line, print, write_file};

use crate::Arguments;
use crate::cell::{Cell, Job};
use crate::report;
use crate::results::{PROGRAM, Results};

/// The cells of an interrupted run.
const CHECKPOINT: &str = "checkpoint.json";

/// Measures the figures again, and writes a folder with the report, its figures and all numbers.
///
/// # Errors
/// Files that cannot be used, a folder that exists, or a run that was interrupted.
pub fn run(args: &Arguments) -> Result<()> {
    let interrupt = Interrupt::listen("point")?;
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let cells = measure(args, &folder, &interrupt)?;
    let results = Results::new(cells, args.limit_rows as usize)?;
    for (stem, figure) in report::figures(&results)? {
        figure.write(&folder.file(stem))?;
    }
    let text = report::markdown(&results);
    write_file(&folder.file("REPORT.md"), text.as_bytes())?;
    write_file(&folder.file("results.json"), &serde_json::to_vec_pretty(&results)?)?;
    folder.finish()?;
    print(&format!("{text}\nreport: {}\n", args.out.join("REPORT.md").display()))
}

/// Measures every cell that is not there yet.
fn measure(args: &Arguments, folder: &RunFolder, interrupt: &Interrupt) -> Result<Vec<Cell>> {
    let jobs = Job::all(args.seeds);
    // A cell says itself what it is of.
    let mut cells =
        Cells::open(folder.file(CHECKPOINT), (), |cell: &Cell| jobs.contains(&cell.job))?;
    let device = device::open("cpu")?;
    let bar = Bar::new("{bar:24} {percent} %  {msg}  about {eta} left", args.quiet)
        .with_length(jobs.len());
    bar.resume(cells.done().len());
    for job in &jobs {
        if cells.done().iter().any(|cell| cell.job == *job) {
            continue;
        }
        if interrupt.is_set() {
            let (done, all) = (cells.done().len(), jobs.len());
            let again = command_line(PROGRAM);
            bail!("interrupted after {done} of {all} points; resume it with: {again} --resume");
        }
        cells.add(job.run(&device)?)?;
        bar.step(cells.done().len(), format!("alpha {} of seed {}", job.correlation, job.seed));
    }
    bar.finish();
    Ok(cells.into_parts().1)
}
