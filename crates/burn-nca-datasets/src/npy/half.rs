//! 16-bit floats.
//!
//! npyz reads them by its feature `half`, which turns on features of the half crate, on which every
//! backend of Burn stands: all of them would be built anew for these few lines.

/// The value of an IEEE 754 half: a sign, 5 bits of exponent (bias 15), 10 bits of fraction.
pub(super) fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (u64::from(bits >> 10 & 0x1f), u64::from(bits & 0x3ff));
    sign * match (exponent, fraction) {
        // Below the smallest normal number the steps are of 2^-24.
        (0, _) => fraction as f64 / f64::from(1_u32 << 24),
        (0x1f, 0) => f64::INFINITY,
        (0x1f, _) => f64::NAN,
        // The bias of f64 is 1023; the fraction moves to the top of its 52 bits.
        _ => f64::from_bits(((exponent + 1023 - 15) << 52) | (fraction << 42)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_the_values_of_the_standard() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_953_125),
            (0x7bff, 65504.0),
            (0x0400, 2.0_f64.powi(-14)),
            (0x03ff, 1023.0 * 2.0_f64.powi(-24)),
            (0x8001, -(2.0_f64.powi(-24))),
            (0x7c00, f64::INFINITY),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f64(bits), value, "{bits:#06x}");
        }
        assert!(half_to_f64(0x7e00).is_nan() && half_to_f64(0x8000).is_sign_negative());
    }

    #[test]
    fn positive_halves_rise_with_their_bits() {
        assert!((0..0x7c00_u16).all(|bits| half_to_f64(bits) < half_to_f64(bits + 1)));
    }
}
