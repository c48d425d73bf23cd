//! Numbers held against others.

/// Each number within a tolerance of what is expected, of its size where that is above 1.
///
/// # Panics
/// If one is not, or there are others.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_each(found, expected, tolerance, "entry");
}

/// The same, with what was compared.
///
/// # Panics
/// As [`assert_close`].
#[track_caller]
pub fn assert_each(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let bound = tolerance * (1.0 + b.abs());
        assert!((a - b).abs() <= bound, "{what}, {at}: {a} against {b}");
    }
}

/// Each number within a tolerance of what is expected, of the size of the largest where that is above 1.
///
/// # Panics
/// As [`assert_close`].
#[track_caller]
pub fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error < tolerance * scale, "{what}, {at}: {found} against {expected}");
    }
}

/// The slopes of a function at a place are its central differences by steps of `h`, as [`assert_near`] has it.
///
/// # Panics
/// If one is not.
pub fn assert_slopes(
    slopes: &[f64],
    place: &[f64],
    (h, tolerance): (f64, f64),
    what: &str,
    value: impl Fn(&[f64]) -> f64,
) {
    let moved = |index: usize, step: f64| {
        let mut at = place.to_vec();
        at[index] += step;
        value(&at)
    };
    let central = |index: usize| (moved(index, h) - moved(index, -h)) / (2.0 * h);
    let expected: Vec<f64> = (0..place.len()).map(central).collect();
    assert_near(slopes, &expected, tolerance, what);
}
