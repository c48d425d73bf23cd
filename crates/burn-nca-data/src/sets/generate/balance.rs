//! The balance scale of the UCI repository, generated.

use crate::{Features, Labeled};

/// The balance scale: all 625 ways to hang a weight of 1 to 5 at a distance of 1 to 5 on each side.
///
/// ```text
/// class = L if left_weight left_distance > right_weight right_distance,  R if less,  B if equal
/// ```
/// Classes 0 = L (288 rows), 1 = B (49), 2 = R (288); rows in the order of the UCI file, the right
/// distance running fastest. No randomness: this is the UCI set itself.
///
/// # References
/// R. S. Siegler, Three Aspects of Cognitive Development, Cognitive Psychology 8, 1976.
///
/// # Examples
/// ```
/// let data = burn_nca_data::generate::balance();
/// assert_eq!(data.class_names(), ["L", "B", "R"]);
/// assert_eq!(data.class_counts(), [288, 49, 288]);
/// ```
pub fn balance() -> Labeled {
    let mut values = Vec::with_capacity(625 * 4);
    let mut labels = Vec::with_capacity(625);
    for row in 0..625_u16 {
        let [left_weight, left_distance, right_weight, right_distance] =
            [125, 25, 5, 1].map(|place| row / place % 5 + 1);
        labels.push(match (left_weight * left_distance).cmp(&(right_weight * right_distance)) {
            std::cmp::Ordering::Greater => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 2,
        });
        values.extend([left_weight, left_distance, right_weight, right_distance].map(f64::from));
    }
    join(values, labels)
}

fn join(values: Vec<f64>, labels: Vec<usize>) -> Labeled {
    let names = ["left_weight", "left_distance", "right_weight", "right_distance"];
    let features = Features::new(values, names.map(String::from).to_vec());
    let features = features.expect("small whole numbers under four names are valid features");
    Labeled::new(features, labels, ["L", "B", "R"].map(String::from).to_vec())
        .expect("there is one label per row, and each is below three")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_labels_are_those_of_the_file() {
        let data = balance();
        // Lines 2, 3, 7, 625 and 626 of balance.csv.
        for (row, sides, label) in [
            (0, [1.0, 1.0, 1.0, 1.0], 1),
            (1, [1.0, 1.0, 1.0, 2.0], 2),
            (5, [1.0, 1.0, 2.0, 1.0], 2),
            (623, [5.0, 5.0, 5.0, 4.0], 0),
            (624, [5.0, 5.0, 5.0, 5.0], 1),
        ] {
            assert_eq!((data.features().row(row), data.labels()[row]), (sides.as_slice(), label));
        }
    }
}
