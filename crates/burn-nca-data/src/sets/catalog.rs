//! The data sets that need no file, by name.

use crate::Labeled;

use crate::sets::bundled::{digits, iris, wine};
use crate::sets::generate::{NoisyXorOptions, RingsOptions, balance, blobs, noisy_xor, rings};

/// A data set that needs no file.
#[derive(Clone, Copy, Debug)]
pub struct Dataset {
    /// The name by which [`by_name`] and [`open`](crate::open) know it.
    pub name: &'static str,
    /// Size, content and origin, in a line.
    pub description: &'static str,
    load: fn() -> Labeled,
}

impl Dataset {
    /// The data. Random sets have their default options and seed 0.
    pub fn load(&self) -> Labeled {
        (self.load)()
    }
}

/// Why a set can be made.
const VALID: &str = "the default options are valid";

const fn set(name: &'static str, description: &'static str, load: fn() -> Labeled) -> Dataset {
    Dataset { name, description, load }
}

const DATASETS: [Dataset; 7] = [
    set("iris", "150 flowers x 4 measurements in cm, 3 species (UCI, CC BY 4.0)", iris),
    set("wine", "178 wines x 13 chemical measurements, 3 cultivars (UCI, CC BY 4.0)", wine),
    set(
        "digits",
        "1797 handwritten digits x 64 pixels from 0 to 16, 10 classes (UCI, CC BY 4.0)",
        digits,
    ),
    set(
        "balance",
        "625 balance scales x 4 weights and distances, 3 classes (made by its rule)",
        balance,
    ),
    set(
        "rings",
        "500 points x 3 columns, 5 concentric rings and a column of noise (made, seed 0)",
        || rings(RingsOptions::default(), 0).expect(VALID),
    ),
    set(
        "noisy-xor",
        "1100 rows x 8 inputs, exclusive-or of 2 noisy bits, 4 irrelevant (made, seed 0)",
        || noisy_xor(NoisyXorOptions::default(), 0).expect(VALID),
    ),
    set("blobs", "300 points x 4 columns, 3 well-separated normal clouds (made, seed 0)", || {
        blobs(300, 4, 3, 0).expect(VALID)
    }),
];

/// Every data set that needs no file, bundled ones first.
///
/// # Examples
/// ```
/// for set in burn_nca_data::catalog() {
///     assert!(set.load().rows() >= 150, "{}: {}", set.name, set.description);
/// }
/// ```
pub fn catalog() -> &'static [Dataset] {
    &DATASETS
}

/// The names of the [`catalog`], in its order.
pub fn names() -> impl Iterator<Item = &'static str> {
    DATASETS.iter().map(|set| set.name)
}

/// The data set of this name; case does not matter, and `_` is as good as `-`.
///
/// # Examples
/// ```
/// use burn_nca_data::by_name;
///
/// assert_eq!(by_name("iris").map(|set| set.load().rows()), Some(150));
/// assert!(by_name("irsi").is_none());
/// ```
pub fn by_name(name: &str) -> Option<&'static Dataset> {
    let name = name.to_lowercase().replace('_', "-");
    DATASETS.iter().find(|set| set.name == name)
}
