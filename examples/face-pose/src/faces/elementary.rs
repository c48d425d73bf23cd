//! Sine, cosine and exponential from additions and multiplications alone.
//!
//! Those of a system's library differ in their last bits from machine to machine, and with them every pixel of a
//! turned face.

/// Sine and cosine of an angle in radians, by their power series.
///
/// # Panics
/// If the angle is not within ±π.
pub(super) fn sin_cos(radians: f64) -> (f64, f64) {
    assert!(radians.abs() <= std::f64::consts::PI, "an angle of {radians} is not within ±π");
    // The last term is below 1e-17 at π.
    const TERMS: i32 = 28;
    let (mut sine, mut cosine) = (0.0, 0.0);
    let mut term = 1.0;
    for power in 0..TERMS {
        let sign = if power % 4 < 2 { 1.0 } else { -1.0 };
        if power % 2 == 0 {
            cosine += sign * term;
        } else {
            sine += sign * term;
        }
        term *= radians / f64::from(power + 1);
    }
    (sine, cosine)
}

/// `exp(-x)` for x of 0 to 1000: the power series of a 1024th of x, squared ten times.
pub(super) fn exp_minus(x: f64) -> f64 {
    const TERMS: i32 = 24;
    const HALVINGS: i32 = 10;
    let part = -x / f64::from(1 << HALVINGS);
    let (mut sum, mut term) = (0.0, 1.0);
    for power in 0..TERMS {
        sum += term;
        term *= part / f64::from(power + 1);
    }
    (0..HALVINGS).fold(sum, |value, _| value * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_agree_with_the_library() {
        for step in -100..=100 {
            let x = f64::from(step) * std::f64::consts::PI / 100.0;
            let (sine, cosine) = sin_cos(x);
            assert!((sine - x.sin()).abs() < 1e-15 && (cosine - x.cos()).abs() < 1e-15, "{x}");
        }
        for step in 0..=640 {
            let x = f64::from(step) / 10.0;
            assert!((exp_minus(x) / (-x).exp() - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!((sin_cos(0.0), exp_minus(0.0)), ((0.0, 1.0), 1.0));
    }
}
