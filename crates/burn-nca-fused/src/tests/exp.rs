//! The exponential against the standard one.

use pulp::{Arch, Simd, WithSimd};

use super::{converted, exact, points};
use crate::Number;
use crate::arch::all;
use crate::vector::Real;

struct Exp<'a, T>(&'a mut [T]);

impl<T: Real> WithSimd for Exp<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        T::vectors_mut::<S>(self.0).iter_mut().for_each(|x| *x = T::exp(simd, *x));
    }
}

/// The largest error of f32 in units of the last place, over bit patterns from that of -0 on, for every
/// instruction set of the machine.
fn worst_of(arch: Arch, step: usize) -> f64 {
    let mut worst: f64 = 0.0;
    for start in (0x8000_0000..=0xff80_0000u64).step_by(step * 4096) {
        let end = (start + step as u64 * 4096).min(0xff80_0001);
        let x: Vec<f32> =
            (start..end).step_by(step).map(|bits| f32::from_bits(bits as u32)).collect();
        let mut found = x.clone();
        found.resize(x.len().next_multiple_of(16), 0.0);
        arch.dispatch(Exp(&mut found));
        for (&x, &found) in x.iter().zip(&found) {
            let expected = f64::from(x).exp();
            if expected < f64::from(f32::MIN_POSITIVE) {
                assert!(found <= f32::MIN_POSITIVE, "exp({x}) = {found}");
                continue;
            }
            let place = 2f64.powi(expected.log2().floor() as i32 - 23);
            worst = worst.max((f64::from(found) - expected).abs() / place);
        }
    }
    worst
}

fn check_f32(step: usize) {
    for arch in all() {
        let worst = worst_of(arch, step);
        assert!(worst < 1.2, "{arch:?}: {worst} units in the last place");
    }
}

#[test]
fn of_every_thousandth_f32() {
    check_f32(1009);
}

/// A minute or two in an optimized build.
#[test]
#[ignore = "two thousand million values"]
fn of_every_f32() {
    check_f32(1);
}

#[test]
fn of_a_million_f64() {
    let x: Vec<f64> = points(1 << 20, 3).iter().map(|x| -354.0 * (x + 1.0)).collect();
    for arch in all() {
        let mut found = x.clone();
        arch.dispatch(Exp(&mut found));
        for (&x, &found) in x.iter().zip(&found) {
            let expected = x.exp();
            assert!((found - expected).abs() <= 3e-16 * expected, "exp({x}) = {found}");
        }
    }
}

fn check_ends<T: Number>(far: [f64; 2]) {
    for arch in all() {
        let ends = [0.0, -0.0, f64::NEG_INFINITY, f64::NAN, far[0], far[1]];
        let mut x: Vec<T> = converted(&ends.repeat(16));
        arch.dispatch(Exp(&mut x));
        let found = exact(&x);
        assert_eq!(found[..3], [1.0, 1.0, 0.0]);
        assert!(found[3].is_nan());
        assert_eq!(found[4..6], [0.0, 0.0]);
    }
}

#[test]
fn ends_are_exact() {
    check_ends::<f32>([-1e30, -88.0]);
    check_ends::<f64>([-1e300, -709.0]);
}
