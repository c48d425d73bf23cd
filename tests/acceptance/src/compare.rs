//! Numbers held against others.

/// Each number within a tolerance of what is expected, of its size where that is above 1.
///
/// # Panics
/// If one is not, or there are others.
pub fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        let scale = 1.0 + b.abs();
        assert!((a - b).abs() <= tolerance * scale, "entry {at}: {a} against {b}");
    }
}

/// The slopes of a function at a place against its central differences by steps of `h`.
///
/// # Panics
/// As [`assert_close`].
pub fn assert_slopes(
    slopes: &[f64],
    place: &[f64],
    (h, tolerance): (f64, f64),
    value: impl Fn(&[f64]) -> f64,
) {
    let moved = |index: usize, step: f64| {
        let mut at = place.to_vec();
        at[index] += step;
        value(&at)
    };
    let central = |index: usize| (moved(index, h) - moved(index, -h)) / (2.0 * h);
    let expected: Vec<f64> = (0..place.len()).map(central).collect();
    assert_close(slopes, &expected, tolerance);
}
