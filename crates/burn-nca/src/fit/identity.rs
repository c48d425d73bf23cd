//! What distinguishes one fit from another: settings, features and targets, each as a short name.

use burn_nca_files::Identity;
use serde::{Deserialize, Serialize};

use crate::data::Features;

/// What a fit is made from, part by part, as its checkpoint recognizes it.
///
/// Two fits of equal parts take the same steps. The settings that only end a fit (a limit of steps, a time
/// budget) are no part of it.
///
/// # Examples
/// ```
/// use burn_nca::data::{Features, Labeled};
/// use burn_nca::fit::{FitIdentity, Fingerprint};
///
/// let x = Features::unnamed(vec![0.0, 0.1, 1.0, 1.1], 1)?;
/// let of = |labels: &[usize]| FitIdentity {
///     settings: "weighted NCA".to_string(),
///     features: Fingerprint::new().numbers(x.values()).finish(),
///     targets: Fingerprint::new().indices(labels).finish(),
/// };
/// assert_eq!(of(&[0, 0, 1, 1]).differences(&of(&[0, 1, 0, 1])), ["targets"]);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitIdentity {
    /// Everything that was chosen: objective, encoder, solver.
    pub settings: String,
    /// The rows to learn from, those held out included.
    pub features: String,
    /// What is known of the rows: classes, numbers, weighted pairs.
    pub targets: String,
}

impl FitIdentity {
    /// The parts in which two fits differ.
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("settings", self.settings != other.settings),
            ("features", self.features != other.features),
            ("targets", self.targets != other.targets),
        ];
        parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }
}

impl Identity for FitIdentity {
    /// `other settings and other targets`, as far as parts differ.
    fn refusal(&self, stored: &Self) -> Option<String> {
        let differences = self.differences(stored);
        let others: Vec<String> = differences.iter().map(|part| format!("other {part}")).collect();
        (!others.is_empty()).then(|| others.join(" and "))
    }
}

/// A short name for settings and numbers (64 bits, multiplied and folded word by word; not a secret).
#[derive(Clone, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    /// The name of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.mix(text.len() as u64);
        text.bytes().for_each(|byte| self.mix(u64::from(byte)));
        self
    }

    /// Adds numbers, by their bits.
    #[must_use]
    pub fn numbers(mut self, numbers: &[f64]) -> Self {
        self.mix(numbers.len() as u64);
        numbers.iter().for_each(|number| self.mix(number.to_bits()));
        self
    }

    /// Adds the values of features: as [`numbers`](Self::numbers), whatever their number type.
    #[must_use]
    pub fn rows(mut self, features: &Features) -> Self {
        self.mix((features.rows() * features.columns()) as u64);
        features.each_row(|_, row| row.iter().for_each(|number| self.mix(number.to_bits())));
        self
    }

    /// Adds row numbers or classes.
    #[must_use]
    pub fn indices(mut self, indices: &[usize]) -> Self {
        self.mix(indices.len() as u64);
        indices.iter().for_each(|&index| self.mix(index as u64));
        self
    }

    /// The name, 16 hexadecimal digits.
    pub fn finish(self) -> String {
        format!("{:016x}", self.0)
    }

    /// Takes in a word. A product carries differences upwards only, so the upper half is folded back.
    fn mix(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Scaling, ScalingKind};

    #[test]
    fn parts_do_not_run_into_each_other() {
        let of =
            |parts: [&[usize]; 2]| Fingerprint::new().indices(parts[0]).indices(parts[1]).finish();
        assert_ne!(of([&[1, 2], &[3]]), of([&[1], &[2, 3]]));
        let number = |number: f64| Fingerprint::new().numbers(&[number]).finish();
        assert_ne!(number(1.0), number(1.0 + f64::EPSILON));
        assert_ne!(number(0.0), number(-0.0));
    }

    #[test]
    fn a_table_in_f32_has_the_fingerprint_of_the_same_table() {
        let values = (0..60).map(|at| f64::from(at * at % 31) / 4.0 - 3.0).collect();
        let wide = Features::unnamed(values, 3).unwrap();
        let of = |features: &Features| Fingerprint::new().rows(features).finish();
        for kind in [ScalingKind::None, ScalingKind::Standardize, ScalingKind::MinMax] {
            let tables = [wide.narrowed(), wide.clone()].map(|features| {
                let scaling = Scaling::fit(kind, &features);
                let once = scaling.apply(&features).unwrap();
                [of(&once), of(&scaling.apply(&once).unwrap())]
            });
            assert_eq!(tables[0], tables[1], "{kind:?}");
        }
    }
}
