//! Hints of the library as controls of the page.

use burn_nca_data::Setting;
use burn_nca_learn::Error;

/// The message of an error, and what to do about it on the page.
pub(crate) fn text(error: &Error) -> String {
    error.worded(words)
}

/// A setting by the label of its control; `None` where the page has none.
fn words(setting: &Setting) -> Option<String> {
    let words = match setting {
        Setting::MissingRule => "choose how \"Missing values\" are filled in",
        Setting::DropMissing => "choose \"rows left out\" for \"Missing values\"",
        Setting::Categorical(_) => "choose \"0 and 1 per level\" for \"Text columns\"",
        Setting::Ignore => "write the column's name into \"Left out\"",
        Setting::Target => "write the column's name into \"Class column\"",
        _ => return None,
    };
    Some(words.to_string())
}

#[cfg(test)]
mod tests {
    use crate::{Reading, open};

    #[test]
    fn text_and_missing_values_are_cured_by_controls() {
        let said = |table: &str| {
            super::text(&open("t.csv", Some(table.as_bytes()), &Reading::default()).unwrap_err())
        };
        let left_out = "for \"Text columns\", or write the column's name into \"Left out\"";
        assert!(said("a,b,y\n1,red,u\n2,blue,v\n").ends_with(left_out));
        let class = "into \"Left out\", or write the column's name into \"Class column\"";
        assert!(said("a,b,y\n1,red,1\n2,blue,2\n").ends_with(class));
        assert!(said("a,y\n,u\n2,v\n").ends_with("or choose how \"Missing values\" are filled in"));
    }
}
