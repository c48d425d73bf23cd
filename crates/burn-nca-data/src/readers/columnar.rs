//! Tables of Parquet and Arrow files (Feather files among them), written as delimited text while they are read: what
//! follows is what follows for a CSV file. Without the feature `parquet` they are refused.

#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
mod claims;
#[cfg(feature = "parquet")]
mod index;
#[cfg(feature = "parquet")]
mod reason;
#[cfg(feature = "parquet")]
mod text;

#[cfg(feature = "parquet")]
pub(crate) use text::as_text;

#[cfg(any(test, not(feature = "parquet")))]
use crate::Error;

#[cfg(any(test, not(feature = "parquet")))]
use crate::readers::input::Input;

#[cfg(not(feature = "parquet"))]
use crate::readers::text_format::DecimalSign;

/// The separator of the values of the text.
pub(crate) const SEPARATOR: u8 = b',';

/// Refuses the file.
#[cfg(not(feature = "parquet"))]
pub(crate) fn as_text(input: Input<'_>, _: DecimalSign) -> crate::Result<Input<'_>> {
    Err(not_built(&input))
}

#[cfg(any(test, not(feature = "parquet")))]
fn not_built(input: &Input<'_>) -> Error {
    Error::data(format!(
        "{} is {}, and this build reads none; build it with --features parquet, or write the table as CSV \
         (pandas: to_csv(\"t.csv\", index=False))",
        input.origin(),
        input.format().name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_the_feature_says_what_to_do() {
        let input = Input::of_bytes("t.parquet", b"PAR1\x15\x04").unwrap();
        let message = not_built(&input).to_string();
        assert!(message.starts_with("t.parquet is a Parquet file"), "{message}");
        assert!(message.contains("--features parquet") && message.contains("to_csv"), "{message}");
    }
}
