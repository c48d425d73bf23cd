//! Small public data sets that are part of this crate (credits: `data/README.md`).

use crate::Labeled;

use crate::readers::{CsvOptions, parse_csv};

/// Iris: 150 flowers, 4 measurements in cm, 3 species (50 / 50 / 50).
///
/// # References
/// R. A. Fisher, The Use of Multiple Measurements in Taxonomic Problems, Annals of Eugenics 7,
/// 1936.
pub fn iris() -> Labeled {
    named(&parse(include_bytes!("../../data/iris.csv")), ["setosa", "versicolor", "virginica"])
}

/// Wine: 178 wines, 13 chemical measurements, 3 cultivars (59 / 71 / 48).
///
/// # References
/// M. Forina et al., PARVUS, 1988; S. Aeberhard, D. Coomans, O. de Vel, Comparative Analysis of
/// Statistical Pattern Recognition Methods in High Dimensional Settings, Pattern Recognition 27,
/// 1994.
pub fn wine() -> Labeled {
    named(&parse(include_bytes!("../../data/wine.csv")), ["cultivar 1", "cultivar 2", "cultivar 3"])
}

/// Digits: 1797 handwritten digits, 8 x 8 pixels row by row from 0 to 16, 10 classes `0` to `9`.
///
/// The test part of the optical recognition set of the UCI repository, the same rows as
/// scikit-learn's.
///
/// # References
/// E. Alpaydin, C. Kaynak, Cascading Classifiers, Kybernetika 34, 1998.
pub fn digits() -> Labeled {
    parse(include_bytes!("../../data/digits.csv.gz"))
}

fn parse(text: &[u8]) -> Labeled {
    parse_csv("bundled data", text, &CsvOptions::default())
        .and_then(crate::Table::into_labeled)
        .expect("the bundled file is a valid table of classes")
}

fn named<const C: usize>(data: &Labeled, class_names: [&str; C]) -> Labeled {
    let names = class_names.map(String::from).to_vec();
    Labeled::new(data.features().clone(), data.labels().to_vec(), names)
        .expect("a bundled file holds as many classes as are named")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_rows_and_counts_are_those_of_the_sources() {
        for (data, last, row, values, classes, counts) in [
            (iris(), "petal_width_cm", 149, [5.9, 3.0, 5.1], "virginica", "[50, 50, 50]"),
            (wine(), "proline", 0, [14.23, 1.71, 2.43], "cultivar 3", "[59, 71, 48]"),
            (
                digits(),
                "pixel_7_7",
                0,
                [0.0, 0.0, 5.0],
                "9",
                "[178, 182, 177, 183, 181, 182, 181, 179, 174, 180]",
            ),
        ] {
            assert_eq!(data.features().names().last().unwrap(), last);
            assert_eq!(data.features().row(row)[..3], values);
            assert_eq!(data.class_names().last().unwrap(), classes);
            assert_eq!(format!("{:?}", data.class_counts()), counts);
        }
    }
}
