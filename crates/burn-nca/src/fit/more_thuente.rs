//! The trial steps of Moré and Thuente's line search.
//!
//! # References
//! \[1\] J. J. Moré, D. J. Thuente, Line search algorithms with guaranteed sufficient decrease, ACM
//! Transactions on Mathematical Software 20(3), 1994: the search of section 2, the trial values of section 4.

/// The bounds of an extrapolation, in multiples of the last move (section 2 of \[1\], values of MINPACK-2).
const EXTRAPOLATION: [f64; 2] = [1.1, 4.0];
/// An interval that has not shrunk to this share within two trials is halved (section 4 of \[1\]).
const SHRINKAGE: f64 = 0.66;
/// An interval narrower than this share of its far end holds no better step worth an evaluation.
const NARROW: f64 = 0.01;

/// The function along the search direction at one step: value and slope (directional derivative).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub step: f64,
    pub value: f64,
    pub slope: f64,
}

impl Sample {
    /// The same sample of the auxiliary function phi(a) - slope * a: psi in section 2 of \[1\], shifted.
    fn tilted(self, slope: f64) -> Self {
        Self { step: self.step, value: self.value - slope * self.step, slope: self.slope - slope }
    }
}

/// The interval of uncertainty: once `bracketed`, it holds a step that meets the strong Wolfe conditions.
///
/// `best` is its end of lower value and `other` the opposite end (alpha_l and alpha_u of \[1\]).
#[derive(Debug)]
pub(super) struct Interval {
    start: Sample,
    best: Sample,
    other: Sample,
    bracketed: bool,
    /// No trial so far had both a sufficient decrease and a slope that is not negative.
    first_stage: bool,
    /// Slope of the line of sufficient decrease, c1 phi'(0).
    decrease_slope: f64,
    /// Bounds of the next trial.
    bounds: [f64; 2],
    /// Widths after the last trial and after the one before it.
    widths: [f64; 2],
    /// The shortest step known to leave the objective's domain.
    ceiling: f64,
    /// How many trials in a row have left the domain.
    retreats: i32,
}

impl Interval {
    /// The interval of a search from `start` (at step 0), before its first trial.
    pub(super) fn new(start: Sample, decrease_slope: f64, first_trial: f64) -> Self {
        Self {
            start,
            best: start,
            other: start,
            bracketed: false,
            first_stage: true,
            decrease_slope,
            bounds: [0.0, (1.0 + EXTRAPOLATION[1]) * first_trial],
            widths: [f64::INFINITY; 2],
            ceiling: f64::INFINITY,
            retreats: 0,
        }
    }

    /// The next trial after a finite sample; nothing once the interval holds no other step worth trying.
    pub(super) fn advance(&mut self, trial: Sample) -> Option<f64> {
        self.retreats = 0;
        let enough = trial.value <= self.start.value + self.decrease_slope * trial.step;
        self.first_stage &= !(enough && trial.slope >= 0.0);
        // A first-stage trial that is lower but not low enough is judged by the auxiliary function, whose
        // minimizer has sufficient decrease (section 2 of [1], the modified updating algorithm).
        let judge_tilted = self.first_stage && trial.value <= self.best.value && !enough;
        let tilt = if judge_tilted { self.decrease_slope } else { 0.0 };
        let next = self.replace_end(trial, tilt);
        let next = if self.bracketed { self.narrow(next)? } else { self.extrapolate(next) };
        (next.is_finite() && next > 0.0 && next != trial.step).then_some(next)
    }

    /// Whether a minimizer is known to lie between the ends.
    pub(super) fn is_bracketed(&self) -> bool {
        self.bracketed
    }

    /// The next trial after one that left the domain: back toward the best step, faster each time.
    pub(super) fn retreat(&mut self, step: f64) -> f64 {
        self.retreats += 1;
        let best = self.best.step;
        let next = best + (step - best) * 0.5_f64.powi(self.retreats);
        if !self.bracketed {
            self.ceiling = step;
            self.bounds = [next, next + EXTRAPOLATION[1] * (next - best)];
        }
        next
    }

    /// Moves an end of the interval to `trial` and returns the step that the samples suggest.
    fn replace_end(&mut self, trial: Sample, tilt: f64) -> f64 {
        let [best, other, at] = [self.best, self.other, trial].map(|sample| sample.tilted(tilt));
        let higher = at.value > best.value;
        let turned = at.slope * best.slope.signum() < 0.0;
        let next = if higher {
            below_higher_value(best, at)
        } else if turned {
            between_opposite_slopes(best, at)
        } else if at.slope.abs() < best.slope.abs() {
            self.past_flatter_slope(best, other, at)
        } else if self.bracketed {
            cubic_minimizer(at, other).step
        } else {
            self.bounds[usize::from(at.step > best.step)]
        };
        if higher {
            self.other = trial;
        } else {
            if turned {
                self.other = self.best;
            }
            self.best = trial;
        }
        self.bracketed |= higher || turned;
        next
    }

