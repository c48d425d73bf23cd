//! Long tasks on threads of their own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

/// What `work` gives for each item, in their order: as many at a time as the pool has threads. Each computes in a pool of its own,
/// of one thread; what is left over, less than there are threads, divides them.
///
/// A thread of a pool that waits in one task takes up the next: what long tasks share, such as the generator of a device, then
/// stands still. So they have pools of their own, unless the caller is of a pool itself. In a pool, because an operation that is
/// called from another thread is handed over, and its memory given back by a thread that did not ask for it.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    let of_pool = rayon::current_num_threads();
    let threads = of_pool.min(items.len());
    if threads < 2 || rayon::current_thread_index().is_some() {
        return in_pool(items, work);
    }
    let left_over = items.len() % of_pool;
    let alone = items.len() - left_over;
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let threads = if at < alone { 1 } else { of_pool / left_over };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let result = pool.map_or_else(|_| work(item), |pool| pool.install(|| work(item)));
            done.lock().expect("a task that panicked ends the scope").push((at, result));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(some)));
        some();
    });
    in_order(done.into_inner().expect("a task that panicked ends the scope"))
}

/// The same by the threads of the pool, for tasks that share nothing; they are begun in their order too.
pub fn in_pool<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Send + Sync) -> Vec<R> {
    let numbered = items.iter().enumerate().par_bridge();
    in_order(numbered.map(|(at, item)| (at, work(item))).collect())
}

fn in_order<R>(mut done: Vec<(usize, R)>) -> Vec<R> {
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        let squares: Vec<usize> = items.iter().map(|item| item * item).collect();
        assert_eq!(side_by_side(&items, |item| item * item), squares);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(pool.install(|| side_by_side(&items, |item| item * item)), squares);
        assert_eq!(in_pool(&items, |item| item * item), squares);
        assert!(side_by_side(&[] as &[usize], |item| item * item).is_empty());
    }
}
