//! What a reader must know before trusting the numbers, at the top of every page.

use super::html::escape;
use crate::report::Warning;

/// A paragraph a warning; empty when there is none.
pub fn section(warnings: &[Warning]) -> String {
    let line = |warning: &Warning| format!("<p class=\"warning\">{}</p>\n", escape(&warning.text));
    warnings.iter().map(line).collect()
}