    /// Case 3 of \[1\], section 4: lower, same sign, a flatter slope; the minimizer lies beyond the trial.
    fn past_flatter_slope(&self, best: Sample, other: Sample, at: Sample) -> f64 {
        let forward = at.step > best.step;
        let cubic = cubic_minimizer(at, best);
        let cubic = if cubic.ratio < 0.0 && cubic.exists {
            cubic.step
        } else {
            self.bounds[usize::from(forward)]
        };
        let secant = secant_minimizer(at, best);
        let cubic_is_closer = (cubic - at.step).abs() < (secant - at.step).abs();
        if !self.bracketed {
            let farther = if cubic_is_closer { secant } else { cubic };
            return farther.max(self.bounds[0]).min(self.bounds[1]);
        }
        let closer = if cubic_is_closer { cubic } else { secant };
        let limit = at.step + SHRINKAGE * (other.step - at.step);
        if forward { closer.min(limit) } else { closer.max(limit) }
    }

    /// Halves a bracket that shrinks too slowly; nothing once it is narrow.
    fn narrow(&mut self, next: f64) -> Option<f64> {
        let (low, high) =
            (self.best.step.min(self.other.step), self.best.step.max(self.other.step));
        let width = high - low;
        let slow = width >= SHRINKAGE * self.widths[1];
        self.widths = [width, self.widths[0]];
        self.bounds = [low, high];
        let next = if slow || !next.is_finite() { low + 0.5 * width } else { next };
        (next > low && next < high && width > NARROW * high).then_some(next)
    }

    /// Keeps an extrapolation inside the domain and sets the bounds of the one after it.
    fn extrapolate(&mut self, next: f64) -> f64 {
        let best = self.best.step;
        let next = if next >= self.ceiling { 0.5 * (best + self.ceiling) } else { next };
        self.bounds = EXTRAPOLATION.map(|multiple| next + multiple * (next - best));
        next
    }
}

/// Case 1 of \[1\], section 4: a higher value; the step lies between the best and the trial.
fn below_higher_value(best: Sample, at: Sample) -> f64 {
    let cubic = cubic_minimizer(best, at).step;
    let chord = (best.value - at.value) / (at.step - best.step);
    let quadratic = best.step + best.slope / (chord + best.slope) / 2.0 * (at.step - best.step);
    if (cubic - best.step).abs() < (quadratic - best.step).abs() {
        cubic
    } else {
        cubic + (quadratic - cubic) / 2.0
    }
}

/// Case 2 of \[1\], section 4: a lower value and a slope of the opposite sign.
fn between_opposite_slopes(best: Sample, at: Sample) -> f64 {
    let cubic = cubic_minimizer(at, best).step;
    let secant = secant_minimizer(at, best);
    if (cubic - at.step).abs() > (secant - at.step).abs() { cubic } else { secant }
}

/// The minimizer of the cubic through two samples, seen from the first.
struct CubicMinimizer {
    step: f64,
    /// Its distance from the first sample as a share of the way to the second; negative lies beyond.
    ratio: f64,
    /// False where the cubic has no minimizer.
    exists: bool,
}

fn cubic_minimizer(from: Sample, to: Sample) -> CubicMinimizer {
    let theta = 3.0 * (from.value - to.value) / (to.step - from.step) + from.slope + to.slope;
    // Scaled by the largest number so that the squares neither overflow nor underflow.
    let scale = theta.abs().max(from.slope.abs()).max(to.slope.abs());
    let square = (theta / scale).powi(2) - from.slope / scale * (to.slope / scale);
    let root = scale * square.max(0.0).sqrt();
    let gamma = if to.step < from.step { -root } else { root };
    let ratio = (gamma - from.slope + theta) / (gamma - from.slope + gamma + to.slope);
    CubicMinimizer { step: from.step + ratio * (to.step - from.step), ratio, exists: square > 0.0 }
}

/// The zero of the line through two slopes.
fn secant_minimizer(from: Sample, to: Sample) -> f64 {
    from.step + from.slope / (from.slope - to.slope) * (to.step - from.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second trial is lower than the first, but above the line of sufficient decrease.
    #[test]
    fn the_first_stage_goes_on_while_the_value_falls() {
        let at = |step, value, slope| Sample { step, value, slope };
        let mut interval = Interval::new(at(0.0, 0.0, -1.0), -0.3, 1.0);
        interval.advance(at(1.0, -0.5, -0.5)).unwrap();
        let next = interval.advance(at(4.0, -0.6, -0.1)).unwrap();
        assert!(interval.is_bracketed() && 1.0 < next && next < 4.0, "{next}");
    }
}
