//! f32 and f64 by the vector, with the exponential that the sums need.

use core::ops::{Add, Div, Mul, Sub};

use pulp::Simd;

/// A number type with the vector instructions that the kernels use.
pub trait Real:
    Copy
    + Send
    + Sync
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Into<f64>
    + 'static
{
    /// As many numbers as a register holds.
    type Vector<S: Simd>: Copy;

    const ZERO: Self;
    const INFINITY: Self;
    /// `exp(-x)` is 0 for every x from here on.
    const FAR: Self;

    /// The relative error of a rounding.
    const ROUNDING: f64;

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        size_of::<Self::Vector<S>>() / size_of::<Self>()
    }
    /// The whole vectors of a slice.
    fn vectors<S: Simd>(x: &[Self]) -> &[Self::Vector<S>];
    fn vectors_mut<S: Simd>(x: &mut [Self]) -> &mut [Self::Vector<S>];

    fn splat<S: Simd>(simd: S, x: Self) -> Self::Vector<S>;
    fn plus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn minus<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn times<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a b + c`, in one rounding where the machine can.
    fn times_plus<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    fn lesser<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    fn sum<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    fn least<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;

    /// `exp(x)` where the result is neither denormal nor infinite; exactly 0 where it would be denormal.
    ///
    /// x = n log 2 + r with an integer n and |r| at most half of log 2, exp(r) by the polynomial of least relative
    /// error that is 1 + r to first order, and 2^n by the bits of the exponent. A result of 0, and no denormal one,
    /// comes about by itself: x is kept from below where n is -127 (-1023 in f64), whose bits are those of 0.
    fn exp<S: Simd>(simd: S, x: Self::Vector<S>) -> Self::Vector<S>;

    fn sqrt(self) -> Self;
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn from_f64(x: f64) -> Self;
}

/// The operations that have one instruction.
macro_rules! instructions {
    ($real:ident, $vector:ident, $as:ident, $as_mut:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident,
     $mul_add:ident, $min:ident, $reduce_sum:ident, $reduce_min:ident) => {
        type Vector<S: Simd> = S::$vector;
        const ZERO: Self = 0.0;
        const INFINITY: Self = $real::INFINITY;

        #[inline(always)]
        fn vectors<S: Simd>(x: &[Self]) -> &[S::$vector] {
            S::$as(x).0
        }
        #[inline(always)]
        fn vectors_mut<S: Simd>(x: &mut [Self]) -> &mut [S::$vector] {
            S::$as_mut(x).0
        }
        #[inline(always)]
        fn splat<S: Simd>(simd: S, x: Self) -> S::$vector {
            simd.$splat(x)
        }
        #[inline(always)]
        fn plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
            simd.$add(a, b)
        }
        #[inline(always)]
        fn minus<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
            simd.$sub(a, b)
        }
        #[inline(always)]
        fn times<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
            simd.$mul(a, b)
        }
        #[inline(always)]
        fn times_plus<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
            simd.$mul_add(a, b, c)
        }
        #[inline(always)]
        fn lesser<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
            simd.$min(a, b)
        }
        #[inline(always)]
        fn sum<S: Simd>(simd: S, a: S::$vector) -> Self {
            simd.$reduce_sum(a)
        }
        #[inline(always)]
        fn least<S: Simd>(simd: S, a: S::$vector) -> Self {
            simd.$reduce_min(a)
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            $real::sqrt(self)
        }
        #[inline(always)]
        fn from_f64(x: f64) -> Self {
            x as $real
        }
    };
}

impl Real for f32 {
    const FAR: Self = 88.0;
    const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

    instructions!(
        f32,
        f32s,
        as_simd_f32s,
        as_mut_simd_f32s,
        splat_f32s,
        add_f32s,
        sub_f32s,
        mul_f32s,
        mul_add_e_f32s,
        min_f32s,
        reduce_sum_f32s,
        reduce_min_f32s
    );

    #[inline(always)]
    fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
        let splat = |c: f32| simd.splat_f32s(c);
        let x = if S::IS_SCALAR {
            simd.select_f32s(simd.less_than_f32s(x, splat(-88.0)), splat(-88.0), x)
        } else {
            // In this order a NaN stays one.
            simd.max_f32s(splat(-88.0), x)
        };
        // Adding 1.5 · 2^23 rounds to an integer; the lowest bits are then those of n + 127.
        let round = splat(12_582_912.0 + 127.0);
        let rounded = simd.mul_add_e_f32s(x, splat(core::f32::consts::LOG2_E), round);
        let n = simd.sub_f32s(rounded, round);
        // log 2 in two parts, the first of few digits, so that its product with n is exact.
        let r = simd.mul_add_e_f32s(n, splat(-0.693_359_4), x);
        let r = simd.mul_add_e_f32s(n, splat(2.121_944_4e-4), r);
        let mut p = splat(EXP_F32[0]);
        for &c in &EXP_F32[1..] {
            p = simd.mul_add_e_f32s(p, r, splat(c));
        }
        let bits = simd.transmute_u32s_f32s(rounded);
        let scale = simd.wrapping_dyn_shl_u32s(bits, simd.splat_u32s(23));
        simd.mul_f32s(p, simd.transmute_f32s_u32s(scale))
    }
}

/// Relative error 3.1e-9, a twentieth of a rounding.
const EXP_F32: [f32; 7] =
    [0.001_381_459_9, 0.008_368_717, 0.041_668_39, 0.166_665_21, 0.499_999_93, 1.0, 1.0];

impl Real for f64 {
    const FAR: Self = 709.0;
    const ROUNDING: f64 = f64::EPSILON / 2.0;

    instructions!(
        f64,
        f64s,
        as_simd_f64s,
        as_mut_simd_f64s,
        splat_f64s,
        add_f64s,
        sub_f64s,
        mul_f64s,
        mul_add_e_f64s,
        min_f64s,
        reduce_sum_f64s,
        reduce_min_f64s
    );

    #[inline(always)]
    fn exp<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
        let splat = |c: f64| simd.splat_f64s(c);
        let x = if S::IS_SCALAR {
            simd.select_f64s(simd.less_than_f64s(x, splat(-709.0)), splat(-709.0), x)
        } else {
            simd.max_f64s(splat(-709.0), x)
        };
        let round = splat(6_755_399_441_055_744.0);
        let rounded = simd.mul_add_e_f64s(x, splat(core::f64::consts::LOG2_E), round);
        let n = simd.sub_f64s(rounded, round);
        let r = simd.mul_add_e_f64s(n, splat(-0.693_145_751_953_125), x);
        let r = simd.mul_add_e_f64s(n, splat(-1.428_606_820_309_417_2e-6), r);
        let mut p = splat(EXP_F64[0]);
        for &c in &EXP_F64[1..] {
            p = simd.mul_add_e_f64s(p, r, splat(c));
        }
        // In 4096 + 1023 + n the lowest bit of n is the 40th; moved by 12 it is that of an exponent, and the
        // exponent of the sum itself is gone. The lower half holds zeros, so 32 bits at a time will do.
        let mut scale = [simd.add_f64s(n, splat(4096.0 + 1023.0))];
        for word in S::as_mut_simd_u32s(pulp::bytemuck::cast_slice_mut(&mut scale)).0 {
            *word = simd.wrapping_dyn_shl_u32s(*word, simd.splat_u32s(12));
        }
        simd.mul_f64s(p, scale[0])
    }
}

/// Relative error 3.6e-18, a thirtieth of a rounding.
const EXP_F64: [f64; 12] = [
    2.500_006_160_283_566_7e-8,
    2.763_024_837_921_144e-7,
    2.755_758_637_384_164e-6,
    2.480_149_309_890_655e-5,
    1.984_126_950_657_868_8e-4,
    1.388_888_894_363_011_3e-3,
    8.333_333_333_494_462e-3,
    4.166_666_666_653_016e-2,
    0.166_666_666_666_664_12,
    0.500_000_000_000_001_1,
    1.0,
    1.0,
];
