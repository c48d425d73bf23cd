//! Numbers written as text that reads back to the same bits.
//!
//! JSON readers may round the last digit of a number (serde_json does, by default) and JSON has no infinity.
//! Rust's shortest decimal form, read by Rust's own parser, is exact. Binary formats keep plain numbers.

/// One number.
pub(super) mod scalar {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&format!("{number:?}"))
        } else {
            number.serialize(serializer)
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        if !deserializer.is_human_readable() {
            return f64::deserialize(deserializer);
        }
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a number")))
    }
}

/// A list of numbers, in text formats one string with a space between two.
pub(super) mod vector {
    use std::fmt::Write;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return numbers.serialize(serializer);
        }
        let mut text = String::with_capacity(20 * numbers.len());
        for number in numbers {
            let separator = if text.is_empty() { "" } else { " " };
            write!(text, "{separator}{number:?}").map_err(serde::ser::Error::custom)?;
        }
        serializer.serialize_str(&text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let text = String::deserialize(deserializer)?;
        let number = |word: &str| {
            word.parse().map_err(|_| D::Error::custom(format!("{word:?} is not a number")))
        };
        text.split_ascii_whitespace().map(number).collect()
    }
}

/// The steps of a fit, in text formats one string for all their numbers.
pub(super) mod steps {
    use serde::{Deserializer, Serializer, de::Error};

    use crate::fit::Progress;

    const NUMBERS: usize = 7;

    pub fn serialize<S: Serializer>(steps: &[Progress], serializer: S) -> Result<S::Ok, S::Error> {
        let numbers: Vec<f64> = steps.iter().flat_map(numbers_of).collect();
        super::vector::serialize(&numbers, serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Progress>, D::Error> {
        let numbers = super::vector::deserialize(deserializer)?;
        if !numbers.len().is_multiple_of(NUMBERS) {
            return Err(D::Error::custom(format!("{} numbers are no steps", numbers.len())));
        }
        Ok(numbers.as_chunks().0.iter().map(step_of).collect())
    }

    fn numbers_of(step: &Progress) -> [f64; NUMBERS] {
        let (iteration, evaluations) = (step.iteration as f64, step.evaluations as f64);
        let held_out = step.held_out.unwrap_or(f64::NAN);
        [iteration, evaluations, step.value, step.gradient_max, step.step, held_out, step.seconds]
    }

    fn step_of(numbers: &[f64; NUMBERS]) -> Progress {
        let [iteration, evaluations, value, gradient_max, step, held_out, seconds] = *numbers;
        let held_out = (!held_out.is_nan()).then_some(held_out);
        let (iteration, evaluations) = (iteration as usize, evaluations as usize);
        Progress { iteration, evaluations, value, gradient_max, step, held_out, seconds }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Serialize, Deserialize)]
    struct Numbers {
        #[serde(with = "super::scalar")]
        one: f64,
        #[serde(with = "super::vector")]
        many: Vec<f64>,
    }

    fn round_trip(many: Vec<f64>) -> Vec<u64> {
        let one = many.first().copied().unwrap_or(f64::INFINITY);
        let text = serde_json::to_string(&Numbers { one, many }).unwrap();
        let back: Numbers = serde_json::from_str(&text).unwrap();
        assert_eq!(back.one.to_bits(), one.to_bits());
        back.many.iter().map(|number| number.to_bits()).collect()
    }

    proptest! {
        #[test]
        fn every_number_keeps_its_bits(many in prop::collection::vec(any::<f64>(), 0..20)) {
            let bits: Vec<u64> = many.iter().map(|number| number.to_bits()).collect();
            prop_assert_eq!(round_trip(many), bits);
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Steps(#[serde(with = "super::steps")] Vec<crate::fit::Progress>);

    #[test]
    fn steps_keep_their_bits() {
        let step = |iteration, held_out| crate::fit::Progress {
            iteration,
            evaluations: 2 * iteration,
            value: -(iteration as f64) / 3.0,
            gradient_max: 0.1 + 0.2,
            step: 1e-300,
            held_out,
            seconds: 0.7,
        };
        let steps = Steps(vec![step(1, None), step(2, Some(1.0 / 3.0))]);
        let text = serde_json::to_string(&steps).unwrap();
        assert_eq!(serde_json::from_str::<Steps>(&text).unwrap(), steps);
        assert!(serde_json::from_str::<Steps>("\"1 2 3\"").is_err());
    }

    #[test]
    fn edges_keep_their_bits_and_nonsense_is_refused() {
        let edges = vec![0.1 + 0.2, -0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::NEG_INFINITY];
        let bits: Vec<u64> = edges.iter().map(|number| number.to_bits()).collect();
        assert_eq!(round_trip(edges), bits);
        assert_eq!(round_trip(Vec::new()), Vec::<u64>::new());
        let error = serde_json::from_str::<Numbers>(r#"{"one": "1", "many": "1 two"}"#);
        assert!(error.unwrap_err().to_string().contains("\"two\" is not a number"));
    }
}
