//! Means, standard errors and paired differences over the splits.

use serde_json::{Map, Value, json};

use super::trial::{RULES, Trial};

/// Mean and standard error of the test accuracy of each rule.
pub fn accuracies(trials: &[Trial]) -> Value {
    by_rule(|rule| mean_and_error(trials.iter().map(|trial| trial.accuracies[rule]).collect()))
}

/// Mean and standard error of each rule's accuracy less that of `reference` on the same split.
pub fn differences(trials: &[Trial], reference: &str) -> Value {
    let at = RULES.iter().position(|rule| *rule == reference).unwrap_or(0);
    by_rule(|rule| {
        let difference = |trial: &Trial| trial.accuracies[rule] - trial.accuracies[at];
        mean_and_error(trials.iter().map(difference).collect())
    })
}

/// The mean k of each rule; null for a rule without one.
pub fn mean_k(trials: &[Trial]) -> Value {
    by_rule(|rule| {
        let sum: Option<f64> = trials.iter().map(|trial| trial.k[rule]).sum();
        json!(sum.map(|sum| sum / trials.len() as f64))
    })
}

fn by_rule(value: impl Fn(usize) -> Value) -> Value {
    let values: Map<String, Value> =
        RULES.iter().enumerate().map(|(at, rule)| (rule.to_string(), value(at))).collect();
    Value::Object(values)
}

fn mean_and_error(values: Vec<f64>) -> Value {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    json!({ "mean": mean, "standard_error": (variance / n).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(shift: f64) -> Trial {
        Trial { accuracies: [0.5 + shift, 0.5, 0.5, 0.5, 0.5, 0.5, 0.75], k: [Some(1.0); 7] }
    }

    #[test]
    fn differences_are_paired() {
        let trials = [trial(0.0), trial(0.1), trial(0.2)];
        let found = accuracies(&trials);
        assert!((found["nearest"]["mean"].as_f64().unwrap() - 0.6).abs() < 1e-12);
        let error = found["nearest"]["standard_error"].as_f64().unwrap();
        assert!((error - 0.1 / 3f64.sqrt()).abs() < 1e-12);
        let less = differences(&trials, "nearest");
        assert!((less["soft"]["mean"].as_f64().unwrap() - 0.15).abs() < 1e-12);
        assert_eq!(less["nearest"]["mean"], 0.0);
    }
}
