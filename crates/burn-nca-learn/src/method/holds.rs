//! Data that hold other data: a table with targets holds its features.

use crate::data::{Coincidences, Features, Labeled, RegressionData};

/// Data that are those of another type, or hold them: a table with targets holds its features.
pub trait Holds<T> {
    /// The data of that type.
    fn held(&self) -> &T;
}

impl<T> Holds<T> for T {
    fn held(&self) -> &T {
        self
    }
}

impl Holds<Features> for Labeled {
    fn held(&self) -> &Features {
        self.features()
    }
}

impl Holds<Features> for RegressionData {
    fn held(&self) -> &Features {
        self.features()
    }
}

impl Holds<Features> for Coincidences {
    fn held(&self) -> &Features {
        self.features()
    }
}
