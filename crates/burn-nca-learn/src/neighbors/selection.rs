//! The smallest entries of a row of numbers.

/// Entries looked at together: one comparison of their minimum skips all of them.
const LANES: usize = 64;

/// Where the `k` smallest of `values` are, in no order; values that are infinite are never taken.
pub(super) fn k_smallest(values: &[f32], k: usize) -> Vec<u32> {
    let capacity = (4 * k).max(128);
    let mut held: Vec<(f32, u32)> = Vec::with_capacity(capacity + LANES);
    let mut limit = f32::INFINITY;
    for (chunk, lanes) in values.chunks(LANES).enumerate() {
        if minimum(lanes) >= limit {
            continue;
        }
        for (lane, &value) in lanes.iter().enumerate() {
            if value < limit {
                held.push((value, (chunk * LANES + lane) as u32));
            }
        }
        if held.len() >= capacity {
            limit = keep_smallest(&mut held, k);
        }
    }
    if held.len() > k {
        keep_smallest(&mut held, k);
    }
    held.into_iter().map(|(_, at)| at).collect()
}

/// Where the values of at most `limit` are, ascending by position.
pub(super) fn at_most(values: &[f32], limit: f32) -> Vec<u32> {
    let mut found = Vec::new();
    for (chunk, lanes) in values.chunks(LANES).enumerate() {
        if minimum(lanes) > limit {
            continue;
        }
        for (lane, &value) in lanes.iter().enumerate() {
            if value <= limit {
                found.push((chunk * LANES + lane) as u32);
            }
        }
    }
    found
}

/// Shortens `held` to its `k` smallest pairs and returns the largest value among them.
fn keep_smallest(held: &mut Vec<(f32, u32)>, k: usize) -> f32 {
    let (_, kth, _) = held.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0));
    let limit = kth.0;
    held.truncate(k);
    limit
}

/// The minimum, eight lanes at a time: a single running minimum is one long chain of dependent steps.
fn minimum(values: &[f32]) -> f32 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut least = [f32::INFINITY; 8];
    for eight in eights {
        for (least, &value) in least.iter_mut().zip(eight) {
            *least = smaller(*least, value);
        }
    }
    rest.iter().chain(&least).copied().fold(f32::INFINITY, smaller)
}

/// A comparison, unlike `f32::min`, becomes one vector instruction; there is no NaN here.
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
