//! Small public data sets that are part of this crate (credits: `data/README.md`).

use crate::tables::Labeled;

use crate::readers::{CsvOptions, parse_csv};

/// Iris: 150 flowers, 4 measurements in cm, 3 species (50 / 50 / 50).
///
/// # References
/// R. A. Fisher, The Use of Multiple Measurements in Taxonomic Problems, Annals of Eugenics 7,
/// 1936.
pub fn iris() -> Labeled {
    let names = ["setosa", "versicolor", "virginica"];
    named(&parse(include_bytes!("../../data/iris.csv")), names)
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
        let iris = iris();
        assert_eq!(
            iris.features().names(),
            ["sepal_length_cm", "sepal_width_cm", "petal_length_cm", "petal_width_cm"]
        );
        assert_eq!(iris.features().row(149), [5.9, 3.0, 5.1, 1.8]);
        let wine = wine();
        assert_eq!(wine.features().names().len(), 13);
        assert_eq!(wine.features().names()[12], "proline");
        assert_eq!(wine.features().row(0)[..3], [14.23, 1.71, 2.43]);
        assert_eq!(wine.class_names()[2], "cultivar 3");
        let digits = digits();
        assert_eq!(digits.features().names()[63], "pixel_7_7");
        assert_eq!(digits.class_names(), ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(digits.class_counts(), [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        let pixels = digits.features().values();
        assert!(pixels.iter().all(|pixel| (0.0..=16.0).contains(pixel)));
    }
}
