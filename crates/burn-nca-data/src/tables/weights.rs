//! Weights of rows, checked.

use crate::error::{Error, Result};

/// Whether there is one usable weight per row.
#[doc(hidden)]
pub fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    if weights.len() != rows {
        return Err(Error::data(format!(
            "{} weights for {rows} rows; give one weight per row",
            weights.len()
        )));
    }
    let usable = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if let Some((row, weight)) = weights.iter().enumerate().find(|(_, weight)| !usable(weight)) {
        return Err(Error::data(format!(
            "the weight of row {} is {weight}; give a finite number that is not negative",
            row + 1
        )));
    }
    if !weights.iter().any(|weight| *weight > 0.0) {
        return Err(Error::data(format!(
            "none of the {rows} rows has a positive weight; give at least one"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_cannot_serve_are_named_with_the_cure() {
        let refused = |weights: &[f64]| check_weights(weights, 2).unwrap_err().to_string();
        assert_eq!(refused(&[1.0]), "1 weights for 2 rows; give one weight per row");
        assert!(refused(&[1.0, -2.0]).contains("the weight of row 2 is -2; give a finite number"));
        assert!(refused(&[f64::NAN, 1.0]).contains("the weight of row 1 is NaN"));
        assert!(refused(&[0.0, 0.0]).contains("none of the 2 rows has a positive weight"));
    }
}
