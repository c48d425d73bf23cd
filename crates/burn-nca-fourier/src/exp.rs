//! The exponential of numbers that are not positive, without branches, so that loops over it are vectorized.

#![allow(clippy::excessive_precision)]

/// `1 / i!` from the power 13 down.
const TAYLOR: [f64; 14] = [
    1.605_904_383_682_161_5e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589e-7,
    2.755_731_922_398_589e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    1.666_666_666_666_666_6e-1,
    0.5,
    1.0,
    1.0,
];
const LN2_HIGH: f64 = 6.931_471_803_691_238_2e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Added and subtracted, it rounds to an integer, which is then in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Below it the exponential counts as that of it, 3e-308.
const LOWEST: f64 = -708.0;

/// `exp(x)` for `x <= 0` to 2e-16 relative; not a number where x is none.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    // A comparison that is false for what is not a number, which passes on.
    let x = if x < LOWEST { LOWEST } else { x };
    let shifted = x * core::f64::consts::LOG2_E + ROUND;
    let power = shifted - ROUND;
    let rest = (x - power * LN2_HIGH) - power * LN2_LOW;
    let mut sum = TAYLOR[0];
    for coefficient in &TAYLOR[1..] {
        sum = sum * rest + coefficient;
    }
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    #[test]
    fn agrees_with_the_standard_library() {
        for i in 0..200_000 {
            let x = -700.0 * (f64::from(i) / 200_000.0).powi(3);
            let (found, expected) = (super::exp(x), x.exp());
            assert!((found - expected).abs() <= 5e-16 * expected, "{x}: {found:e} {expected:e}");
        }
        assert_eq!(super::exp(0.0), 1.0);
        assert!(super::exp(f64::NEG_INFINITY) < 1e-300);
        assert!(super::exp(f64::NAN).is_nan());
    }
}
