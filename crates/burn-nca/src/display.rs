//! How the modules of this crate are shown.

use burn::module::DisplaySettings;

/// A module of few attributes is printed on one line.
pub fn one_line() -> Option<DisplaySettings> {
    DisplaySettings::new().with_new_line_after_attribute(false).optional()
}
