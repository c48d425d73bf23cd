//! Pearson's correlation.

/// Pearson's correlation coefficient of two columns; 0 where one of them is constant.
///
/// ```text
/// r = Σ (x_i - x̄)(y_i - ȳ) / sqrt(Σ (x_i - x̄)² Σ (y_i - ȳ)²)
/// ```
///
/// # Panics
/// If the columns differ in length.
pub fn correlation(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "both columns have one value per row");
    let mean = |column: &[f64]| column.iter().sum::<f64>() / column.len().max(1) as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in x.iter().zip(y) {
        let (dx, dy) = (a - mean_x, b - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let norm = (xx * yy).sqrt();
    if norm > 0.0 { xy / norm } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_hand() {
        assert!((correlation(&[1.0, 2.0, 3.0], &[5.0, 7.0, 9.0]) - 1.0).abs() < 1e-15);
        assert!((correlation(&[1.0, 2.0, 3.0], &[1.0, 0.0, -1.0]) + 1.0).abs() < 1e-15);
        // Deviations (-1, 0, 1) and (-1, 2, -1) / 1: no common direction.
        assert_eq!(correlation(&[1.0, 2.0, 3.0], &[0.0, 3.0, 0.0]), 0.0);
        // Σxy = 3, Σxx = 5, Σyy = 5 about the means.
        let r = correlation(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 4.0, 3.0]);
        assert!((r - 0.6).abs() < 1e-15, "{r}");
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), 0.0);
    }
}
