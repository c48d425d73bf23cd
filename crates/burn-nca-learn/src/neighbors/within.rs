//! All references within a distance of each query.

use std::sync::atomic::{AtomicUsize, Ordering};

use burn::tensor::Device;

use super::candidate_filter::CandidateFilter;
use super::points::Points;
use super::selection::at_most;

/// The references within the squared distance `sq_radii[i]` of each query i (of a negative one none), ascending by row,
/// among those that `keep` says yes to; `None` where there would be more than `most` of all queries together.
pub(crate) fn within(
    queries: &Points,
    references: &Points,
    sq_radii: &[f64],
    keep: impl Fn(usize, usize) -> bool + Sync,
    most: usize,
    device: &Device,
) -> Option<Vec<Vec<u32>>> {
    if references.rows() == 0 || queries.rows() == 0 {
        return Some(vec![Vec::new(); queries.rows()]);
    }
    let total = AtomicUsize::new(0);
    let found = CandidateFilter::new(queries, references, device).map_rows(None, |row| {
        let (query, sq_radius) = (row.query(), sq_radii[row.query()]);
        if sq_radius < 0.0 || total.load(Ordering::Relaxed) > most {
            return Vec::new();
        }
        let mut near = at_most(row.estimates(), row.limit(sq_radius));
        near.retain(|&reference| {
            let reference = reference as usize;
            keep(query, reference) && row.sq_distance(reference) <= sq_radius
        });
        total.fetch_add(near.len(), Ordering::Relaxed);
        near
    });
    // How many there are does not depend on the order in which they were counted.
    (total.into_inner() <= most).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::points;
    use super::*;

    #[test]
    fn all_within_the_radius_are_found_and_no_other() {
        let device = Device::flex();
        let points = points(&[0.0, 1.0, 3.0, 3.5, 9.0], 1);
        let radii = [1.0, 4.0, 0.25, 0.2, -1.0];
        let others = |query: usize, reference: usize| query != reference;
        let found = within(&points, &points, &radii, others, 10, &device).unwrap();
        assert_eq!(found, [vec![1], vec![0, 2], vec![3], vec![], vec![]]);
        assert!(within(&points, &points, &radii, others, 3, &device).is_none());
    }
}
