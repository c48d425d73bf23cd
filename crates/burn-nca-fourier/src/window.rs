//! The window by which points are spread over a grid, and what spacing of the grid it allows.

use core::f64::consts::PI;

/// A Kaiser-Bessel window of some grid points.
///
/// ```text
/// φ(t) = A I_0(β √(1 - (2t/w)²)),  |t| ≤ w/2;   φ^(h) = sinh(s)/s · β/sinh(β),  s = √(β² - (πwh/N)²),  φ^(0) = 1
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Window {
    /// Grid points, w.
    pub(crate) width: usize,
    /// Distance of neighboring grid points, in units in which the kernel is exp(-d²).
    pub(crate) spacing: f64,
    beta: f64,
}

/// The largest spacing, and β/w, of windows of 12 and 16 points with which the kernel has an error of at most
/// 1e-6, 1e-7, ... 1e-13 per axis: aliasing of the window where it spreads and where it interpolates, and the tail of the
/// series, summed over all modes.
const WINDOWS: [[(f64, f64); 2]; 8] = [
    [(0.436, 1.61), (0.438, 1.61)],
    [(0.399, 1.672), (0.404, 1.61)],
    [(0.367, 1.859), (0.376, 1.61)],
    [(0.338, 1.983), (0.353, 1.61)],
    [(0.307, 2.169), (0.332, 1.672)],
    [(0.268, 2.355), (0.314, 1.797)],
    [(0.22, 2.541), (0.297, 1.921)],
    [(0.162, 2.728), (0.279, 2.045)],
];
/// The lowest and the highest exponent of the table, with the sign changed.
pub(crate) const DIGITS: (i32, i32) = (6, 13);
pub(crate) const WIDTHS: [usize; 2] = [12, 16];

impl Window {
    /// The windows for an error of `10^-digits`.
    pub(crate) fn choices(digits: i32) -> [Self; 2] {
        let row = WINDOWS[(digits.clamp(DIGITS.0, DIGITS.1) - DIGITS.0) as usize];
        [0, 1].map(|at| {
            let ((spacing, ratio), width) = (row[at], WIDTHS[at]);
            Self { width, spacing, beta: ratio * width as f64 }
        })
    }

    /// The window's transform at the mode h of a grid of N points.
    pub(crate) fn transform(&self, mode: usize, points: usize) -> f64 {
        let x = PI * self.width as f64 * mode as f64 / points as f64;
        sinh_ratio(self.beta * self.beta - x * x) / sinh_ratio(self.beta * self.beta)
    }

    /// The window's value at a distance in grid points.
    fn value(&self, distance: f64) -> f64 {
        let x = 2.0 * distance / self.width as f64;
        let scale = self.width as f64 * sinh_ratio(self.beta * self.beta);
        bessel(self.beta * self.beta * (1.0 - x * x).max(0.0)) / scale
    }

    /// `Σ_t φ(t)²` over grid points, the same wherever the point lies, to some percent.
    pub(crate) fn sum_of_squares(&self) -> f64 {
        let half = (self.width / 2) as i32;
        (-half..half).map(|t| self.value(f64::from(t) + 0.5).powi(2)).sum()
    }

    /// The window's value at each of its grid points as a polynomial: the coefficients of `x^d` in row d, where x runs from
    /// -1 to 1 while the point moves from a grid point down to the one before.
    pub(crate) fn taps<const W: usize>(&self) -> Taps<W> {
        assert_eq!(W, self.width, "taps of a window of another width");
        let mut rows = [[0.0; W]; TERMS];
        for tap in 0..W {
            let value = |x: f64| self.value(tap as f64 - self.width as f64 / 2.0 + 0.5 * (x + 1.0));
            for (row, coefficient) in rows.iter_mut().zip(polynomial(value)) {
                row[tap] = coefficient;
            }
        }
        Taps(rows)
    }
}

/// Coefficients of the polynomials.
const TERMS: usize = 17;

/// The polynomials of all grid points of a window, see [`Window::taps`].
pub(crate) struct Taps<const W: usize>([[f64; W]; TERMS]);

impl<const W: usize> Taps<W> {
    /// The window's values at its grid points.
    #[inline(always)]
    pub(crate) fn at(&self, x: f64) -> [f64; W] {
        let mut values = self.0[TERMS - 1];
        for row in self.0[..TERMS - 1].iter().rev() {
            for (value, coefficient) in values.iter_mut().zip(row) {
                *value = *value * x + coefficient;
            }
        }
        values
    }
}

/// The polynomial through the values at Chebyshev's nodes, in powers of x.
fn polynomial(value: impl Fn(f64) -> f64) -> [f64; TERMS] {
    let angle = |node: usize| PI * (node as f64 + 0.5) / TERMS as f64;
    let values: [f64; TERMS] = core::array::from_fn(|node| value(angle(node).cos()));
    let mut sum = [0.0; TERMS];
    // T_0 = 1, T_1 = x, T_{d + 1} = 2x T_d - T_{d - 1}
    let (mut one, mut next) = ([0.0; TERMS], [0.0; TERMS]);
    (one[0], next[1]) = (1.0, 1.0);
    for degree in 0..TERMS {
        let factor = if degree == 0 { 1.0 } else { 2.0 } / TERMS as f64;
        let terms = values.iter().enumerate();
        let coefficient = factor
            * terms.map(|(node, value)| value * (degree as f64 * angle(node)).cos()).sum::<f64>();
        for (sum, power) in sum.iter_mut().zip(one) {
            *sum += coefficient * power;
        }
        let mut after = [0.0; TERMS];
        for power in 0..TERMS {
            let raised = if power == 0 { 0.0 } else { 2.0 * next[power - 1] };
            after[power] = raised - one[power];
        }
        (one, next) = (next, after);
    }
    sum
}

/// `sinh(√y) / √y`, and `sin(√-y) / √-y` for negative y.
fn sinh_ratio(y: f64) -> f64 {
    if y.abs() < 1e-8 {
        return 1.0 + y / 6.0;
    }
    let root = y.abs().sqrt();
    if y > 0.0 { root.sinh() / root } else { root.sin() / root }
}

/// `I_0(√y) = Σ_i (y/4)^i / i!²`.
fn bessel(y: f64) -> f64 {
    let (mut sum, mut term, mut i) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= y / (4.0 * i * i);
        sum += term;
        i += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_have_the_values_of_the_window() {
        for digits in DIGITS.0..=DIGITS.1 {
            let [narrow, wide] = Window::choices(digits);
            errors::<12>(narrow);
            errors::<16>(wide);
        }
    }

    fn errors<const W: usize>(window: Window) {
        let taps = window.taps::<W>();
        for i in 0..=100 {
            let x = f64::from(i) / 50.0 - 1.0;
            for (tap, found) in taps.at(x).into_iter().enumerate() {
                let expected = window.value(tap as f64 - W as f64 / 2.0 + 0.5 * (x + 1.0));
                assert!(
                    (found - expected).abs() < 2e-15,
                    "{window:?} {x} {tap} {found} {expected}"
                );
            }
        }
    }
}
