//! Jobs on all cores, one core a job.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};
use burn::tensor::Device;
use burn_nca_program::Interrupt;

use crate::cell::{Cell, Job};

/// Runs jobs on `threads` threads and hands each cell over as it ends, until all are done or the user stops.
///
/// A job keeps to its own thread: its seconds are those of one core, and are not mixed with another job's.
///
/// # Errors
/// The first failure of a job or of `done`; what runs then is finished and dropped.
pub fn run(
    jobs: &[Job<'_>],
    threads: usize,
    (device, interrupt): (&Device, &Interrupt),
    mut done: impl FnMut(&Job<'_>, Cell) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        // Dropped at the first failure, which tells the threads to stop.
        let (results, received) = mpsc::channel();
        for _ in 0..threads.min(jobs.len()) {
            let (results, next) = (results.clone(), &next);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.context("a thread cannot be started")?;
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if interrupt.is_set() {
                        return;
                    }
                    let result = pool.install(|| job.run(device, interrupt));
                    if results.send((job, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(results);
        for (job, result) in received {
            if let Some(cell) = result? {
                done(job, cell)?;
            }
        }
        Ok(())
    })
}

/// The number of threads where the user names none.
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
