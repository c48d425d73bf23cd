//! Fits: no step raises the error, and what a fit says of its end is of the map that it keeps.

use burn::tensor::Device;
use burn_nca_data::bundled;

use super::*;
use crate::Fitted;
use crate::data::TrainingData;
use crate::estimator::Estimator;
use crate::fit::{FitConfig, Precision};
use crate::method::AnyMethod;
use crate::neighbors::ClassReferences;

fn fit(method: AnyMethod, data: &Labeled, precision: Precision) -> Fitted {
    let d = data.features().columns();
    let config = FitConfig::new().with_precision(precision);
    let estimator = Estimator::new(d, d, method).with_fit(config);
    let fitted = estimator.fit(data, &Device::flex()).unwrap();
    let summary = fitted.summary();
    let values: Vec<f64> = summary.history.iter().map(|step| step.value).collect();
    assert!(values.len() > 3 && values.windows(2).all(|pair| pair[1] < pair[0]), "{values:?}");
    let last = summary.history.last().unwrap();
    assert_eq!((summary.value, summary.gradient_max), (last.value, last.gradient_max));
    assert_eq!(summary.iterations, last.iteration);
    fitted
}

/// E of the rule and the rows that a fit keeps, and what its width costs by default.
fn error(fitted: &Fitted, data: &Labeled) -> f64 {
    let Rule::VariableKernel(rule) = fitted.rule() else { panic!("{:?}", fitted.rule()) };
    let own: Vec<usize> = (0..data.rows()).collect();
    let (z, labels, classes) = (fitted.references(), data.labels(), data.classes());
    let p = rule.probabilities(z, ClassReferences::new(z, labels, classes), Some(&own)).unwrap();
    let of_row = |row: usize| -> f64 {
        let gap = |class| f64::from(u8::from(labels[row] == class)) - p.probability(row, class);
        (0..classes).map(|class| gap(class).powi(2)).sum()
    };
    own.into_iter().map(of_row).sum::<f64>() + 0.1 * data.rows() as f64 * rule.width.ln().powi(2)
}

#[test]
fn no_step_raises_the_error_and_the_map_is_of_the_last() {
    let wine = bundled::wine();
    for (method, bound) in
        [AnyMethod::from(Vsm::new()), Gvsm::new().into()].into_iter().zip([5.9, 1.2])
    {
        for set in [bundled::iris(), wine.hold_out(0.3, 1).unwrap().1] {
            fit(method.clone(), &set, Precision::F32);
        }
        let fitted = fit(method, &wine, Precision::F64);
        let value = fitted.summary().value;
        assert!(value <= bound, "{value}");
        let kept = error(&fitted, &wine);
        assert!((kept - value).abs() < 1e-6, "{kept} {value}");
        let trace: f64 = fitted.matrix().unwrap().iter().map(|a| a * a).sum();
        assert!((trace - 13.0).abs() < 1e-9, "{trace}");
        let Rule::VariableKernel(rule) = fitted.rule() else { panic!("{:?}", fitted.rule()) };
        assert!(rule.width > 0.0 && rule.width != 1.0, "{rule:?}");
    }
}

#[test]
fn the_width_starts_in_the_number_type_of_the_fit() {
    let data = bundled::iris();
    let config = FitConfig::new().with_precision(Precision::F64).with_stop_at(Some(0));
    let estimator = Estimator::new(4, 4, AnyMethod::from(Vsm::new().with_width(0.7)));
    let fitted = estimator.with_fit(config).fit(&data, &Device::flex()).unwrap();
    let Rule::VariableKernel(rule) = fitted.rule() else { panic!("{:?}", fitted.rule()) };
    assert!((rule.width - 0.7).abs() < 1e-15, "{}", rule.width);
}
