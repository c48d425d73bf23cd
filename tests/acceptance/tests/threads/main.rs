//! The same bits on any number of threads: fits by every method, and what surrounds a fit.
//!
//! A process of its own: another test may draw from the generator of the device, which all of a process share.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod closed_forms;
mod methods;
mod neighbors;
mod tuning;

/// What `work` gives on one thread, which must be what it gives on two, on many, and where the caller is of no pool.
///
/// # Panics
/// If it is not.
pub fn same_on_any_threads<T: PartialEq + Send>(what: &str, work: impl Fn() -> T + Sync) -> T {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    };
    let one = on(1);
    for threads in [2, 64] {
        // No `assert_eq`: all numbers would be printed.
        assert!(one == on(threads), "{what}: 1 and {threads} threads differ");
    }
    assert!(one == work(), "{what}: 1 thread and the threads of the program differ");
    one
}

/// The bits of each number.
pub fn bits(numbers: impl IntoIterator<Item = f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}
